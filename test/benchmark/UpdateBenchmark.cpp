// Row updates: sort of ids, segment sums, one AdaGrad step for each touched row; beside a plain read-modify-write of
// the same rows and state in the order of the ids. Bytes/s of rows and state, read and written.
#include "dialect/Rec/Rec.h"
#include "sparsec/Sort.h"
#include "test/unit/kernels/KernelRunner.h"
#include <benchmark/benchmark.h>

using namespace sparsec;
using namespace sparsec::codegen;

namespace {

constexpr int64_t rows = int64_t(1) << 21, ids = int64_t(1) << 16;

struct Work {
  int64_t dim;
  std::vector<float> weight, state, gradient;
  std::vector<uint64_t> keys;
  explicit Work(int64_t dim) : dim(dim), weight(rows * dim, 1), state(rows * dim, 1), gradient(ids * dim, 1e-3f) {
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < ids; ++i)
      keys.push_back(random() % rows);
  }
};

void count(benchmark::State &state, int64_t touched, int64_t dim) {
  state.SetBytesProcessed(state.iterations() * touched * dim * 4 * 4); // weight and state, in and out
}

void update(benchmark::State &state) {
  int64_t dim = state.range(0);
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
  int64_t segments = 0;
  for (auto _ : state) {
    keys = w.keys;
    for (int64_t i = 0; i < ids; ++i)
      order[i] = i;
    auto sorted = sortPairs<int64_t>(keys.data(), order.data(), ids, rows - 1, scratchKeys.data(), scratch.data());
    segments = findSegments(sorted.keys, ids, unique.data(), start.data());
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
  }
  count(state, segments, dim);
}

void readModifyWrite(benchmark::State &state) {
  int64_t dim = state.range(0);
  Work w(dim);
  for (auto _ : state)
    for (int64_t i = 0; i < ids; ++i) {
      float *weight = w.weight.data() + w.keys[i] * dim, *sum = w.state.data() + w.keys[i] * dim;
      const float *gradient = w.gradient.data() + i * dim;
      for (int64_t c = 0; c < dim; ++c) {
        sum[c] += gradient[c];
        weight[c] -= gradient[c];
      }
    }
  count(state, ids, dim);
}

} // namespace

BENCHMARK(update)->Arg(16)->Arg(64)->Arg(128)->UseRealTime();
BENCHMARK(readModifyWrite)->Name("read-modify-write")->Arg(16)->Arg(64)->Arg(128)->UseRealTime();
