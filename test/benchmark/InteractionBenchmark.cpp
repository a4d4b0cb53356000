// The generated dot interaction and its gradient (27 inputs, 2,048 samples) beside the multiply-adds a core can do.
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>

using namespace sparsec::codegen;

namespace {

constexpr int64_t inputs = 27, samples = 2048, pairs = inputs * (inputs - 1) / 2;

KernelRunner &runner() {
  static KernelRunner *made = [] {
    auto *runner = new KernelRunner;
    for (int64_t dim : {16, 64, 128}) {
      runner->kernels().dotInteraction(inputs, dim, false);
      runner->kernels().dotInteractionGrad(inputs, dim, false);
    }
    runner->compile();
    return runner;
  }();
  return *made;
}

void rate(benchmark::State &state, double operations) {
  state.counters["FLOP/s"] = benchmark::Counter(double(state.iterations()) * operations, benchmark::Counter::kIsRate);
}

/// `operations` of one pair and column: a multiply-add forward, two backward.
void generated(benchmark::State &state, const std::string &kernel, double operations) {
  int64_t dim = state.range(0);
  std::vector<float> products(samples * pairs, 0.5f);
  std::vector<std::vector<float>> matrices(2 * inputs, std::vector<float>(samples * dim, 0.5f));
  std::vector<void *> argument{products.data()};
  for (auto &matrix : matrices)
    argument.push_back(matrix.data());
  auto body = runner().get<SparsecBody>(kernel + "_n27_d" + std::to_string(dim));
  for (auto _ : state)
    body(argument.data(), 0, samples);
  rate(state, operations * double(samples * pairs * dim));
}
void forward(benchmark::State &state) { generated(state, "dot_interaction", 2); }
void gradient(benchmark::State &state) { generated(state, "dot_interaction_grad", 4); }

/// Of one register.
#if defined(__AVX512F__)
constexpr int64_t lanes = 16;
#elif defined(__AVX__)
constexpr int64_t lanes = 8;
#else
constexpr int64_t lanes = 4;
#endif

void multiplyAdds(benchmark::State &state) {
  constexpr int64_t chains = 12, rounds = 4096; // chains enough to hide the latency of one, few enough for registers
  typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
  Vector sums[chains] = {}, factor = Vector{} + 0.999f;
  benchmark::DoNotOptimize(factor);
  for (auto _ : state) {
    for (int64_t i = 0; i < rounds; ++i)
      for (Vector &sum : sums)
        sum = sum * factor + factor;
    benchmark::DoNotOptimize(sums);
  }
  rate(state, 2.0 * double(lanes * chains * rounds));
}

} // namespace

BENCHMARK(multiplyAdds)->Name("multiply-adds");
BENCHMARK(forward)->Name("forward")->Arg(16)->Arg(64)->Arg(128);
BENCHMARK(gradient)->Name("gradient")->Arg(16)->Arg(64)->Arg(128);
