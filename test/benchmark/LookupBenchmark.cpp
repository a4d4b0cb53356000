// The generated lookup beside a hand-written gather of the same rows: bytes/s of rows read.
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>
#include <immintrin.h>

using namespace sparsec::codegen;

namespace {

constexpr int64_t tableBytes = int64_t(1) << 30, bags = 4096;

/// A table too big for any cache, and random bags of one length. Made once for each width.
struct Work {
  int64_t dim, rows, bag;
  std::vector<float> table, out;
  std::vector<int64_t> offsets, values;

  Work(int64_t dim, int64_t bag)
      : dim(dim), rows(tableBytes / 4 / dim), bag(bag), table(rows * dim, 1.0f), out(bags * dim) {
    std::mt19937_64 random(1);
    offsets.push_back(0);
    for (int64_t b = 0; b < bags; ++b) {
      for (int64_t k = 0; k < bag; ++k)
        values.push_back(int64_t(random() % uint64_t(rows)));
      offsets.push_back(int64_t(values.size()));
    }
  }
  void count(benchmark::State &state) const {
    state.SetBytesProcessed(state.iterations() * int64_t(values.size()) * dim * 4);
  }
};

Work &work(int64_t dim, int64_t bag) {
  static std::unique_ptr<Work> current; // one at a time: a gigabyte each
  if (!current || current->dim != dim || current->bag != bag) {
    current.reset();
    current = std::make_unique<Work>(dim, bag);
  }
  return *current;
}

KernelRunner &runner() {
  static KernelRunner *made = [] {
    auto *runner = new KernelRunner;
    for (int64_t dim : {16, 32, 64, 128})
      runner->kernels().lookup(dim, false);
    runner->compile();
    return runner;
  }();
  return *made;
}

void generated(benchmark::State &state) {
  Work &w = work(state.range(0), state.range(1));
  auto kernel = runner().get<SparsecLookupKernel>("lookup_sum_d" + std::to_string(w.dim));
  SparsecLookup argument{w.offsets.data(), w.values.data(), nullptr, w.table.data(), 0, w.out.data()};
  for (auto _ : state)
    kernel(&argument, 0, bags);
  w.count(state);
}

/// What a person would write for one width: rows prefetched 16 ahead, sums kept in registers.
template <int64_t dim> void gather(const Work &w, float *out) {
  const float *table = w.table.data();
  const int64_t *ids = w.values.data(), ahead = 16, last = int64_t(w.values.size()) - 1;
  for (int64_t b = 0; b < bags; ++b) {
    __m512 sum[dim / 16];
    for (auto &s : sum)
      s = _mm512_setzero_ps();
    for (int64_t k = w.offsets[b]; k < w.offsets[b + 1]; ++k) {
      const float *next = table + ids[std::min(k + ahead, last)] * dim;
      for (int64_t c = 0; c < dim; c += 16)
        _mm_prefetch(reinterpret_cast<const char *>(next + c), _MM_HINT_T0);
      for (int64_t c = 0; c < dim / 16; ++c)
        sum[c] = _mm512_add_ps(sum[c], _mm512_loadu_ps(table + ids[k] * dim + c * 16));
    }
    for (int64_t c = 0; c < dim / 16; ++c)
      _mm512_storeu_ps(out + b * dim + c * 16, sum[c]);
  }
}

template <int64_t dim> void handWritten(benchmark::State &state) {
  Work &w = work(dim, state.range(1));
  for (auto _ : state)
    gather<dim>(w, w.out.data());
  w.count(state);
}

} // namespace

BENCHMARK(generated)->Name("generated/16x20")->Args({16, 20})->UseRealTime();
BENCHMARK(handWritten<16>)->Name("hand-written/16x20")->Args({16, 20})->UseRealTime();
BENCHMARK(generated)->Name("generated/16x1")->Args({16, 1})->UseRealTime();
BENCHMARK(handWritten<16>)->Name("hand-written/16x1")->Args({16, 1})->UseRealTime();
BENCHMARK(generated)->Name("generated/64x20")->Args({64, 20})->UseRealTime();
BENCHMARK(handWritten<64>)->Name("hand-written/64x20")->Args({64, 20})->UseRealTime();
BENCHMARK(generated)->Name("generated/128x20")->Args({128, 20})->UseRealTime();
BENCHMARK(handWritten<128>)->Name("hand-written/128x20")->Args({128, 20})->UseRealTime();
