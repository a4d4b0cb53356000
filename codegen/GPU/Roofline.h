// `--emit=roofline`: what the steps of a program cost on a GPU, before anything runs.
//
// Calls of the runtime say what they work on (codegen/Common/Work.h); here that becomes launches, as runtime/device
// makes them, and times: of each launch the longer of bytes / rate and flops / rate, and the time that a launch takes.
// A first-order model: no cache is hit, nothing overlaps, blocks fill the device.
#pragma once
#include "dialect/Rec/Cluster.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace sparsec::codegen {

enum class RowKind { kernel, product, sort, collective };
enum class Bound { memory, flops, launch, link };

/// All launches of one class of kernels, all products, or all calls of one collective.
struct RooflineRow {
  std::string name;
  RowKind kind = RowKind::kernel;
  std::string schedule = {}; // of lookups: how they are shared out, in words
  int64_t launches = 0;
  double bytes = 0, flops = 0;
  double seconds[4] = {}; // by Bound: what each alone would take
  double total = 0;       // seconds
  bool atLeast = false;   // sizes that are known at run time alone count 0
  double items = 0;       // launches if nothing were fused, of embedding ops
  Bound bound() const;
};

/// Element-wise ops and other dense ones of a step as the model has them: a launch each, operands read, results
/// written.
struct Unfused {
  int64_t samples = 0; // of a full batch of this rank
  int64_t launches = 0;
  double bytes = 0;
};
/// Of an entry point between the stages `optimize` and `codegen`.
Unfused countUnfused(mlir::func::FuncOp entry);

struct Roofline {
  std::string entry;
  std::vector<RooflineRow> rows; // in the order of the first launch
  Unfused unfused;               // of dense ops
};
/// Of an entry point whose buffers have their places.
Roofline readRoofline(mlir::func::FuncOp entry, const rec::Cluster &gpu);

void printRoofline(const Roofline &, const rec::Cluster &gpu, llvm::raw_ostream &);

class Target;
/// Of `train` and `eval` of a module behind the stage `optimize`, which is lowered.
mlir::FailureOr<std::vector<Roofline>> makeRooflines(mlir::ModuleOp, const Target &, const rec::Cluster &gpu);

} // namespace sparsec::codegen
