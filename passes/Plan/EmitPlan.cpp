#include "dialect/Comm/Comm.h"
#include "passes/Plan/Facts.h"
#include "passes/Plan/Orders.h"
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace sparsec;

/// The ranks or nodes a plan file would name for these parts.
static SmallVector<int64_t> firsts(rec::TableOp table, int64_t unit) {
  SmallVector<int64_t> places;
  for (auto part : table.getParts()->getAsRange<rec::PartAttr>())
    places.push_back(part.getFirst() / unit);
  return places;
}

static void writeStrategy(rec::TableOp table, int64_t shards, Placement &block) {
  StringRef name = table.getStrategy().value_or("");
  if (name == "table_wise")
    block.mutable_table_wise()->add_rank(firsts(table, 1)[0]);
  else if (name == "row_wise")
    block.mutable_row_wise()->set_rows(RowWise::BLOCKS);
  else if (name == "table_row_wise")
    block.mutable_table_row_wise()->add_host(firsts(table, shards)[0]);
  else if (name == "data_parallel")
    block.mutable_data_parallel();
  else if (name == "column_wise")
    for (int64_t rank : firsts(table, 1))
      block.mutable_column_wise()->add_rank(rank);
  else if (name == "grid")
    for (int64_t host : firsts(table, shards))
      block.mutable_grid()->add_host(host);
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
    writeStrategy(table, shards, block);
    if (!block.has_data_parallel())
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
    plan.mutable_predicted()->set_imbalance(mean > 0 ? slowest / mean : 1);
    plan.mutable_predicted()->set_step_ms(predicted.getAs<FloatAttr>("step").getValueAsDouble() * 1e3);
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(plan, &text);
  return "# proto-file: plan.proto\n# proto-message: sparsec.Plan\n" + text;
}
