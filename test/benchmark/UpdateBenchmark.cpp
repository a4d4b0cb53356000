// Row updates: sort of ids, segment sums, one AdaGrad step for each touched row; beside a plain read-modify-write of
// as many rows and state in the order of the ids. In turns and in CPU time; bytes/s of rows and state, read and
// written.
#include "dialect/Rec/Rec.h"
#include "sparsec/Sort.h"
#include "test/benchmark/Rows.h"
#include "test/benchmark/Turns.h"
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>
#include <set>

using namespace sparsec;
using namespace sparsec::benchmarks;
using namespace sparsec::codegen;

namespace {

constexpr int64_t rows = int64_t(1) << 21, ids = int64_t(1) << 16, turns = 25;

/// Every run has ids of its own, so that no row is in a cache because the run before it was there.
struct Work {
  std::vector<float> weight, state, gradient;
  std::vector<std::vector<uint64_t>> keys;
  explicit Work(int64_t dim) : weight(rows * dim, 1), state(rows * dim, 1), gradient(ids * dim, 1e-3f) {
    std::mt19937_64 random(1);
    keys.resize(2 * (turns + 1), std::vector<uint64_t>(ids));
    for (auto &run : keys)
      for (uint64_t &key : run)
        key = random() % rows;
  }
  const std::vector<uint64_t> &next() { return keys[at++ % keys.size()]; }

private:
  size_t at = 0;
};

template <int64_t dim> void update(benchmark::State &state) {
  Work w(dim);
  KernelRunner runner;
  mlir::Builder b(&runner.context());
  runner.context().loadDialect<rec::RecDialect>();
  auto number = [&](double x) { return b.getF64FloatAttr(x); };
  auto optimizer = rec::AdaGradAttr::get(&runner.context(), number(0.05), number(1e-8), number(0));
  std::string name = runner.kernels().step(dim, optimizer).getName().str();
  runner.compile();
  auto kernel = runner.get<SparsecSegmentKernel>(name);
  std::vector<uint64_t> keys(ids), scratchKeys(ids);
  std::vector<int64_t> order(ids), scratch(ids), start(ids + 1);
  std::vector<uint64_t> unique(ids);
  std::vector<const float *> gradients(ids);
  std::vector<int64_t> touched(ids);
  float *fields[] = {w.weight.data(), w.state.data()};
  double distinct = double(std::set(w.keys[0].begin(), w.keys[0].end()).size()); // about as many in every run
  auto ours = [&] {
    keys = w.next();
    for (int64_t i = 0; i < ids; ++i)
      order[i] = i;
    auto sorted = sortPairs<int64_t>(keys.data(), order.data(), ids, rows - 1, scratchKeys.data(), scratch.data());
    int64_t segments = findSegments(sorted.keys, ids, unique.data(), start.data());
    for (int64_t i = 0; i < ids; ++i)
      gradients[i] = w.gradient.data() + sorted.values[i] * dim;
    for (int64_t i = 0; i < segments; ++i)
      touched[i] = int64_t(unique[i]);
    SparsecSegments work{};
    work.segments = segments;
    work.rows = touched.data();
    work.start = start.data();
    work.gradient = gradients.data();
    work.field = fields;
    work.lr = work.scale = 1;
    work.step = 1;
    kernel(&work, 0, segments);
  };
  auto peer = [&] {
    std::span touched(reinterpret_cast<const int64_t *>(w.next().data()), ids);
    readModifyWrite<dim>(w.weight.data(), touched);
    readModifyWrite<dim>(w.state.data(), touched);
  };
  inTurns(state, "bytes/s", distinct * dim * 4 * 4, 1, ours, peer); // weight and state, in and out
}

} // namespace

#define UPDATE(dim) BENCHMARK(update<dim>)->Name("update/" #dim)->UseManualTime()->Iterations(turns)

UPDATE(16);
UPDATE(64);
UPDATE(128);
