// GEMM in blocks cut by shape, on one thread, beside one plain oneDNN call of the same shape.
#include "sparsec/Gemm.h"
#include "sparsec/abi.h"
#include <benchmark/benchmark.h>
#include <dnnl.h>
#include <vector>

using namespace sparsec;

extern "C" void omp_set_num_threads(int); // of libgomp, which oneDNN brings

static void count(benchmark::State &state) {
  double flops = 2.0 * state.range(0) * state.range(1) * state.range(2);
  state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

static void blocks(benchmark::State &state) {
  int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  std::vector<float> a(m * k, 1), b(n * k, 1), c(m * n), bias(n, 1);
  ThreadPool pool(1);
  Gemm gemm(pool);
  for (auto _ : state)
    if (!gemm.run(SPARSEC_GEMM_TRANSPOSE_B | SPARSEC_GEMM_RELU, m, n, k, a.data(), b.data(), bias.data(), c.data()))
      state.SkipWithError("gemm failed");
  count(state);
}

static void plain(benchmark::State &state) {
  int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  std::vector<float> a(m * k, 1), b(n * k, 1), c(m * n);
  omp_set_num_threads(1);
  for (auto _ : state)
    dnnl_sgemm('N', 'T', m, n, k, 1, a.data(), k, b.data(), k, 0, c.data(), n);
  count(state);
}

#define SHAPES ArgNames({"m", "n", "k"})->Args({256, 512, 512})->Args({2048, 512, 512})->Args({2048, 256, 512})->UseRealTime()
BENCHMARK(blocks)->SHAPES;
BENCHMARK(plain)->Name("one oneDNN call")->SHAPES;
