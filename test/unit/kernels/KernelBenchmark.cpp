// Speed of kernels beside the same loops written by hand with intrinsics (AVX-512). Not a test: run it alone on a quiet
// machine. Bytes are those of gathered rows.
#include "dialect/Rec/Rec.h"
#include "mlir/IR/Builders.h"
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>
#include <immintrin.h>

using namespace sparsec;
using namespace sparsec::codegen;

namespace {

constexpr int64_t tableFloats = int64_t(1) << 27; // 512 MB: beyond every cache
constexpr int64_t bags = 8192, length = 10;

struct Gather {
  std::vector<float> table = std::vector<float>(tableFloats, 1.0f);
  std::vector<int64_t> offsets{0}, values;
  void draw(int64_t dim) {
    std::mt19937_64 random(1);
    offsets.assign(1, 0);
    values.clear();
    for (int64_t bag = 0; bag < bags; ++bag) {
      for (int64_t k = 0; k < length; ++k)
        values.push_back(int64_t(random() % uint64_t(tableFloats / dim)));
      offsets.push_back(values.size());
    }
  }
};
Gather &gather() {
  static Gather data;
  return data;
}

OptimizerAttrInterface optimizer(mlir::MLIRContext &context) {
  mlir::Builder b(&context);
  auto number = [&](double value) { return b.getF64FloatAttr(value); };
  return rec::RowWiseAdaGradAttr::get(&context, number(0.1), number(1e-8), number(0.0));
}

KernelRunner &runner() {
  static std::unique_ptr<KernelRunner> compiled = [] {
    auto made = std::make_unique<KernelRunner>();
    for (int64_t dim : {16, 64, 128}) {
      made->kernels().lookup(dim, false);
      made->kernels().step(dim, optimizer(made->context()));
      made->kernels().dotInteraction(27, dim, false);
      made->kernels().dotInteractionGrad(27, dim, false);
    }
    made->compile();
    return made;
  }();
  return *compiled;
}

template <int vectors>
__attribute__((target("avx512f"))) void lookupByHand(const SparsecLookup *a, int64_t lo, int64_t hi) {
  constexpr int64_t dim = vectors * 16;
  int64_t last = a->offsets[hi] - 1;
  for (int64_t bag = lo; bag < hi; ++bag) {
    __m512 sum[vectors];
    for (auto &x : sum)
      x = _mm512_setzero_ps();
    for (int64_t k = a->offsets[bag]; k < a->offsets[bag + 1]; ++k) {
      const float *ahead = a->table + a->values[std::min(k + 16, last)] * dim, *row = a->table + a->values[k] * dim;
      for (int v = 0; v < vectors; ++v)
        _mm_prefetch(reinterpret_cast<const char *>(ahead + v * 16), _MM_HINT_T0);
      for (int v = 0; v < vectors; ++v)
        sum[v] = _mm512_add_ps(sum[v], _mm512_loadu_ps(row + v * 16));
    }
    for (int v = 0; v < vectors; ++v)
      _mm512_storeu_ps(a->out + bag * dim + v * 16, sum[v]);
  }
}

void lookup(benchmark::State &state, int64_t dim, SparsecLookupKernel kernel) {
  Gather &data = gather();
  data.draw(dim);
  std::vector<float> out(bags * dim);
  SparsecLookup argument{data.offsets.data(), data.values.data(), nullptr, data.table.data(), 0, out.data()};
  for (auto _ : state)
    kernel(&argument, 0, bags);
  state.SetBytesProcessed(state.iterations() * bags * length * dim * 4);
}

/// Each row occurs once or twice, in random order of the gradients, as in a batch of one-hot features.
void step(benchmark::State &state, int64_t dim) {
  Gather &data = gather();
  data.draw(dim);
  std::vector<float> gradients(bags * dim, 0.01f), moments(tableFloats / dim);
  std::vector<int64_t> rows(data.values.begin(), data.values.end()), start;
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<const float *> places;
  std::mt19937 random(1);
  for (size_t s = 0; s < rows.size(); ++s) {
    start.push_back(places.size());
    places.push_back(gradients.data() + (random() % bags) * dim);
  }
  start.push_back(places.size());
  float *fields[] = {data.table.data(), moments.data()};
  SparsecSegments argument{
      int64_t(rows.size()), rows.data(), start.data(), places.data(), nullptr, nullptr, fields, 1, 1, 1};
  auto kernel = runner().get<SparsecSegmentKernel>("step_row_wise_adagrad_d" + std::to_string(dim));
  for (auto _ : state)
    kernel(&argument, 0, argument.segments);
  state.SetBytesProcessed(state.iterations() * argument.segments * dim * 4);
}

void interaction(benchmark::State &state, int64_t dim, bool gradient) {
  constexpr int64_t inputs = 27, samples = 2048, pairs = inputs * (inputs - 1) / 2;
  std::vector<float> pairValues(samples * pairs, 0.5f);
  std::vector<std::vector<float>> matrices(2 * inputs, std::vector<float>(samples * dim, 0.5f));
  std::vector<void *> argument{pairValues.data()};
  for (auto &matrix : matrices)
    argument.push_back(matrix.data());
  auto kernel = runner().get<SparsecBody>((gradient ? "dot_interaction_grad_n27_d" : "dot_interaction_n27_d") +
                                          std::to_string(dim));
  for (auto _ : state)
    kernel(argument.data(), 0, samples);
  state.counters["GFLOP/s"] = benchmark::Counter(
      double(state.iterations()) * samples * pairs * dim * (gradient ? 4 : 2) / 1e9, benchmark::Counter::kIsRate);
}

void compiledLookup(benchmark::State &state) {
  lookup(state, state.range(0), runner().get<SparsecLookupKernel>("lookup_sum_d" + std::to_string(state.range(0))));
}
void handLookup(benchmark::State &state) {
  int64_t dim = state.range(0);
  lookup(state, dim, dim == 16 ? lookupByHand<1> : dim == 64 ? lookupByHand<4> : lookupByHand<8>);
}
BENCHMARK(compiledLookup)->Arg(16)->Arg(64)->Arg(128);
BENCHMARK(handLookup)->Arg(16)->Arg(64)->Arg(128);
void compiledStep(benchmark::State &state) { step(state, state.range(0)); }
void compiledInteraction(benchmark::State &state) { interaction(state, state.range(0), false); }
void compiledInteractionGrad(benchmark::State &state) { interaction(state, state.range(0), true); }
BENCHMARK(compiledStep)->Arg(16)->Arg(64)->Arg(128);
BENCHMARK(compiledInteraction)->Arg(16)->Arg(128);
BENCHMARK(compiledInteractionGrad)->Arg(16)->Arg(128);

} // namespace

BENCHMARK_MAIN();
