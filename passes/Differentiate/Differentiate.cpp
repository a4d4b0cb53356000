// rec-differentiate: reverse mode over the straight-line step, through DifferentiableOpInterface.
//
// Needs: an entry with one rec.minimize, whose losses come from ops that differentiate down to rec.get and rec.handle.
// Ensures: rec.minimize is replaced by the gradients' ops and one rec.apply / rec.apply_rows for each parameter and
// table. Nothing is recomputed: gradient ops use the values of the forward part. Exchanges of gradients are the
// adjoints of what partition put in (comm.replicate: a sum over ranks); comm.replicate itself is gone afterwards.
//
//   %y = rec.scale %x {factor = 2.0}             %g0 = <gradient of %y>
//   rec.minimize ...                       ->    %g1 = rec.scale %g0 {factor = 2.0}
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Differentiate/Passes.h"

using namespace mlir;
using namespace sparsec;

namespace {

class Reverse {
public:
  explicit Reverse(rec::MinimizeOp minimize) : minimize(minimize), b(minimize) {}

  LogicalResult run() {
    SmallVector<Operation *> forward;
    for (Operation *op = minimize->getPrevNode(); op; op = op->getPrevNode())
      forward.push_back(op);
    Value one = arith::ConstantOp::create(b, minimize.getLoc(), b.getF32FloatAttr(1));
    for (Value loss : minimize.getLosses())
      contributions[loss].push_back(one);
    for (Operation *op : forward)
      if (failed(visit(op)))
        return failure();
    update();
    return success();
  }

private:
  LogicalResult visit(Operation *op) {
    SmallVector<Value> gradients;
    for (Value result : op->getResults())
      gradients.push_back(take(result));
    if (!llvm::any_of(gradients, [](Value g) { return bool(g); }))
      return success();
    if (auto get = dyn_cast<rec::GetOp>(op)) {
      parameters.push_back({get, gradients[0]});
      return success();
    }
    if (auto handle = dyn_cast<rec::HandleOp>(op)) {
      tables.push_back({handle, gradients[0]});
      return success();
    }
    if (op->hasTrait<ReadsBatch>())
      return success(); // data
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable)
      return op->emitOpError("has no gradient, but lies between a loss and its parameters");
    SmallVector<Value> operandGradients = differentiable.buildGradient(b, gradients);
    for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), operandGradients))
      if (gradient)
        contributions[operand].push_back(gradient);
    return success();
  }

  /// The sum of what reached `value`, in the order of its uses.
  Value take(Value value) {
    auto found = contributions.find(value);
    if (found == contributions.end())
      return {};
    SmallVector<Value> parts(llvm::reverse(found->second));
    contributions.erase(found);
    if (parts.size() == 1)
      return parts[0];
    if (isa<rec::RowsType>(parts[0].getType()))
      return rec::JoinRowsOp::create(b, value.getLoc(), parts[0].getType(), parts);
    return rec::AddOp::create(b, value.getLoc(), parts[0].getType(), parts);
  }

  /// Rows first, then parameters as their gradients became ready: a sum over ranks has until then to travel.
  void update() {
    Location loc = minimize.getLoc();
    Value step = minimize.getStep();
    Value factor = rec::LearningRateOp::create(b, loc, b.getF32Type(), step, minimize.getScheduleAttr());
    Value scale = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    for (auto [handle, rows] : llvm::reverse(tables))
      rec::ApplyRowsOp::create(b, handle.getLoc(), handle.getHandle(), rows, factor, step, scale);
    for (auto [get, gradient] : parameters)
      rec::ApplyOp::create(b, get.getLoc(), gradient, factor, step, get.getParamAttr());
    minimize.erase();
  }

  rec::MinimizeOp minimize;
  OpBuilder b;
  llvm::DenseMap<Value, SmallVector<Value>> contributions;
  SmallVector<std::pair<rec::GetOp, Value>> parameters;
  SmallVector<std::pair<rec::HandleOp, Value>> tables;
};

struct DifferentiatePass : PassWrapper<DifferentiatePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DifferentiatePass)
  StringRef getArgument() const override { return "rec-differentiate"; }
  StringRef getDescription() const override { return "Replace rec.minimize by gradients and updates"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<rec::RecDialect, arith::ArithDialect>();
  }
  void runOnOperation() override {
    for (auto minimize : llvm::make_early_inc_range(getOperation().getOps<rec::MinimizeOp>()))
      if (failed(Reverse(minimize).run()))
        return signalPassFailure();
    for (auto copy : llvm::make_early_inc_range(getOperation().getOps<comm::ReplicateOp>())) {
      copy.replaceAllUsesWith(copy.getInput());
      copy.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> sparsec::createDifferentiatePass() { return std::make_unique<DifferentiatePass>(); }
void sparsec::registerDifferentiatePasses() { registerPass(createDifferentiatePass); }
