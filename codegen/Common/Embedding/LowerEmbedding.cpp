// rec-lower-embedding: bags, lookups, exchanges, row updates and collectives become runtime calls and class kernels.
//
// Needs: entry points `(%context: !llvm.ptr, %step: i64) -> i32` (rec-entry-abi), tables with parts. Ensures: no value
// of type !rec.jagged, !rec.rows, !rec.table or !comm.pending is left, and the kernels that are called are in the
// module. Dense ops stay, and what they work on stays a tensor.
//
//   %i = rec.ids %b {feature = @feature.f0} ...        %i = llvm.call @sparsec_ids(%context, %0)
//   %h = rec.handle {table = @table.t0} ...            %out = memref.alloc(%b) : memref<?x4xf32>
//   %e = rec.lookup_local %i from %h ...        ->     ... an item {@lookup_sum_d4, 0, 0, %i, address of %out} ...
//                                                      llvm.call @sparsec_lookup_local(%context, %items, %n)
//                                                      %e = bufferization.to_tensor %out restrict writable
#include "codegen/Common/Embedding/Expected.h"
#include "codegen/Common/Passes.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct LowerEmbeddingPass : PassWrapper<LowerEmbeddingPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerEmbeddingPass)
  LowerEmbeddingPass(MakeKernelSet makeKernels, StringRef name) : makeKernels(std::move(makeKernels)), name(name) {}
  StringRef getArgument() const override { return name; }
  StringRef getDescription() const override {
    return "Lower embedding ops and collectives to runtime calls and kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect, LLVM::LLVMDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;
  MakeKernelSet makeKernels;
  StringRef name;
};
} // namespace

/// The context is how an entry point reaches the runtime.
static LogicalResult checkEntries(ModuleOp module) {
  for (auto entry : module.getOps<func::FuncOp>())
    if (entry->hasAttr("rec.entry") &&
        (entry.getNumArguments() == 0 || !isa<LLVM::LLVMPointerType>(entry.getArgument(0).getType())))
      return entry.emitError("expected the context as first argument, but got ")
             << entry.getFunctionType() << "; run rec-entry-abi first";
  return success();
}

void LowerEmbeddingPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkEntries(module)))
    return signalPassFailure();
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion([&](rec::JaggedType) { return pointer; });
  types.addConversion([&](rec::RowsType) { return pointer; });
  types.addConversion([&](rec::TableType) { return pointer; });
  types.addConversion([&](comm::PendingType) { return IntegerType::get(&getContext(), 64); });

  std::unique_ptr<KernelSet> kernels = makeKernels(module);
  kernels->expect(expectedLookups(module));
  EmbeddingLowering lowering(module, *kernels);
  RewritePatternSet patterns(&getContext());
  ConversionTarget target(getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  EmbeddingPatterns all{patterns, target, types, lowering};
  addInputLowerings(all);
  addLookupLowerings(all);
  addExchangeLowerings(all);
  addInNodeLowerings(all);
  addUpdateLowerings(all);
  addCollectiveLowerings(all);
  addPoolingLowerings(all);
  addInteractionLowerings(all);
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    signalPassFailure();
}

std::unique_ptr<Pass> codegen::createLowerEmbeddingPass(MakeKernelSet makeKernels, StringRef name) {
  return std::make_unique<LowerEmbeddingPass>(std::move(makeKernels), name);
}
