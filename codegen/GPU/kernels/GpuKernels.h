// The class kernels of a device program: one gpu.func for each class, built when first asked for; see device.h for what
// they are given. What is handed out is the kernel's record (abi.h, SparsecKernel).
//
// A class is what changes the code: the row's width, weighted or not, split or not, the optimizer with its
// hyper-parameters. Tables, counts and pointers are data.
#pragma once
#include "dialect/Interfaces/SparsecInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sparsec::codegen::device {

class KernelBuilder;

class GpuKernels {
public:
  explicit GpuKernels(mlir::ModuleOp module) : module(module) {}

  /// The unweighted form never looks at weights; the weighted one takes null for all 1. `split`: for long bags.
  mlir::LLVM::GlobalOp lookup(int64_t dim, bool weighted, bool split);
  mlir::LLVM::GlobalOp combine(int64_t dim);
  /// Sums of segments; `then` of these three takes what device.h says.
  mlir::LLVM::GlobalOp segmentSum(int64_t dim);
  /// One step of each segment's row. The row norm is the mean over `dim`, so the part must have all columns.
  mlir::LLVM::GlobalOp step(int64_t dim, OptimizerAttrInterface optimizer);
  /// One step of every row, with gradient 0 where no segment has it.
  mlir::LLVM::GlobalOp sweep(int64_t dim, OptimizerAttrInterface optimizer);

  // Launched by generated code; their arguments are in brackets. Units are bags or samples. Matrices are dense, inputs
  // and results of interactions begin at multiples of 16 bytes.

  /// (rows, offsets, places, weights, counts, bags, out); weights and counts may be null. The maximum or the weighted
  /// sum.
  mlir::LLVM::GlobalOp poolRows(int64_t dim, bool max);
  /// (gradient, rows, offsets, places, counts, bags, out): what each position gets of a maximum's gradient,
  /// out [positions, dim]. The gradient of the rows themselves is then a segment sum: rowKeys, with an entry that has
  /// no offsets and `places` as values, a sort, and segmentSum. That of a weighted sum is a segment sum of its
  /// gradient.
  mlir::LLVM::GlobalOp poolMaxGrad(int64_t dim);
  /// (out, samples, inputs...): out [samples, pairs].
  mlir::LLVM::GlobalOp dotInteraction(int64_t inputs, int64_t dim, bool self);
  /// (gradient, samples, inputs..., results...).
  mlir::LLVM::GlobalOp dotInteractionGrad(int64_t inputs, int64_t dim, bool self);
  /// (offsets, weights, counts, bags, out); weights and counts may be null.
  mlir::LLVM::GlobalOp bagScale();

  // Of no class.

  mlir::LLVM::GlobalOp copyRows();
  mlir::LLVM::GlobalOp rowKeys();

private:
  using Emit = llvm::function_ref<void(KernelBuilder &)>;
  /// The record of the kernel of that name and class, emitted if it is new. Classes that would share a name get a
  /// number behind it.
  mlir::LLVM::GlobalOp get(const std::string &name, mlir::Attribute distinction, llvm::StringRef arguments,
                           int32_t threads, Emit emit);
  mlir::LLVM::GlobalOp splitLookup(const std::string &name, int64_t dim, bool weighted);
  /// A kernel that sums pieces of split segments, and `finish` behind it; both are of this class alone, since a record
  /// names one finishing kernel.
  mlir::LLVM::GlobalOp finishedSegments(const std::string &name, int64_t dim, mlir::Attribute distinction,
                                        llvm::StringRef arguments, Emit finish);

  mlir::ModuleOp module;
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Attribute>, mlir::LLVM::GlobalOp> built;
};

} // namespace sparsec::codegen::device
