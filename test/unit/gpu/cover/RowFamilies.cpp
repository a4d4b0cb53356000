// Rows combined and copied, and keys of row gradients.
#include "test/unit/gpu/cover/Family.h"
#include "test/unit/gpu/cover/Launches.h"

namespace sparsec::codegen::device::cover {
namespace {

/// Sums of 1 to 4 sources, each a part of a table's rows; into columns of a wider matrix in every second entry.
class Combine : public Family {
public:
  Combine() : Family("combine", {dimFactor, tablesFactor}) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    return {runner.kernels().combine(of.dim())};
  }
  static int64_t sources(int64_t t) { return 1 + t % 4; }
  static int64_t stride(const Problem &problem, int64_t t) { return problem.dim + t % 2 * 3; }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    std::vector<SparsecCombineEntry> list;
    int64_t bags = 0, n = int64_t(problem.tables.size());
    for (int64_t t = 0; t < n; ++t) {
      int64_t mine = problem.tables[t].bags();
      std::vector<const float *> places;
      for (int64_t s = 0; s < sources(t); ++s)
        places.push_back(device.put(problem.floats(mine * problem.dim, t * 4 + s)));
      float *out = device.put(std::vector<float>(mine * stride(problem, t), -7));
      list.push_back({bags, device.put(places), sources(t), stride(problem, t), out});
      bags += mine;
    }
    list.push_back({bags, nullptr, 0, 0, nullptr});
    Status status = launchList(device, *kernels[0], bags, device.put(list), n);
    for (int64_t t = 0; t < n; ++t)
      results.add(list[t].out, problem.tables[t].bags() * stride(problem, t));
    return status;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t) {
      int64_t mine = problem.tables[t].bags();
      std::vector<std::vector<float>> rows;
      for (int64_t s = 0; s < sources(t); ++s)
        rows.push_back(problem.floats(mine * problem.dim, t * 4 + s));
      for (int64_t bag = 0; bag < mine; ++bag)
        for (int64_t c = 0; c < stride(problem, t); ++c) {
          ExactSum sum;
          for (const auto &row : rows)
            sum.add(1, c < problem.dim ? row[bag * problem.dim + c] : 0);
          if (c < problem.dim)
            expected.add(sum.sum, sum.tolerance());
          else
            expected.add(-7, 0); // of others
        }
    }
    return expected;
  }
};

/// Between strides that are wider than the rows.
class Copy : public Family {
public:
  Copy() : Family("copy_rows", {dimFactor, tablesFactor}) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &) const override {
    return {runner.kernels().copyRows()};
  }
  static int64_t from(const Problem &problem, int64_t t) { return problem.dim + t % 3; }
  static int64_t to(const Problem &problem, int64_t t) { return problem.dim + t % 5; }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    std::vector<SparsecCopyEntry> list;
    int64_t floats = 0, n = int64_t(problem.tables.size());
    for (int64_t t = 0; t < n; ++t) {
      int64_t rows = problem.tables[t].bags();
      float *out = device.put(std::vector<float>(rows * to(problem, t), -7));
      list.push_back({floats, device.put(problem.floats(rows * from(problem, t), t)), out, problem.dim,
                      from(problem, t), to(problem, t)});
      floats += rows * problem.dim;
    }
    list.push_back({floats, nullptr, nullptr, 0, 0, 0});
    Status status = launchList(device, *kernels[0], floats, device.put(list), n);
    for (int64_t t = 0; t < n; ++t)
      results.add(list[t].to, problem.tables[t].bags() * to(problem, t));
    return status;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    for (int64_t t = 0; t < int64_t(problem.tables.size()); ++t) {
      int64_t rows = problem.tables[t].bags();
      std::vector<float> values = problem.floats(rows * from(problem, t), t);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t c = 0; c < to(problem, t); ++c)
          expected.add(c < problem.dim ? values[row * from(problem, t) + c] : -7, 0);
    }
    return expected;
  }
};

/// Addresses are compared as rows from the start of a table's gradients.
class Keys : public Family {
public:
  Keys() : Family("row_keys", {dimFactor, lengthFactor, idsFactor, tablesFactor, weightsFactor, rowsFactor}) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &) const override {
    return {runner.kernels().rowKeys()};
  }
  static int64_t keyOf(int64_t t) { return (t + 1) << 40; }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    std::vector<SparsecOccurrences> list;
    int64_t all = 0, n = int64_t(problem.tables.size());
    for (int64_t t = 0; t < n; ++t) {
      const Table &table = problem.tables[t];
      list.push_back({all, table.bags(), device.put(table.offsets), device.put(table.values),
                      orNull(device, table.weights), device.floats(table.bags() * problem.dim), problem.dim, table.row0,
                      keyOf(t)});
      all += int64_t(table.values.size());
    }
    list.push_back({});
    list.back().first = all;
    list.back().key = keyOf(n);
    int64_t slots = all + slotsBehind;
    auto *keys = device.put(std::vector<uint64_t>(slots, 1));
    auto *order = device.put(std::vector<uint32_t>(slots, 1));
    auto *rows = device.put(std::vector<const float *>(slots, nullptr));
    float *weights = device.floats(slots);
    Status status = device.run(*kernels[0], slots, device.put(list), n, slots, keys, order, rows, weights);
    for (int64_t k = 0; k < slots; ++k) {
      results.words.push_back(keys[k]);
      results.words.push_back(order[k]);
    }
    for (int64_t t = 0, k = 0; t < n; ++t)
      for (size_t i = 0; i < problem.tables[t].values.size(); ++i, ++k)
        results.words.push_back(uint64_t(rows[k] - list[t].gradient));
    results.add(weights, all);
    return status;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    std::vector<uint64_t> places;
    uint64_t k = 0;
    for (size_t t = 0; t < problem.tables.size(); ++t) {
      const Table &table = problem.tables[t];
      for (int64_t i = 0; i < int64_t(table.values.size()); ++i) {
        expected.words.push_back(uint64_t(keyOf(int64_t(t)) + table.first + table.rowOf(i)));
        expected.words.push_back(k++);
        places.push_back(uint64_t(table.bagOf(i) * problem.dim));
        expected.add(table.weight(i), 0);
      }
    }
    for (int64_t i = 0; i < slotsBehind; ++i) {
      expected.words.push_back(uint64_t(keyOf(int64_t(problem.tables.size()))));
      expected.words.push_back(k++);
    }
    expected.words.insert(expected.words.end(), places.begin(), places.end());
    return expected;
  }
};

} // namespace

Families rowFamilies() {
  static const Combine combine;
  static const Copy copy;
  static const Keys keys;
  return {&combine, &copy, &keys};
}

} // namespace sparsec::codegen::device::cover
