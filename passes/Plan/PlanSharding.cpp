// rec-plan-sharding: gives every table its parts and the module its mesh.
//
// Needs: the imported module; `rec.cluster` says for which machines (absent: one rank), `rec.order` on module and
// tables what a plan file fixed. Ensures: each rec.table has `parts`, `strategy` and `exchange`; a comm.mesh stands
// first if there is more than one rank; `rec.predicted` holds bytes and seconds of each rank of a group.
//
//   rec.table @table.t1 {rows = 10, ...}  ->  rec.table @table.t1 {..., parts = [#rec.part<cols 0 + 4,
//                                               axes ["shard"], ranks 0 + 2>], strategy = "row_wise", ...}
#include "dialect/Comm/Comm.h"
#include "passes/Plan/Passes.h"
#include "passes/Plan/Search.h"

using namespace mlir;
using namespace sparsec;

namespace {

void writeMesh(ModuleOp module, const plan::Result &result) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<StringRef> axes;
  SmallVector<int64_t> shape;
  std::pair<StringRef, int64_t> all[] = {
      {"replicate", result.groups}, {"node", result.group.nodes}, {"shard", result.group.shards}};
  for (auto [axis, extent] : all)
    if (extent > 1) {
      axes.push_back(axis);
      shape.push_back(extent);
    }
  if (!axes.empty())
    comm::MeshOp::create(b, module.getLoc(), "mesh", b.getStrArrayAttr(axes), shape);
}

void writeParts(const plan::Table &table, const plan::Placed &placed) {
  rec::TableOp op = table.op;
  Builder b(op.getContext());
  SmallVector<Attribute> parts(placed.parts.begin(), placed.parts.end());
  op.setPartsAttr(b.getArrayAttr(parts));
  op.setStrategy(placed.strategy->name());
  // A max needs whole rows: what is not ordered says what is done, so that the emitted plan can be read back.
  bool whole = table.unique && !placed.parts[0].isReplicated();
  op.setExchange(table.exchange.value_or(whole ? rec::Exchange::Unique : rec::Exchange::Pooled));
  op->removeAttr(plan::orderAttr);
}

struct PlanShardingPass : PassWrapper<PlanShardingPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanShardingPass)
  StringRef getArgument() const override { return "rec-plan-sharding"; }
  StringRef getDescription() const override { return "Choose the mesh and the parts of every table"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<comm::CommDialect>(); }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<plan::Facts> facts = plan::readFacts(module);
    if (failed(facts))
      return signalPassFailure();
    FailureOr<plan::Result> result = plan::search(*facts);
    if (failed(result))
      return signalPassFailure();
    writeMesh(module, *result);
    for (auto [table, placed] : llvm::zip(facts->tables, result->tables))
      writeParts(table, placed);
    Builder b(&getContext());
    SmallVector<double> memory, seconds;
    for (const plan::Cost &rank : result->ranks) {
      memory.push_back(rank.memory);
      seconds.push_back(rank.seconds());
    }
    module->setAttr("rec.predicted", b.getDictionaryAttr({
                                         b.getNamedAttr("memory", b.getDenseF64ArrayAttr(memory)),
                                         b.getNamedAttr("seconds", b.getDenseF64ArrayAttr(seconds)),
                                         b.getNamedAttr("step", b.getF64FloatAttr(result->seconds)),
                                     }));
    module->removeAttr(plan::orderAttr);
    module->removeAttr(rec::machinesAttr);
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createPlanShardingPass() { return std::make_unique<PlanShardingPass>(); }
void sparsec::registerPlanPasses() { registerPass(createPlanShardingPass); }
