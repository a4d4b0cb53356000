// The generated lookup beside a hand-written gather of as many rows, in turns and in CPU time: bytes/s of rows read.
#include "test/benchmark/Rows.h"
#include "test/benchmark/Turns.h"
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>

using namespace sparsec::benchmarks;
using namespace sparsec::codegen;

namespace {

constexpr int64_t tableBytes = int64_t(1) << 30, ids = 80 * 1024, turns = 25;

/// A table too big for most caches, and random bags of one length. Every run has ids of its own, so that no row is in a
/// cache because the run before it was there.
struct Work {
  int64_t rows, bags;
  std::vector<float> table, out;
  std::vector<int64_t> offsets;
  std::vector<std::vector<int64_t>> values;

  Work(int64_t dim, int64_t bag)
      : rows(tableBytes / 4 / dim), bags(ids / bag), table(rows * dim, 1.0f), out(bags * dim) {
    std::mt19937_64 random(1);
    for (int64_t b = 0; b <= bags; ++b)
      offsets.push_back(b * bag);
    values.resize(2 * (turns + 1), std::vector<int64_t>(ids));
    for (auto &run : values)
      for (int64_t &id : run)
        id = int64_t(random() % uint64_t(rows));
  }
  const std::vector<int64_t> &next() { return values[at++ % values.size()]; }

private:
  size_t at = 0;
};

template <int64_t dim> void lookup(benchmark::State &state) {
  Work w(dim, state.range(0));
  KernelRunner runner;
  runner.kernels().lookup(dim, false);
  runner.compile();
  auto kernel = runner.get<SparsecLookupKernel>("lookup_sum_d" + std::to_string(dim));
  auto ours = [&] {
    SparsecLookup argument{w.offsets.data(), w.next().data(), nullptr, w.table.data(), 0, w.out.data()};
    kernel(&argument, 0, w.bags);
  };
  auto peer = [&] { gather<dim>(w.table.data(), w.next(), w.offsets, w.out.data()); };
  inTurns(state, "bytes/s", double(ids * dim) * 4, 1, ours, peer);
}

} // namespace

#define LOOKUP(dim) BENCHMARK(lookup<dim>)->Name("lookup/" #dim)->ArgName("bag")->UseManualTime()->Iterations(turns)

LOOKUP(16)->Arg(1)->Arg(20);
LOOKUP(64)->Arg(20);
LOOKUP(128)->Arg(20);
