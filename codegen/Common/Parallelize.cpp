// rec-parallelize: loops marked `sparsec.parallel` run on the runtime's threads.
//
// Needs: loops on buffers, marked by rec-loops. Such a loop, from 0 by 1, becomes a body function over [begin, end)
// and a call of sparsec_parallel with a record of the values it reads. What an iteration computes does not depend on
// how iterations are split, so neither do the results. Loops known to be short stay.
#include "codegen/Common/Passes.h"
#include "codegen/Common/RuntimeCalls.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
constexpr int64_t elementsWorthAThread = 1 << 14;

struct ParallelizePass : PassWrapper<ParallelizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ParallelizePass)
  StringRef getArgument() const override { return "rec-parallelize"; }
  StringRef getDescription() const override { return "independent loops run on the runtime's threads"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect>();
  }
  void runOnOperation() override;
};

/// Values in a record on the stack, as their LLVM types.
class Record {
public:
  Record(MLIRContext *context, ValueRange values) : types(context), values(values) {
    SmallVector<Type> fields = llvm::map_to_vector(values, [&](Value v) { return types.convertType(v.getType()); });
    type = LLVM::LLVMStructType::getLiteral(context, fields);
  }
  Value store(ImplicitLocOpBuilder &b) {
    RuntimeCalls calls(b);
    Value record = calls.onStack(type, 1);
    for (auto [i, value] : llvm::enumerate(values))
      calls.store(cast(b, value, type.getBody()[i]), record, type, {0, int32_t(i)});
    return record;
  }
  void load(ImplicitLocOpBuilder &b, Value record, IRMapping &mapping) {
    RuntimeCalls calls(b);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value field = calls.load(type.getBody()[i], record, type, {0, int32_t(i)});
      mapping.map(value, cast(b, field, value.getType()));
    }
  }

private:
  static Value cast(ImplicitLocOpBuilder &b, Value value, Type type) {
    if (value.getType() == type)
      return value;
    if (value.getType().isIndex() || type.isIndex())
      return arith::IndexCastOp::create(b, type, value);
    return UnrealizedConversionCastOp::create(b, TypeRange{type}, ValueRange{value}).getResult(0);
  }
  LLVMTypeConverter types;
  SmallVector<Value> values;
  LLVM::LLVMStructType type;
};
} // namespace

/// Iterations of the loops inside, where they are known.
static int64_t workOf(scf::ForOp loop) {
  int64_t work = 1;
  loop.getBody()->walk([&](scf::ForOp inner) {
    auto low = getConstantIntValue(inner.getLowerBound()), high = getConstantIntValue(inner.getUpperBound());
    if (low && high)
      work *= std::max<int64_t>(1, *high - *low);
  });
  return work;
}

static bool isWorthwhile(scf::ForOp loop, int64_t work) {
  auto trips = getConstantIntValue(loop.getUpperBound());
  return !trips || *trips * work >= 2 * elementsWorthAThread;
}

/// What the loop reads from outside; constants are made anew inside.
static SmallVector<Value> capturesOf(scf::ForOp loop, SmallVectorImpl<Operation *> &constants) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(loop.getRegion(), above);
  SmallVector<Value> captures;
  for (Value value : above) {
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
    else
      captures.push_back(value);
  }
  return captures;
}

static void outline(scf::ForOp loop, int64_t work) {
  auto entry = loop->getParentOfType<func::FuncOp>();
  auto module = entry->getParentOfType<ModuleOp>();
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  RuntimeCalls calls(b);
  SmallVector<Operation *> constants;
  Record record(b.getContext(), capturesOf(loop, constants));
  Value argument = record.store(b);

  // void body(void *argument, int64_t begin, int64_t end)
  auto signature = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                               {calls.pointer(), b.getI64Type(), b.getI64Type()});
  std::string name;
  for (int i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = (entry.getName() + "_loop_" + Twine(i)).str();
  LLVM::LLVMFuncOp body;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    body = LLVM::LLVMFuncOp::create(b, name, signature, LLVM::Linkage::Internal);
    Block *block = body.addEntryBlock(b);
    b.setInsertionPointToStart(block);
    IRMapping mapping;
    for (Operation *constant : constants)
      b.clone(*constant, mapping);
    record.load(b, block->getArgument(0), mapping);
    Value begin = calls.asIndex(block->getArgument(1)), end = calls.asIndex(block->getArgument(2));
    auto inner = scf::ForOp::create(b, begin, end, arith::ConstantIndexOp::create(b, 1));
    mapping.map(loop.getInductionVar(), inner.getInductionVar());
    b.setInsertionPointToStart(inner.getBody());
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    b.setInsertionPointToEnd(block);
    LLVM::ReturnOp::create(b, ValueRange());
  }
  Value function = LLVM::AddressOfOp::create(b, body);
  int64_t grain = std::max<int64_t>(1, elementsWorthAThread / work);
  calls.call("sparsec_parallel", Type(),
             {function, argument, calls.asI64(loop.getUpperBound()), calls.constant64(grain)});
  loop.erase();
}

void ParallelizePass::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr("rec.entry"))
      for (auto loop : function.getOps<scf::ForOp>())
        if (loop->hasAttr(parallelAttr) && loop.getInitArgs().empty() && isConstantIntValue(loop.getLowerBound(), 0) &&
            isConstantIntValue(loop.getStep(), 1))
          loops.push_back(loop);
  for (scf::ForOp loop : loops) {
    loop->removeAttr(parallelAttr);
    if (int64_t work = workOf(loop); isWorthwhile(loop, work))
      outline(loop, work);
  }
}

std::unique_ptr<Pass> codegen::createParallelizePass() { return std::make_unique<ParallelizePass>(); }
