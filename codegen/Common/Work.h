// What a call of the runtime works on, said by the lowering that makes it: the figures of `--emit=roofline`.
//
// A discardable attribute that changes no code: a list with an entry for each class of kernels that the call runs (or a
// single one without a name, where the call itself names its kernel or has none). Figures are of one rank, with a full
// batch and features of the lengths that the description declares, the mean over ranks. What is 0 is left out.
//
//   llvm.call @sparsec_lookup_local(%context, %items, %n)
//     {sparsec.work = [{bytes = 7667712. : f64, flops = 851968. : f64, items = 26. : f64, kernel =
//     @kernel.lookup_sum_d16}]}
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace sparsec::codegen {

inline constexpr llvm::StringLiteral workAttr = "sparsec.work";

struct Work {
  mlir::FlatSymbolRefAttr kernel; // of the class, as items and updates of abi.h name it; or null
  double bytes = 0;               // read and written, each once; of collectives, sent
  double flops = 0;
  double ids = 0;   // occurrences of rows that are sorted first
  double items = 0; // of embedding ops: how many it does at once, each a launch where nothing is fused
};

/// One entry for each kernel: figures of entries with the same one are added.
void setWork(mlir::Operation *call, llvm::ArrayRef<Work> works);
/// The same for the call that was made last before the builder's place, if there is one: who asked for a kernel does
/// not see its call.
void setWorkOfLast(mlir::OpBuilder &, const Work &);
llvm::SmallVector<Work> workOf(mlir::Operation *call);

} // namespace sparsec::codegen
