// The dot interaction and its gradient: an input for each table, and one more.
#include "test/unit/gpu/cover/Family.h"

namespace sparsec::codegen::device::cover {
namespace {

class Interaction : public Family {
public:
  Interaction() : Family("dot_interaction", {dimFactor, tablesFactor, weightsFactor}) {}
  /// The work grows with the square of the inputs: many of them only while rows are short.
  bool takes(const Case &of) const override { return of.tables() < 200 || of.dim() <= 16; }

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    return {runner.kernels().dotInteraction(of.tables() + 1, of.dim(), of.weighted()),
            runner.kernels().dotInteractionGrad(of.tables() + 1, of.dim(), of.weighted())};
  }

  static int64_t pairs(int64_t inputs, bool self) { return inputs * (inputs - 1) / 2 + (self ? inputs : 0); }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    int64_t n = problem.of.tables() + 1, samples = problem.of.batch(), floats = samples * problem.dim;
    int64_t all = samples * pairs(n, problem.of.weighted());
    float *out = device.floats(all);
    std::vector<int64_t> forward{samples, word(out)}, backward{samples, word(device.put(problem.floats(all, 4000)))};
    std::vector<float *> grads;
    for (int64_t i = 0; i < n; ++i) {
      forward.push_back(word(device.put(problem.floats(floats, i))));
      backward.push_back(forward.back());
    }
    for (int64_t i = 0; i < n; ++i) {
      grads.push_back(device.floats(floats));
      backward.push_back(word(grads.back()));
    }
    Status status = launch(device, *kernels[0], samples, forward);
    if (status)
      status = launch(device, *kernels[1], samples, backward);
    results.add(out, all);
    for (float *grad : grads)
      results.add(grad, floats);
    return status;
  }

  Expected expect(const Problem &problem) const override {
    bool self = problem.of.weighted();
    int64_t n = problem.of.tables() + 1, samples = problem.of.batch(), dim = problem.dim;
    std::vector<float> gradient = problem.floats(samples * pairs(n, self), 4000);
    std::vector<std::vector<float>> inputs;
    for (int64_t i = 0; i < n; ++i)
      inputs.push_back(problem.floats(samples * dim, i));
    Expected expected;
    std::vector<ExactSum> grads(n * samples * dim);
    size_t pair = 0;
    for (int64_t s = 0; s < samples; ++s)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i + self; ++j, ++pair) {
          ExactSum sum;
          for (int64_t c = s * dim; c < (s + 1) * dim; ++c) {
            sum.add(inputs[i][c], inputs[j][c]);
            grads[i * samples * dim + c].add(gradient[pair], inputs[j][c]);
            grads[j * samples * dim + c].add(gradient[pair], inputs[i][c]);
          }
          expected.add(sum.sum, sum.tolerance());
        }
    for (const ExactSum &grad : grads)
      expected.add(grad.sum, grad.tolerance());
    return expected;
  }

private:
  static Status launch(TestDevice &device, const SparsecKernel &kernel, int64_t samples,
                       const std::vector<int64_t> &words) {
    if (kernel.arguments != int32_t(words.size()))
      return Status::error("the kernel takes another number of arguments");
    return device.place->launch(kernel, (samples + kernel.units - 1) / kernel.units, words.data());
  }
};

} // namespace

Families interactionFamilies() {
  static const Interaction interaction;
  return {&interaction};
}

} // namespace sparsec::codegen::device::cover
