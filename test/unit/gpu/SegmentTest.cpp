// Segment sums, optimizer steps and sweeps of a device against formulas in double precision, in every order of fibers.
#include "codegen/GPU/KernelNames.h"
#include "test/unit/gpu/GpuRunner.h"
#include "test/unit/kernels/OptimizerReference.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

const int64_t dims[] = {1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 129, 256, 1023, 1024, 2048};

/// Sorted occurrences of rows of three updates, between those of other classes; one row occurs everywhere.
struct Problem {
  int64_t dim, from, to, rows[3] = {23, 1, 40};
  std::vector<uint64_t> keys;
  std::vector<uint32_t> order;
  std::vector<float> gradients, weights;
  std::vector<int64_t> rowOf; // of each place: which gradient row
  std::vector<std::vector<float>> fields[3];
  std::vector<int64_t> width;

  static uint64_t keyOf(int64_t update) { return uint64_t(1000 * update + 100); }

  Problem(int64_t dim, OptimizerAttrInterface optimizer, std::mt19937 &random, bool any = true) : dim(dim) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    auto floats = [&](int64_t n) {
      std::vector<float> values(n);
      for (float &value : values)
        value = uniform(random);
      return values;
    };
    std::vector<uint64_t> unsorted;
    for (int i = 0; i < 9; ++i)
      unsorted.push_back(i < 5 ? 7 : 9000);
    for (int i = 0; any && i < 150; ++i) {
      int64_t update = random() % 3;
      unsorted.push_back(keyOf(update) + random() % uint64_t(rows[update]));
    }
    for (int i = 0; any && i < 200; ++i)
      unsorted.push_back(keyOf(2) + 7);
    std::shuffle(unsorted.begin(), unsorted.end(), random);
    for (uint32_t i = 0; i < unsorted.size(); ++i)
      order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return unsorted[x] < unsorted[y]; });
    for (uint32_t place : order)
      keys.push_back(unsorted[place]);
    from = 5;
    to = int64_t(keys.size()) - 4;
    gradients = floats(30 * dim);
    weights = floats(int64_t(keys.size()));
    for (size_t i = 0; i < keys.size(); ++i)
      rowOf.push_back(random() % 30);
    width.push_back(dim);
    if (optimizer)
      for (const OptimizerState &state : optimizer.getStates())
        width.push_back(state.perRow ? 1 : dim);
    for (int64_t u = 0; u < 3; ++u)
      for (int64_t w : width) {
        fields[u].push_back(floats(rows[u] * w));
        if (fields[u].size() > 1)
          for (float &x : fields[u].back())
            x = std::abs(x);
      }
  }

  int64_t chunks(int64_t chunk) const { return (to - from + chunk - 1) / chunk; }
  /// In double precision, by (update, row).
  std::map<std::pair<int64_t, int64_t>, std::vector<double>> sums() const {
    std::map<std::pair<int64_t, int64_t>, std::vector<double>> result;
    for (int64_t k = from; k < to; ++k) {
      int64_t update = int64_t(keys[k]) / 1000;
      std::vector<double> &sum = result[{update, int64_t(keys[k] - keyOf(update))}];
      sum.resize(dim);
      for (int64_t c = 0; c < dim; ++c)
        sum[c] += double(weights[order[k]]) * gradients[rowOf[order[k]] * dim + c];
    }
    return result;
  }
};

/// A problem on a device.
struct Placed {
  TestDevice device;
  const Problem &problem;
  SparsecSorted *sorted;
  float *fields[3][SPARSEC_MAX_FIELDS] = {};

  explicit Placed(const Problem &problem, EmulationOrder order, int64_t shift = 0) : problem(problem) {
    device.emulator.setOrder(order);
    std::vector<float> gradients(shift, NAN); // gradient rows may lie at any multiple of 4 bytes
    gradients.insert(gradients.end(), problem.gradients.begin(), problem.gradients.end());
    const float *rows = device.put(gradients) + shift;
    std::vector<const float *> places;
    for (int64_t row : problem.rowOf)
      places.push_back(rows + row * problem.dim);
    for (size_t k = 0; k < problem.keys.size(); ++k) // what is of other classes is not to be read
      if (int64_t(k) < problem.from || int64_t(k) >= problem.to)
        places[problem.order[k]] = nullptr;
    sorted =
        device.put(std::vector<SparsecSorted>{{device.put(problem.keys), device.put(problem.order), device.put(places),
                                               device.put(problem.weights), problem.from, problem.to}});
    for (int64_t u = 0; u < 3; ++u)
      for (size_t f = 0; f < problem.width.size(); ++f)
        fields[u][f] = device.put(problem.fields[u][f]);
  }
  std::vector<SparsecUpdateEntry> list() const {
    std::vector<SparsecUpdateEntry> list;
    int64_t first = 0;
    for (int64_t u = 0; u < 3; ++u) {
      list.push_back({first, int64_t(Problem::keyOf(u)), problem.rows[u], {}});
      std::copy(fields[u], fields[u] + SPARSEC_MAX_FIELDS, list.back().field);
      first += problem.rows[u];
    }
    list.push_back({first, 0, 0, {}});
    return list;
  }
  Status sumPieces(const SparsecKernel &kernel, float *partial) {
    return device.run(kernel, problem.chunks(kernel.chunk), sorted, partial);
  }
  Status step(const SparsecKernel &kernel, int64_t units) {
    float *partial = device.floats(problem.chunks(kernel.chunk) * 2 * problem.dim);
    if (Status status = sumPieces(kernel, partial); !status)
      return status;
    return device.run(*kernel.then, units, device.put(list()), int64_t(3), sorted, partial,
                      device.put(std::vector<SparsecHyper>{{0.5f, 2.0f, 7}}));
  }
  std::vector<float> everything() const {
    std::vector<float> all;
    for (int64_t u = 0; u < 3; ++u)
      for (size_t f = 0; f < problem.width.size(); ++f)
        all.insert(all.end(), fields[u][f], fields[u][f] + problem.rows[u] * problem.width[f]);
    return all;
  }
  /// Compares with one step of the rows that have a gradient, or of all rows.
  void expectStep(const std::string &rule, bool all) const {
    auto sums = problem.sums();
    for (int64_t u = 0; u < 3; ++u)
      for (int64_t row = 0; row < problem.rows[u]; ++row) {
        std::vector<std::vector<double>> now;
        for (size_t f = 0; f < problem.width.size(); ++f) {
          auto begin = problem.fields[u][f].begin() + row * problem.width[f];
          now.emplace_back(begin, begin + problem.width[f]);
        }
        auto found = sums.find({u, row});
        if (all || found != sums.end()) {
          std::vector<double> g = found != sums.end() ? found->second : std::vector<double>(problem.dim);
          for (double &x : g)
            x *= 2.0; // scale
          std::vector<std::vector<double>> states(now.begin() + 1, now.end());
          reference(rule, 0.5, 7, g, now[0], states);
          std::copy(states.begin(), states.end(), now.begin() + 1);
        }
        for (size_t f = 0; f < problem.width.size(); ++f)
          for (int64_t c = 0; c < problem.width[f]; ++c)
            ASSERT_NEAR(fields[u][f][row * problem.width[f] + c], now[f][c], 2e-5 * std::max(1.0, std::abs(now[f][c])))
                << "update " << u << ", field " << f << ", row " << row << ", column " << c;
      }
  }
};

class GpuSegments : public testing::TestWithParam<int64_t> {
protected:
  static void SetUpTestSuite() {
    runner = new GpuRunner;
    for (size_t d = 0; d < std::size(dims); ++d) {
      remember("segment_sum", dims[d], runner->kernels().segmentSum(dims[d]));
      for (const char *rule : rules)
        remember(std::string("step_") + rule, dims[d],
                 runner->kernels().step(dims[d], optimizer(runner->context(), rule)));
      const char *rule = rules[d % std::size(rules)];
      remember(std::string("sweep_") + rule, dims[d],
               runner->kernels().sweep(dims[d], optimizer(runner->context(), rule)));
    }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  const SparsecKernel &kernel(const std::string &what) { return runner->kernel(names.at({what, dim})); }
  static void remember(const std::string &what, int64_t dim, mlir::LLVM::GlobalOp record) {
    names[{what, dim}] = record.getSymName().drop_front(recordName("").size()).str();
  }
  static std::map<std::pair<std::string, int64_t>, std::string> names; // of kernels

  void step(const std::string &rule, bool sweep, bool any) {
    SCOPED_TRACE(rule);
    std::mt19937 random(dim);
    Problem problem(dim, optimizer(runner->context(), rule), random, any);
    std::vector<float> first;
    for (EmulationOrder order : orders()) {
      Placed placed(problem, order);
      Status status =
          placed.step(kernel((sweep ? "sweep_" : "step_") + rule), sweep ? 23 + 1 + 40 : problem.to - problem.from);
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<float> now = placed.everything();
      if (first.empty()) {
        placed.expectStep(rule, sweep);
        first = now;
      }
      ASSERT_EQ(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)), 0) << "order " << order.kind;
    }
  }
  static GpuRunner *runner;
  int64_t dim = GetParam();
};
GpuRunner *GpuSegments::runner = nullptr;
std::map<std::pair<std::string, int64_t>, std::string> GpuSegments::names;

TEST_P(GpuSegments, StepTouchedRows) {
  for (const char *rule : rules)
    step(rule, false, true);
}
TEST_P(GpuSegments, SweepAllRows) {
  const char *rule = rules[(std::find(std::begin(dims), std::end(dims), dim) - std::begin(dims)) % std::size(rules)];
  step(rule, true, true);
  step(rule, true, false);
}

TEST_P(GpuSegments, Sums) {
  std::mt19937 random(dim);
  Problem problem(dim, {}, random);
  auto sums = problem.sums();
  std::vector<float> first;
  for (EmulationOrder order : orders())
    for (int64_t shift : {0, 1}) {
      Placed placed(problem, order, shift);
      const SparsecKernel &sum = kernel("segment_sum");
      std::vector<uint32_t> run;
      uint32_t firstRun[4] = {};
      for (size_t k = 0; k < problem.keys.size(); ++k) {
        run.push_back(k == 0 ? 0 : run.back() + (problem.keys[k] != problem.keys[k - 1]));
        int64_t update = int64_t(problem.keys[k]) / 1000;
        if (int64_t(k) >= problem.from && int64_t(k) < problem.to &&
            (int64_t(k) == problem.from || int64_t(problem.keys[k - 1]) / 1000 != update))
          firstRun[update] = run.back();
      }
      std::vector<SparsecSumEntry> list;
      for (int64_t u = 0; u < 3; ++u)
        list.push_back({int64_t(Problem::keyOf(u)), 500, firstRun[u],
                        placed.device.put(std::vector<int64_t>(problem.rows[u], -1)),
                        placed.device.floats(problem.rows[u] * dim)});
      float *partial = placed.device.floats(problem.chunks(sum.chunk) * 2 * dim);
      ASSERT_TRUE(placed.sumPieces(sum, partial).ok());
      Status status = placed.device.run(*sum.then, problem.to - problem.from, placed.device.put(list), int64_t(3),
                                        placed.sorted, partial, placed.device.put(run));
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<float> now;
      int64_t at[3] = {};
      for (auto &[where, expected] : sums) {
        auto [u, row] = where;
        ASSERT_EQ(list[u].rows[at[u]], 500 + row);
        for (int64_t c = 0; c < dim; ++c) {
          now.push_back(list[u].out[at[u] * dim + c]);
          ASSERT_NEAR(now.back(), expected[c], 1e-4) << "update " << u << ", row " << row << ", column " << c;
        }
        ++at[u];
      }
      if (first.empty())
        first = now;
      ASSERT_EQ(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)), 0) << "order " << order.kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, GpuSegments, testing::ValuesIn(dims));

} // namespace
