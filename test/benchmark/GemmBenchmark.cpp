// GEMM in blocks cut by shape, with bias and relu, on one thread, beside one
// plain oneDNN call of the same shape without them. Both are timed in turns, in
// CPU time of the thread, so that what else the machine does falls on both:
// `ratio` (ours over plain) is the median of the pairs.
#include "sparsec/Gemm.h"
#include "sparsec/abi.h"
#include "test/benchmark/Turns.h"
#include <benchmark/benchmark.h>
#include <dnnl.h>
#include <vector>

using namespace sparsec;
using namespace sparsec::benchmarks;

extern "C" void omp_set_num_threads(int); // of libgomp, which oneDNN brings

static void gemm(benchmark::State &state, bool transposeA, bool transposeB) {
  int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  std::vector<float> a(m * k, 1), b(n * k, 1), c(m * n), bias(n, 1);
  ThreadPool pool(1);
  Gemm gemm(pool);
  omp_set_num_threads(1);
  int32_t flags = (transposeA ? SPARSEC_GEMM_TRANSPOSE_A : 0) | (transposeB ? SPARSEC_GEMM_TRANSPOSE_B : 0);
  auto ours = [&] {
    if (!gemm.run(flags | SPARSEC_GEMM_RELU, m, n, k, a.data(), b.data(), bias.data(), c.data()).ok())
      state.SkipWithError("gemm failed");
  };
  auto plain = [&] {
    dnnl_sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, 1, a.data(), transposeA ? m : k, b.data(),
               transposeB ? k : n, 0, c.data(), n);
  };
  double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
  int64_t times = std::max<int64_t>(1, static_cast<int64_t>(1e8 / flops)); // a millisecond or more
  inTurns(state, "flop/s", flops, times, ours, plain);
}

#define SHAPES(...) ->ArgNames({"m", "n", "k"}) __VA_ARGS__->UseManualTime()->Iterations(25)

BENCHMARK_CAPTURE(gemm, forward, false, true) // x Wᵀ
SHAPES(->Args({2048, 512, 13})
           ->Args({2048, 256, 512})
           ->Args({2048, 512, 512})
           ->Args({2048, 1024, 1024})
           ->Args({256, 512, 512}));
BENCHMARK_CAPTURE(gemm, gradient of x, false, false) // g W
SHAPES(->Args({2048, 512, 256})->Args({2048, 512, 512})->Args({2048, 1024, 1024}));
BENCHMARK_CAPTURE(gemm, gradient of W, true, false) // gᵀ x
SHAPES(->Args({512, 13, 2048})->Args({256, 512, 2048})->Args({512, 512, 2048})->Args({1024, 1024, 2048}));
