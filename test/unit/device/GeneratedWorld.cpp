// The kernels that the compiler makes, in place of those by hand: the engine's lists against what really reads them.
#include "DeviceWorld.h"
#include "dialect/Rec/Rec.h"
#include "test/unit/gpu/GpuRunner.h"
#include <map>

namespace sparsec::test {

namespace {

using codegen::device::GpuRunner;

class Generated {
public:
  Generated() {
    mlir::Builder b(&runner.context());
    auto number = [&](double value) { return b.getF64FloatAttr(value); };
    // Learning rates come from the tests, which know these formulas by heart.
    auto sgd = rec::SgdAttr::get(&runner.context(), number(1));
    auto adagrad = rec::RowWiseAdaGradAttr::get(&runner.context(), number(1), number(1e-4), number(0.25), {});
    for (int64_t dim : dims) {
      runner.kernels().lookup(dim, /*weighted=*/true, split(dim));
      runner.kernels().combine(dim);
      runner.kernels().segmentSum(dim);
      runner.kernels().step(dim, sgd);
      runner.kernels().step(dim, adagrad);
    }
    runner.kernels().copyRows();
    runner.kernels().rowKeys();
    runner.compile();
    for (int64_t dim : dims)
      classes[dim] = classesOf(dim);
    general[SPARSEC_KERNEL_COPY_ROWS] = &runner.kernel("copy_rows");
    general[SPARSEC_KERNEL_ROW_KEYS] = &runner.kernel("row_keys");
  }

  std::map<int64_t, Kernels> classes; // by dim
  const SparsecKernel *general[SPARSEC_KERNELS];

private:
  /// Sweeps stay those by hand: no optimizer has the formula of the tests.
  Kernels classesOf(int64_t dim) {
    std::string d = "_d" + std::to_string(dim);
    Kernels kernels = handKernels(dim);
    kernels.lookup.device = &runner.kernel("lookup_sum" + d + "_weighted" + (split(dim) ? "_split" : ""));
    kernels.combine.device = &runner.kernel("combine" + d);
    kernels.sum.device = &runner.kernel("segment_sum" + d);
    kernels.sgd.device = &runner.kernel("step_sgd" + d);
    kernels.adagrad.device = &runner.kernel("step_row_wise_adagrad" + d);
    return kernels;
  }
  static constexpr int64_t dims[] = {1, 2, 3, 8, 16, 128};
  static bool split(int64_t dim) { return dim % 2 == 0; }
  GpuRunner runner;
};

Generated &generated() {
  static Generated made;
  return made;
}

} // namespace

Kernels deviceKernels(int64_t dim) { return generated().classes.at(dim); }
const SparsecKernel *const *generalKernels() { return generated().general; }

} // namespace sparsec::test
