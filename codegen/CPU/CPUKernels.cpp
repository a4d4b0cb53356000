// The class kernels of this processor, for the lowerings of embedding ops: `Kernels` builds them, threads of the
// runtime share the work of those that generated code starts.
#include "codegen/CPU/Target.h"
#include "codegen/CPU/kernels/Kernels.h"
#include "codegen/Common/Embedding/KernelSet.h"
#include "codegen/Common/RuntimeCalls.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {

class CPUKernels : public KernelSet {
public:
  explicit CPUKernels(ModuleOp module) : kernels(module) {}

  FlatSymbolRefAttr lookup(const LookupClass &of) override { return symbol(kernels.lookup(of.dim, of.weighted)); }
  FlatSymbolRefAttr combine(int64_t dim) override { return symbol(kernels.combine(dim)); }
  FlatSymbolRefAttr segmentSum(int64_t dim) override { return symbol(kernels.segmentSum(dim)); }
  FlatSymbolRefAttr step(int64_t dim, OptimizerAttrInterface optimizer) override {
    return symbol(kernels.step(dim, optimizer));
  }
  FlatSymbolRefAttr sweep(int64_t dim, OptimizerAttrInterface optimizer) override {
    return symbol(kernels.sweep(dim, optimizer));
  }

  void bagScale(ImplicitLocOpBuilder &b, Value ids, Value bags, Value out) override {
    Value fields = argument(b, BagScaleArgument::type(b.getContext()), {ids, out});
    parallel(b, kernels.bagScale(), fields, bags, /*grain=*/4096);
  }
  void poolRows(ImplicitLocOpBuilder &b, int64_t dim, bool max, Value rows, Value at, Value bags, Value out) override {
    Value fields = argument(b, PoolRowsArgument::type(b.getContext()), {rows, at, out});
    parallel(b, kernels.poolRows(dim, max), fields, bags, 1 + 4096 / dim);
  }
  void poolRowsGrad(ImplicitLocOpBuilder &b, int64_t dim, bool max, Value gradient, Value rows, Value at, Value count,
                    Value out) override {
    RuntimeCalls calls(b);
    Value fields =
        argument(b, PoolRowsGradArgument::type(b.getContext()), {gradient, rows, at, out, calls.asI64(count)});
    parallel(b, kernels.poolRowsGrad(dim, max), fields, calls.constant64(poolRowsGradBlocks(dim)), /*grain=*/1);
  }
  LogicalResult dotInteraction(ImplicitLocOpBuilder &b, const InteractionShape &shape, ValueRange inputs, Value samples,
                               Value out) override {
    auto type = DotInteractionArgument::type(b.getContext(), shape.inputs);
    Value fields = RuntimeCalls(b).onStack(type, 1);
    RuntimeCalls(b).store(out, fields, type, {0, DotInteractionArgument::out});
    storeArray(b, fields, type, DotInteractionArgument::inputs, inputs);
    parallel(b, kernels.dotInteraction(shape.inputs, shape.dim, shape.self), fields, samples, grain(shape));
    return success();
  }
  LogicalResult dotInteractionGrad(ImplicitLocOpBuilder &b, const InteractionShape &shape, Value gradient,
                                   ValueRange inputs, Value samples, ValueRange results) override {
    auto type = DotInteractionGradArgument::type(b.getContext(), shape.inputs);
    Value fields = RuntimeCalls(b).onStack(type, 1);
    RuntimeCalls(b).store(gradient, fields, type, {0, DotInteractionGradArgument::gradient});
    storeArray(b, fields, type, DotInteractionGradArgument::inputs, inputs);
    storeArray(b, fields, type, DotInteractionGradArgument::results, results);
    parallel(b, kernels.dotInteractionGrad(shape.inputs, shape.dim, shape.self), fields, samples, grain(shape));
    return success();
  }

private:
  static FlatSymbolRefAttr symbol(LLVM::LLVMFuncOp kernel) { return FlatSymbolRefAttr::get(kernel.getSymNameAttr()); }
  /// Samples worth a thread: some ten microseconds.
  static int64_t grain(const InteractionShape &shape) {
    return 1 + (int64_t(1) << 18) / (shape.inputs * shape.inputs * shape.dim);
  }
  /// A struct on the stack with these fields.
  static Value argument(ImplicitLocOpBuilder &b, LLVM::LLVMStructType type, ArrayRef<Value> fields) {
    RuntimeCalls calls(b);
    Value place = calls.onStack(type, 1);
    for (auto [i, field] : llvm::enumerate(fields))
      calls.store(field, place, type, {0, int32_t(i)});
    return place;
  }
  static void storeArray(ImplicitLocOpBuilder &b, Value argument, LLVM::LLVMStructType type, int32_t field,
                         ValueRange pointers) {
    for (auto [i, pointer] : llvm::enumerate(pointers))
      RuntimeCalls(b).store(pointer, argument, type, {0, field, int32_t(i)});
  }
  /// Calls `kernel` on [0, n) through sparsec_parallel.
  static void parallel(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp kernel, Value argument, Value n, int64_t grain) {
    RuntimeCalls calls(b);
    Value function = LLVM::AddressOfOp::create(b, calls.pointer(), kernel.getSymName());
    calls.call("sparsec_parallel", Type(), {function, argument, calls.asI64(n), calls.constant64(grain)});
  }

  Kernels kernels;
};

} // namespace

std::unique_ptr<KernelSet> codegen::makeCPUKernels(ModuleOp module) { return std::make_unique<CPUKernels>(module); }
