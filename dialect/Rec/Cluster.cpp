#include "dialect/Rec/Cluster.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace sparsec::rec;

static double number(DictionaryAttr d, StringRef name, double otherwise) {
  if (auto f = d.getAs<FloatAttr>(name))
    return f.getValueAsDouble();
  if (auto i = d.getAs<IntegerAttr>(name))
    return double(i.getInt());
  return otherwise;
}

Cluster sparsec::rec::readCluster(ModuleOp module) {
  Cluster c;
  auto d = module->getAttrOfType<DictionaryAttr>(clusterAttr);
  if (!d)
    d = DictionaryAttr::get(module.getContext());
  auto name = d.getAs<StringAttr>("name");
  c.name = name ? name.str() : "generic-80gb"; // whose figures the defaults below are
  c.ranks = int64_t(number(d, "ranks", 1));
  c.devicesPerHost = int64_t(number(d, "devices_per_host", double(c.ranks)));
  c.memory = number(d, "memory", 80e9);
  c.gatherRate = number(d, "gather_rate", 1e12);
  c.copyRate = number(d, "copy_rate", 2e12);
  c.flopRate = number(d, "flop_rate", 4e13);
  c.insideRate = number(d, "inside_rate", 2e11);
  c.insideLatency = number(d, "inside_latency", 5e-6);
  c.betweenRate = number(d, "between_rate", c.insideRate);
  c.betweenLatency = number(d, "between_latency", c.insideLatency);
  return c;
}
