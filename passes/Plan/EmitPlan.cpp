#include "dialect/Comm/Comm.h"
#include "passes/Plan/Facts.h"
#include "passes/Plan/Orders.h"
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace sparsec;

/// The choice that a plan file would name for these parts.
static plan::Choice choiceOf(rec::TableOp table, plan::PlacedBy by, int64_t shards) {
  plan::Choice choice;
  if (by != plan::PlacedBy::None)
    for (auto part : table.getParts()->getAsRange<rec::PartAttr>())
      choice.places.push_back(part.getFirst() / (by == plan::PlacedBy::Node ? shards : 1));
  return choice;
}

std::string sparsec::emitPlan(ModuleOp module) {
  Plan plan;
  plan.set_language(1);
  for (auto training : module.getOps<rec::TrainingOp>())
    plan.set_model(training.getModel().str());
  if (auto cluster = module->getAttrOfType<DictionaryAttr>(rec::clusterAttr))
    if (auto name = cluster.getAs<StringAttr>("name"))
      plan.set_cluster(name.str());
  int64_t groups = 1, nodes = 1, shards = 1;
  for (auto mesh : module.getOps<comm::MeshOp>()) {
    groups = mesh.getExtent("replicate");
    nodes = mesh.getExtent("node");
    shards = mesh.getExtent("shard");
  }
  plan.mutable_mesh()->set_groups(groups);
  plan.mutable_mesh()->set_shards(nodes * shards);
  plan.mutable_mesh()->set_inside_host(Mesh::SHARD);
  for (auto table : module.getOps<rec::TableOp>()) {
    Placement &block = *plan.add_table();
    block.add_name(table.getName().str());
    const plan::Strategy *strategy = plan::findStrategy(table.getStrategy().value_or(""));
    if (strategy)
      strategy->write(choiceOf(table, strategy->placedBy(), shards), block);
    if (!strategy || !strategy->replicates())
      block.set_exchange(table.getExchange() == rec::Exchange::Unique ? Placement::UNIQUE_ROWS
                                                                      : Placement::POOLED_ROWS);
    block.set_tier(Placement::DEVICE);
  }
  if (auto predicted = module->getAttrOfType<DictionaryAttr>("rec.predicted")) {
    auto seconds = predicted.getAs<DenseF64ArrayAttr>("seconds").asArrayRef();
    auto memory = predicted.getAs<DenseF64ArrayAttr>("memory").asArrayRef();
    double slowest = *std::max_element(seconds.begin(), seconds.end());
    double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / seconds.size();
    plan.mutable_predicted()->set_worst_rank_gib(*std::max_element(memory.begin(), memory.end()) / double(1 << 30));
    double step = predicted.getAs<FloatAttr>("step").getValueAsDouble(), alike = step - slowest;
    plan.mutable_predicted()->set_imbalance(step > 0 ? step / (alike + mean) : 1);
    plan.mutable_predicted()->set_step_ms(step * 1e3);
    for (auto training : module.getOps<rec::TrainingOp>())
      if (step > 0)
        plan.mutable_predicted()->set_samples_per_s(double(training.getBatch()) / step);
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(plan, &text);
  return "# proto-file: plan.proto\n# proto-message: sparsec.Plan\n" + text;
}
