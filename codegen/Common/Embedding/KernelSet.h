// What the lowerings of embedding ops ask of a target: its class kernels, and the launches of those that generated code
// starts itself.
//
// A class is what changes the code: the row's width, weighted or not, the optimizer with its hyper-parameters. Tables,
// counts and pointers are run-time data, so a plan with thousands of ranks needs no more kernels than one with two.
#pragma once
#include "dialect/Interfaces/SparsecInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>
#include <memory>

namespace sparsec::codegen {

/// Of rows as they lie in memory; sums are of f32.
enum class RowElement { f32, f16, bf16 };
struct LookupClass {
  int64_t dim = 0;
  bool weighted = false; // false: weights are never looked at
  double bagLength = 0;  // declared mean ids of a bag; 0: not known
  RowElement element = RowElement::f32;
  bool operator==(const LookupClass &) const = default;
};
/// Lookups of one class that an entry point does, with full batches: they share a launch.
struct ExpectedLookups {
  LookupClass of;
  double bags = 0;
  int64_t tables = 0; // how many lookups
  double rows = 0;    // of the largest table, as this rank has it
};
/// `inputs` matrices [samples, dim]; with `self`, pairs (i, i) too.
struct InteractionShape {
  int64_t inputs, dim;
  bool self;
};

class KernelSet {
public:
  virtual ~KernelSet() = default;

  /// Called before anything is asked for: of each class as the entry point with most bags has it.
  virtual void expect(llvm::ArrayRef<ExpectedLookups>) {}

  // What items and updates of abi.h point to: the symbol of a function of this processor or of a SparsecKernel.

  virtual mlir::FlatSymbolRefAttr lookup(const LookupClass &) = 0;
  virtual mlir::FlatSymbolRefAttr combine(int64_t dim) = 0;
  virtual mlir::FlatSymbolRefAttr segmentSum(int64_t dim) = 0;
  /// One step of each segment's row. The row norm is the mean over `dim`, so the part must have all columns.
  virtual mlir::FlatSymbolRefAttr step(int64_t dim, OptimizerAttrInterface optimizer) = 0;
  /// One step of every row, with gradient 0 where no segment has it.
  virtual mlir::FlatSymbolRefAttr sweep(int64_t dim, OptimizerAttrInterface optimizer) = 0;

  // Work of this rank alone. Matrices are addresses of floats, bags (`ids`, `at`) pointers to SparsecJagged, counts
  // index values.

  /// out [bags]: 1 / max(count, 1), or 1 / sum of weights (0 where that is 0).
  virtual void bagScale(mlir::ImplicitLocOpBuilder &, mlir::Value ids, mlir::Value bags, mlir::Value out) = 0;
  /// rows [.., dim], `at` bags of places in rows, out [bags, dim]: component-wise maximum or weighted sum.
  virtual void poolRows(mlir::ImplicitLocOpBuilder &, int64_t dim, bool max, mlir::Value rows, mlir::Value at,
                        mlir::Value bags, mlir::Value out) = 0;
  /// Its adjoint: gradient [bags, dim], rows [count, dim], out [count, dim].
  virtual void poolRowsGrad(mlir::ImplicitLocOpBuilder &, int64_t dim, bool max, mlir::Value gradient, mlir::Value rows,
                            mlir::Value at, mlir::Value count, mlir::Value out) = 0;
  // These two say so where there are more inputs than the target's kernels take.

  /// out [samples, pairs]
  virtual mlir::LogicalResult dotInteraction(mlir::ImplicitLocOpBuilder &, const InteractionShape &,
                                             mlir::ValueRange inputs, mlir::Value samples, mlir::Value out) = 0;
  /// gradient [samples, pairs], results like inputs.
  virtual mlir::LogicalResult dotInteractionGrad(mlir::ImplicitLocOpBuilder &, const InteractionShape &,
                                                 mlir::Value gradient, mlir::ValueRange inputs, mlir::Value samples,
                                                 mlir::ValueRange results) = 0;
};

using MakeKernelSet = std::function<std::unique_ptr<KernelSet>(mlir::ModuleOp)>;

} // namespace sparsec::codegen
