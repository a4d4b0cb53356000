// The class kernels of a device program: one gpu.func for each class, built when first asked for; see device.h for what
// they are given. What is handed out is the kernel's record (abi.h, SparsecKernel).
//
// A class is what changes the code: the row's width and element, weighted or not, the schedule, the optimizer with its
// hyper-parameters. Tables, counts and pointers are data.
#pragma once
#include "codegen/GPU/kernels/Schedule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sparsec::codegen::device {

class KernelBuilder;

class GpuKernels {
public:
  explicit GpuKernels(mlir::ModuleOp module) : module(module) {}

  /// The unweighted form never looks at weights; the weighted one takes null for all 1.
  mlir::LLVM::GlobalOp lookup(const LookupClass &, const Schedule &);
  /// The usual schedule of rows of floats. `split`: for long bags.
  mlir::LLVM::GlobalOp lookup(int64_t dim, bool weighted, bool split);
  mlir::LLVM::GlobalOp combine(int64_t dim);
  /// Sums of segments; `then` of these three takes what device.h says.
  mlir::LLVM::GlobalOp segmentSum(int64_t dim);
  /// One step of each segment's row. The row norm is the mean over `dim`, so the part must have all columns.
  mlir::LLVM::GlobalOp step(int64_t dim, OptimizerAttrInterface optimizer);
  /// One step of every row, with gradient 0 where no segment has it.
  mlir::LLVM::GlobalOp sweep(int64_t dim, OptimizerAttrInterface optimizer);

  // Of no class.

  mlir::LLVM::GlobalOp copyRows();
  mlir::LLVM::GlobalOp rowKeys();

  // What generated code starts itself, with enough blocks for all units. Matrices lie one behind the other and begin at
  // a multiple of 16 bytes.

  /// (offsets, weights | null, counts | null, bags, out); over bags.
  mlir::LLVM::GlobalOp bagScale();
  /// (rows, offsets, places, weights | null, counts | null, bags, out); over bags.
  mlir::LLVM::GlobalOp poolRows(int64_t dim, bool max);
  /// (gradient, rows, offsets, places, weights | null, counts | null, bags, count of rows, out); over rows.
  mlir::LLVM::GlobalOp poolRowsGrad(int64_t dim, bool max);
  /// (samples, out, inputs ...); over samples.
  mlir::LLVM::GlobalOp dotInteraction(int64_t inputs, int64_t dim, bool self);
  /// (samples, gradient, inputs ..., results ...); over samples.
  mlir::LLVM::GlobalOp dotInteractionGrad(int64_t inputs, int64_t dim, bool self);

  /// Units of work of a block of a kernel.
  int64_t unitsOf(mlir::LLVM::GlobalOp record);

private:
  using Emit = llvm::function_ref<void(KernelBuilder &)>;
  /// The record of the kernel of that name and class, emitted if it is new. Classes that would share a name get a
  /// number behind it.
  mlir::LLVM::GlobalOp get(const std::string &name, mlir::Attribute distinction, llvm::StringRef arguments,
                           int32_t threads, Emit emit);
  mlir::LLVM::GlobalOp splitLookup(const LookupClass &, const Schedule &);
  /// A kernel that sums pieces of split segments, and `finish` behind it; both are of this class alone, since a record
  /// names one finishing kernel.
  mlir::LLVM::GlobalOp finishedSegments(const std::string &name, int64_t dim, mlir::Attribute distinction,
                                        llvm::StringRef arguments, Emit finish);

  mlir::ModuleOp module;
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Attribute>, mlir::LLVM::GlobalOp> built;
};

} // namespace sparsec::codegen::device
