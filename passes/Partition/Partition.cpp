// rec-partition: the planned whole-batch program becomes the program of every rank.
//
// Needs: tables with parts (stage plan), one comm.mesh or none (one rank), entry functions of straight-line code.
// Ensures: no rec.lookup; every batch size is this rank's, every mean over the batch divides by the global size;
// parameters and tables pass through comm.replicate, so that differentiation derives their gradient exchange.
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Partition/ExpandLookup.h"
#include "passes/Partition/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec;

namespace {

/// Axes of the mesh that `keep` accepts, in order.
ArrayAttr meshAxes(Builder &b, comm::MeshOp mesh, llvm::function_ref<bool(StringRef)> keep) {
  SmallVector<Attribute> axes;
  if (mesh)
    for (auto axis : mesh.getAxes().getAsRange<StringAttr>())
      if (keep(axis.getValue()))
        axes.push_back(axis);
  return b.getArrayAttr(axes);
}

class EntryPartition {
public:
  EntryPartition(func::FuncOp function, comm::MeshOp mesh, const SymbolTable &symbols)
      : function(function), mesh(mesh), symbols(symbols), b(function.getContext()),
        everyAxis(meshAxes(b, mesh, [](StringRef) { return true; })) {}

  LogicalResult run() {
    trains = !function.getOps<rec::MinimizeOp>().empty();
    if (failed(shareBatch()))
      return failure();
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      b.setInsertionPointAfter(&op);
      if (auto get = dyn_cast<rec::GetOp>(op))
        replicate(get.getValue(), everyAxis);
      else if (auto report = dyn_cast<rec::ReportOp>(op))
        sumLoss(report);
    }
    for (auto lookup : llvm::make_early_inc_range(function.getOps<rec::LookupOp>()))
      if (failed(expand(lookup)))
        return failure();
    for (auto handle : llvm::make_early_inc_range(function.getOps<rec::HandleOp>()))
      if (handle->use_empty())
        handle.erase();
    return success();
  }

private:
  /// The rank's own batch size, and the global one where the batch is averaged.
  LogicalResult shareBatch() {
    auto sizes = llvm::to_vector(function.getOps<rec::BatchSizeOp>());
    if (sizes.size() != 1)
      return function.emitError("expected one `rec.batch_size`, but got ") << sizes.size();
    rec::BatchSizeOp size = sizes.front();
    int64_t ranks = mesh ? mesh.getRanks() : 1;
    size.setMax((size.getMax() + ranks - 1) / ranks);
    b.setInsertionPointAfter(size);
    Value status = rec::BatchStatusOp::create(b, size.getLoc(), b.getI64Type());
    Value total = comm::AgreeOp::create(b, size.getLoc(), b.getIndexType(), status, size.getSize(), everyAxis);
    function.walk([&](BatchRoleOpInterface op) {
      if (op.getBatchRole() == BatchRole::reduces)
        op.getBatchSizeOperand()->set(total);
    });
    return success();
  }

  /// Routes all uses of a parameter through comm.replicate, where its gradient has to cross ranks.
  Value replicate(Value value, ArrayAttr axes) {
    if (!trains || axes.empty())
      return value;
    auto copy = comm::ReplicateOp::create(b, value.getLoc(), value.getType(), value, axes);
    value.replaceAllUsesExcept(copy.getResult(), copy);
    return copy.getResult();
  }

  void sumLoss(rec::ReportOp report) {
    if (everyAxis.empty())
      return;
    b.setInsertionPoint(report);
    auto sum = comm::AllReduceOp::create(b, report.getLoc(), TypeRange{b.getF32Type()}, ValueRange{report.getLoss()},
                                         everyAxis);
    report.getLossMutable().set(sum.getResult(0));
  }

  LogicalResult expand(rec::LookupOp lookup) {
    auto table = symbols.lookup<rec::TableOp>(rec::tableOf(lookup.getTable()).getAttr());
    if (!table || !table.getParts())
      return lookup.emitError("expected a table with parts; run rec-plan-sharding first");
    Value &handle = handles[table];
    if (!handle) { // one for each table, so that the gradients of all its lookups meet before they cross ranks
      b.setInsertionPoint(lookup);
      auto type = rec::TableType::get(b.getContext(), table.getRows(), table.getDim());
      Value source = rec::HandleOp::create(b, lookup.getLoc(), type, FlatSymbolRefAttr::get(table.getSymNameAttr()));
      rec::PartAttr part = table.getPart(0);
      handle = replicate(source, meshAxes(b, mesh, [&](StringRef axis) {
                           return !llvm::any_of(part.getAxes(), [&](StringAttr a) { return a.getValue() == axis; });
                         }));
    }
    b.setInsertionPoint(lookup);
    lookup.replaceAllUsesWith(expandLookup(b, lookup, handle, table, mesh ? mesh.getExtent("shard") : 1));
    lookup.erase();
    return success();
  }

  func::FuncOp function;
  comm::MeshOp mesh;
  const SymbolTable &symbols;
  OpBuilder b;
  ArrayAttr everyAxis;
  bool trains = false;
  llvm::MapVector<Operation *, Value> handles;
};

struct PartitionPass : PassWrapper<PartitionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartitionPass)
  StringRef getArgument() const override { return "rec-partition"; }
  StringRef getDescription() const override { return "Turn the planned whole-batch program into one SPMD program"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<rec::RecDialect, comm::CommDialect>();
  }
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto meshes = getOperation().getOps<comm::MeshOp>();
    comm::MeshOp mesh = meshes.empty() ? comm::MeshOp() : *meshes.begin();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("rec.entry") && failed(EntryPartition(function, mesh, symbols).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createPartitionPass() { return std::make_unique<PartitionPass>(); }

void sparsec::registerPartitionPasses() {
  registerPass(createPartitionPass);
  registerPass(createFuseLookupsPass);
}
