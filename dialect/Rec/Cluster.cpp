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

/// `ranks`, `inHost`: where the dictionary does not say; a host of 0 is as large as all ranks.
static Cluster read(DictionaryAttr d, int64_t ranks, int64_t inHost) {
  Cluster c;
  auto name = d.getAs<StringAttr>("name");
  c.name = name ? name.str() : "generic-80gb"; // whose figures the defaults below are
  c.ranks = int64_t(number(d, "ranks", double(ranks)));
  c.devicesPerHost = int64_t(number(d, "devices_per_host", double(inHost ? inHost : c.ranks)));
  c.memory = number(d, "memory", 80e9);
  c.gatherRate = number(d, "gather_rate", 1e12);
  c.copyRate = number(d, "copy_rate", 2e12);
  c.flopRate = number(d, "flop_rate", 4e13);
  c.insideRate = number(d, "inside_rate", 2e11);
  c.insideLatency = number(d, "inside_latency", 5e-6);
  c.betweenRate = number(d, "between_rate", c.insideRate);
  c.betweenLatency = number(d, "between_latency", c.insideLatency);
  c.launchLatency = number(d, "launch_latency", 5e-6);
  return c;
}

static DictionaryAttr dictionary(ModuleOp module, StringRef name) {
  auto d = module->getAttrOfType<DictionaryAttr>(name);
  return d ? d : DictionaryAttr::get(module.getContext());
}

Cluster sparsec::rec::readCluster(ModuleOp module) { return read(dictionary(module, clusterAttr), 1, 0); }

Cluster sparsec::rec::readMachines(ModuleOp module) {
  if (module->hasAttr(machinesAttr))
    return read(dictionary(module, machinesAttr), mostRanks, 0);
  Cluster c = read(dictionary(module, clusterAttr), 1, mostRanks);
  c.ranks = mostRanks;
  return c;
}

Cluster Cluster::taken(int64_t count) const {
  Cluster c = *this;
  c.ranks = count;
  c.devicesPerHost = std::min(devicesPerHost, count);
  return c;
}
