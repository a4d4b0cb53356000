// Sums of segments, and the steps of rows by every optimizer.
#include "test/unit/gpu/cover/Family.h"
#include "test/unit/gpu/cover/Launches.h"
#include "test/unit/kernels/OptimizerReference.h"
#include <algorithm>
#include <map>

namespace sparsec::codegen::device::cover {
namespace {

constexpr float lr = 0.5f, scale = 2.0f;
constexpr int64_t steps = 7;

/// The occurrences of all tables, sorted, between some of other classes.
struct Sorted {
  static constexpr int64_t before = 5, behind = 4;
  static uint64_t keyOf(int64_t t) { return uint64_t(t + 1) << 40; }
  struct Place {
    int64_t table, position;
  };
  std::vector<Place> places; // in the order of tables
  std::vector<uint64_t> keys;
  std::vector<uint32_t> order;

  explicit Sorted(const Problem &problem) {
    std::vector<uint64_t> unsorted;
    for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t) {
      const Table &table = problem.tables[t];
      for (int64_t i = 0; i < int64_t(table.values.size()); ++i) {
        places.push_back({t, i});
        unsorted.push_back(keyOf(t) + uint64_t(table.values[i] - table.row0));
      }
    }
    unsorted.insert(unsorted.end(), before, 7);
    unsorted.insert(unsorted.end(), behind, ~uint64_t(0));
    for (uint32_t k = 0; k < unsorted.size(); ++k)
      order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return unsorted[x] < unsorted[y]; });
    for (uint32_t k : order)
      keys.push_back(unsorted[k]);
  }
  int64_t count() const { return int64_t(places.size()); }
};

using RowSums = std::map<int64_t, std::vector<ExactSum>>; // of rows in the window

/// Gradients of the bags of a table, and their sums over each row that occurs.
std::vector<float> gradientOf(const Problem &problem, int64_t t) {
  return problem.floats(problem.tables[t].bags() * problem.dim, 5000 + t);
}
RowSums sumsOf(const Problem &problem, int64_t t) {
  const Table &table = problem.tables[t];
  std::vector<float> gradient = gradientOf(problem, t);
  RowSums sums;
  for (int64_t k = 0; k < int64_t(table.values.size()); ++k) {
    std::vector<ExactSum> &row = sums[table.rowOf(k)];
    row.resize(problem.dim);
    for (int64_t c = 0; c < problem.dim; ++c)
      row[c].add(table.weight(k), gradient[table.bagOf(k) * problem.dim + c]);
  }
  return sums;
}

/// Sorted occurrences on a device.
SparsecSorted put(TestDevice &device, const Problem &problem, const Sorted &sorted) {
  std::vector<const float *> gradients, of(sorted.keys.size(), nullptr); // those of other classes are not to be read
  std::vector<float> weights(sorted.keys.size(), NAN);
  for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t)
    gradients.push_back(device.put(gradientOf(problem, t)));
  for (int64_t k = 0; k < sorted.count(); ++k) {
    auto [t, position] = sorted.places[k];
    of[k] = gradients[t] + problem.tables[t].bagOf(position) * problem.dim;
    weights[k] = problem.tables[t].weight(position);
  }
  return {device.put(sorted.keys), device.put(sorted.order), device.put(of),
          device.put(weights),     Sorted::before,           Sorted::before + sorted.count()};
}
float *putPartial(TestDevice &device, const Problem &problem, const SparsecKernel &kernel, const Sorted &sorted) {
  return device.floats((sorted.count() + kernel.chunk - 1) / kernel.chunk * 2 * problem.dim);
}

class Sums : public Family {
public:
  Sums() : Family("segment_sum", {dimFactor, lengthFactor, idsFactor, tablesFactor, weightsFactor, rowsFactor}) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    return {runner.kernels().segmentSum(of.dim())};
  }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    const SparsecKernel &kernel = *kernels[0];
    Sorted sorted(problem);
    std::vector<uint32_t> runs;
    std::map<int64_t, int64_t> firstRun, rows; // of tables
    for (size_t k = 0; k < sorted.keys.size(); ++k) {
      bool starts = k == 0 || sorted.keys[k] != sorted.keys[k - 1];
      runs.push_back(k == 0 ? 0 : runs.back() + starts);
      int64_t t = int64_t(sorted.keys[k] >> 40) - 1;
      firstRun.try_emplace(t, runs.back());
      rows[t] += starts;
    }
    std::vector<SparsecSumEntry> list;
    int64_t n = int64_t(problem.tables.size());
    for (int64_t t = 0; t < n; ++t)
      list.push_back({int64_t(Sorted::keyOf(t)), problem.tables[t].row0, firstRun[t],
                      device.put(std::vector<int64_t>(rows[t], -1)), device.floats(rows[t] * problem.dim)});
    Status status =
        launchSegments(device, kernel, put(device, problem, sorted), sorted.count(), device.put(list), n,
                       putPartial(device, problem, kernel, sorted), static_cast<const uint32_t *>(device.put(runs)));
    for (int64_t t = 0; t < n; ++t) {
      results.words.insert(results.words.end(), list[t].rows, list[t].rows + rows[t]);
      results.add(list[t].out, rows[t] * problem.dim);
    }
    return status;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t)
      for (const auto &[row, sums] : sumsOf(problem, t)) {
        expected.words.push_back(uint64_t(problem.tables[t].row0 + problem.tables[t].first + row));
        for (const ExactSum &sum : sums)
          expected.add(sum.sum, sum.tolerance());
      }
    return expected;
  }
};

class Step : public Family {
public:
  /// `whole`: all rows step. Those of a table with 2^31 elements are too many.
  Step(const char *name, bool whole)
      : Family(name, {dimFactor, lengthFactor, idsFactor, tablesFactor, weightsFactor,
                      whole ? optimizerFactor : rowsFactor, optimizerFactor}),
        whole(whole) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    OptimizerAttrInterface rule = codegen::optimizer(runner.context(), of.optimizer());
    return {whole ? runner.kernels().sweep(of.dim(), rule) : runner.kernels().step(of.dim(), rule)};
  }

  /// Width of the weights and of each state; numbers that states may have.
  static std::vector<int64_t> widths(const Problem &problem) {
    std::string rule = problem.of.optimizer();
    int64_t dim = problem.dim;
    if (rule == "sgd")
      return {dim};
    if (rule == "adam")
      return {dim, dim, dim};
    return rule == "adagrad" ? std::vector<int64_t>{dim, dim} : std::vector<int64_t>{dim, 1};
  }
  static std::vector<float> fieldOf(const Problem &problem, int64_t t, size_t field, int64_t width) {
    if (field == 0)
      return problem.rows[t];
    std::vector<float> values = problem.floats(problem.tables[t].rows * width, 9000 + t * 4 + field);
    for (float &x : values)
      x = std::abs(x);
    return values;
  }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    const SparsecKernel &kernel = *kernels[0];
    Sorted sorted(problem);
    std::vector<int64_t> width = widths(problem);
    std::vector<SparsecUpdateEntry> list;
    int64_t rows = 0, n = int64_t(problem.tables.size());
    for (int64_t t = 0; t < n; ++t) {
      const Table &table = problem.tables[t];
      list.push_back({rows, int64_t(Sorted::keyOf(t)), table.first + table.rows, {}});
      for (size_t f = 0; f < width.size(); ++f)
        list.back().field[f] = putFar(device, fieldOf(problem, t, f, width[f]), table.first * width[f]);
      rows += table.first + table.rows;
    }
    list.push_back({rows, int64_t(Sorted::keyOf(n)), 0, {}});
    Status status = launchSteps(device, kernel, put(device, problem, sorted), whole ? rows : sorted.count(),
                                device.put(list), n, putPartial(device, problem, kernel, sorted), lr, scale, steps);
    for (int64_t t = 0; t < n; ++t)
      for (size_t f = 0; f < width.size(); ++f)
        results.add(list[t].field[f] + problem.tables[t].first * width[f], problem.tables[t].rows * width[f]);
    return status;
  }

  /// A row after its step, with the sums moved by `move` times their tolerances.
  static std::vector<std::vector<double>> stepped(const Problem &problem, std::vector<std::vector<double>> fields,
                                                  const std::vector<ExactSum> &sums, double move) {
    std::vector<double> g;
    for (const ExactSum &sum : sums)
      g.push_back(scale * (sum.sum + move * std::copysign(sum.tolerance(), sum.sum)));
    std::vector<std::vector<double>> states(fields.begin() + 1, fields.end());
    reference(problem.of.optimizer(), lr, steps, g, fields[0], states);
    std::copy(states.begin(), states.end(), fields.begin() + 1);
    return fields;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    std::vector<int64_t> width = widths(problem);
    for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t) {
      int64_t rows = problem.tables[t].rows;
      RowSums sums = sumsOf(problem, t);
      std::vector<Expected> fields(width.size());
      std::vector<std::vector<float>> before;
      for (size_t f = 0; f < width.size(); ++f)
        before.push_back(fieldOf(problem, t, f, width[f]));
      for (int64_t row = 0; row < rows; ++row) {
        std::vector<std::vector<double>> now;
        for (size_t f = 0; f < width.size(); ++f) {
          auto begin = before[f].begin() + row * width[f];
          now.emplace_back(begin, begin + width[f]);
        }
        auto found = sums.find(row);
        bool steps = whole || found != sums.end();
        std::vector<ExactSum> g = found != sums.end() ? found->second : std::vector<ExactSum>(problem.dim);
        auto right = steps ? stepped(problem, now, g, 0) : now, more = steps ? stepped(problem, now, g, 1) : now,
             less = steps ? stepped(problem, now, g, -1) : now;
        for (size_t f = 0; f < width.size(); ++f)
          for (int64_t c = 0; c < width[f]; ++c) {
            double value = right[f][c];
            fields[f].add(value, steps ? 2e-5 * std::max(1.0, std::abs(value)) + std::abs(more[f][c] - value) +
                                             std::abs(less[f][c] - value)
                                       : 0);
          }
      }
      for (const Expected &field : fields)
        for (size_t i = 0; i < field.numbers.size(); ++i)
          expected.add(field.numbers[i], field.tolerances[i]);
    }
    return expected;
  }

private:
  const bool whole;
};

} // namespace

Families segmentFamilies() {
  static const Sums sums;
  static const Step touched("step", false), whole("sweep", true);
  return {&sums, &touched, &whole};
}

} // namespace sparsec::codegen::device::cover
