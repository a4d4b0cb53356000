// Pooling of rows that are here, its gradient, and the scale of bags; of one table.
#include "test/unit/gpu/cover/Family.h"

namespace sparsec::codegen::device::cover {
namespace {

/// Every second bag has lost an id, of cases that are `weighted` for a pooling without weights.
std::vector<int64_t> countsOf(const Problem &problem) {
  const Table &table = problem.tables[0];
  std::vector<int64_t> counts;
  for (int64_t bag = 0; bag < table.bags(); ++bag)
    counts.push_back(table.offsets[bag + 1] - table.offsets[bag] + bag % 2);
  return counts;
}

class Pooling : public Family {
public:
  Pooling(const char *name, bool max) : Family(name, {dimFactor, lengthFactor, idsFactor, weightsFactor}), max(max) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    return {runner.kernels().poolRows(of.dim(), max), runner.kernels().poolRowsGrad(of.dim(), max)};
  }

  static std::vector<float> rowsOf(const Problem &problem) {
    std::vector<float> rows = problem.rows[0];
    for (float &x : rows)
      x = std::round(x * 4) / 4; // many ties
    return rows;
  }
  static std::vector<float> gradientOf(const Problem &problem) {
    return problem.floats(problem.tables[0].bags() * problem.dim, 77);
  }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    const Table &table = problem.tables[0];
    std::vector<float> weights = max ? std::vector<float>() : table.weights;
    std::vector<int64_t> counts = max && problem.of.weighted() ? countsOf(problem) : std::vector<int64_t>();
    const float *rows = device.put(rowsOf(problem)), *weightsThere = orNull(device, weights);
    const int64_t *offsets = device.put(table.offsets), *places = device.put(table.values),
                  *countsThere = orNull(device, counts);
    float *out = device.floats(table.bags() * problem.dim), *grad = device.floats(table.rows * problem.dim);
    Status status =
        device.run(*kernels[0], table.bags(), rows, offsets, places, weightsThere, countsThere, table.bags(), out);
    if (status)
      status = device.run(*kernels[1], table.rows, device.put(gradientOf(problem)), rows, offsets, places, weightsThere,
                          countsThere, table.bags(), table.rows, grad);
    results.add(out, table.bags() * problem.dim);
    results.add(grad, table.rows * problem.dim);
    return status;
  }

  Expected expect(const Problem &problem) const override {
    const Table &table = problem.tables[0];
    std::vector<float> rows = rowsOf(problem), gradient = gradientOf(problem);
    int64_t dim = problem.dim;
    Expected expected;
    std::vector<ExactSum> grad(table.rows * dim);
    for (int64_t bag = 0; bag < table.bags(); ++bag)
      for (int64_t c = 0; c < dim; ++c) {
        ExactSum sum;
        int64_t winner = -1; // the first of the largest; none where a lost id's zeros are larger
        for (int64_t k = table.offsets[bag]; k < table.offsets[bag + 1]; ++k) {
          float x = rows[table.values[k] * dim + c];
          if (!max) {
            sum.add(table.weight(k), x);
            grad[table.values[k] * dim + c].add(table.weight(k), gradient[bag * dim + c]);
          } else if (winner < 0 || x > rows[table.values[winner] * dim + c]) {
            winner = k;
          }
        }
        if (winner >= 0 && problem.of.weighted() && bag % 2 && rows[table.values[winner] * dim + c] < 0)
          winner = -1;
        if (winner >= 0)
          grad[table.values[winner] * dim + c].add(1, gradient[bag * dim + c]);
        if (max)
          expected.add(winner < 0 ? 0 : rows[table.values[winner] * dim + c], 0);
        else
          expected.add(sum.sum, sum.tolerance());
      }
    for (const ExactSum &sum : grad)
      expected.add(sum.sum, 2 * sum.tolerance()); // products are rounded, too
    return expected;
  }

private:
  const bool max;
};

class BagScale : public Family {
public:
  BagScale() : Family("bag_scale", {lengthFactor, weightsFactor}) {}
  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &) const override {
    return {runner.kernels().bagScale()};
  }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    const Table &table = problem.tables[0];
    const int64_t *offsets = device.put(table.offsets), *counts = device.put(countsOf(problem));
    float *out = device.floats(table.bags());
    Status status =
        device.run(*kernels[0], table.bags(), offsets, orNull(device, table.weights), counts, table.bags(), out);
    results.add(out, table.bags());
    return status;
  }

  Expected expect(const Problem &problem) const override {
    const Table &table = problem.tables[0];
    std::vector<int64_t> counts = countsOf(problem);
    Expected expected;
    for (int64_t bag = 0; bag < table.bags(); ++bag) {
      ExactSum sum;
      for (int64_t k = table.offsets[bag]; k < table.offsets[bag + 1]; ++k)
        sum.add(table.weight(k), 1);
      double by = table.weights.empty() ? double(std::max<int64_t>(1, counts[bag])) : sum.sum;
      double error = table.weights.empty() ? 0 : sum.tolerance();
      expected.add(by == 0 ? 0 : 1 / by, by == 0 ? 0 : (error / std::abs(by) + 2e-7) / std::abs(by));
    }
    return expected;
  }
};

} // namespace

Families poolingFamilies() {
  static const Pooling sum("pool_sum", false), max("pool_max", true);
  static const BagScale scale;
  return {&sum, &max, &scale};
}

} // namespace sparsec::codegen::device::cover
