// The class kernels of a module: one llvm.func for each class, built when first asked for.
//
// A class is what changes the code: the row's width, weighted or not, the optimizer with its hyper-parameters. Tables,
// counts and pointers are run-time data, so a plan with thousands of ranks needs no more kernels than one with two.
#pragma once
#include "dialect/Interfaces/SparsecInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sparsec::codegen {

class KernelBuilder;

/// All kernels are `void(ptr argument, i64 begin, i64 end)`; ranges may be cut anywhere without changing a bit.
class Kernels {
public:
  explicit Kernels(mlir::ModuleOp module) : module(module) {}

  // Signatures of abi.h: SparsecLookupKernel, SparsecCombineKernel, SparsecSegmentKernel.

  /// The unweighted form never looks at weights; the weighted one takes null for all 1.
  mlir::LLVM::LLVMFuncOp lookup(int64_t dim, bool weighted);
  mlir::LLVM::LLVMFuncOp combine(int64_t dim);
  mlir::LLVM::LLVMFuncOp segmentSum(int64_t dim);
  /// One step of each segment's row. The row norm is the mean over `dim`, so the part must have all columns.
  mlir::LLVM::LLVMFuncOp step(int64_t dim, OptimizerAttrInterface optimizer);
  /// One step of every row, with gradient 0 where no segment has it.
  mlir::LLVM::LLVMFuncOp sweep(int64_t dim, OptimizerAttrInterface optimizer);

  // Bodies for sparsec_parallel; their arguments are the structs below.

  mlir::LLVM::LLVMFuncOp bagScale();                          // over bags
  mlir::LLVM::LLVMFuncOp poolRows(int64_t dim, bool max);     // over bags
  mlir::LLVM::LLVMFuncOp poolRowsGrad(int64_t dim, bool max); // over blocks of columns: poolRowsGradBlocks(dim)
  mlir::LLVM::LLVMFuncOp dotInteraction(int64_t inputs, int64_t dim, bool self);     // over samples
  mlir::LLVM::LLVMFuncOp dotInteractionGrad(int64_t inputs, int64_t dim, bool self); // over samples

private:
  using Emit = llvm::function_ref<void(KernelBuilder &)>;
  /// The kernel of that name and class, emitted if it is new. Classes that would share a name get a number behind it.
  mlir::LLVM::LLVMFuncOp get(const std::string &name, mlir::Attribute distinction, Emit emit);

  mlir::ModuleOp module;
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Attribute>, mlir::LLVM::LLVMFuncOp> built;
};

/// jagged bags, out [bags]: 1 / max(count, 1), or 1 / sum of weights (0 where that is 0).
struct BagScaleArgument {
  enum Field : int32_t { bags, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
/// rows [count, dim], `at` jagged bags of places in rows, out [bags, dim].
struct PoolRowsArgument {
  enum Field : int32_t { rows, at, out };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
/// gradient [bags, dim], rows [count, dim], `at`, out [count, dim].
struct PoolRowsGradArgument {
  enum Field : int32_t { gradient, rows, at, out, count };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *);
};
int64_t poolRowsGradBlocks(int64_t dim);
/// inputs: pointers to [samples, dim]; out [samples, pairs].
struct DotInteractionArgument {
  enum Field : int32_t { out, inputs };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *, int64_t inputs);
};
/// gradient [samples, pairs]; inputs and results: pointers to [samples, dim].
struct DotInteractionGradArgument {
  enum Field : int32_t { gradient, inputs, results };
  static mlir::LLVM::LLVMStructType type(mlir::MLIRContext *, int64_t inputs);
};

} // namespace sparsec::codegen
