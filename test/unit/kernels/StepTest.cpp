// Segment sums, optimizer steps and sweeps against formulas in double precision.
#include "test/unit/kernels/KernelRunner.h"
#include "test/unit/kernels/OptimizerReference.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>

using namespace sparsec;
using namespace sparsec::codegen;

static const int64_t dims[] = {1, 2, 3, 4, 5, 8, 16, 31, 63, 64, 100, 128, 129, 256, 1023};
/// Random segments over some of the rows of a part, with the fields of an optimizer.
struct Problem {
  int64_t dim, rows = 23;
  std::vector<int64_t> touched, start{0};
  std::vector<float> gradients, weights;
  std::vector<const float *> places;
  std::vector<std::vector<float>> fields;
  std::vector<int64_t> width; // of each field's rows
  std::vector<float *> pointers;

  Problem(int64_t dim, OptimizerAttrInterface optimizer, bool weighted, std::mt19937 &random) : dim(dim) {
    gradients = randomFloats(40 * dim, random);
    for (int64_t row = 0; row < rows; ++row) {
      if (random() % 3 == 0)
        continue;
      touched.push_back(row);
      for (int64_t k = 1 + random() % 4; k > 0; --k)
        places.push_back(gradients.data() + (random() % 40) * dim);
      start.push_back(places.size());
    }
    if (weighted)
      weights = randomFloats(places.size(), random);
    width.push_back(dim);
    if (optimizer)
      for (const OptimizerState &state : optimizer.getStates())
        width.push_back(state.perRow ? 1 : dim);
    for (int64_t w : width) {
      fields.push_back(randomFloats(rows * w, random));
      if (fields.size() > 1)
        for (float &x : fields.back())
          x = std::abs(x);
    }
    for (auto &field : fields)
      pointers.push_back(field.data());
  }
  int64_t segments() const { return touched.size(); }
  SparsecSegments argument(float *out = nullptr) {
    return {segments(), touched.data(),  start.data(), places.data(), weights.empty() ? nullptr : weights.data(),
            out,        pointers.data(), 0.5f,         2.0f,          7};
  }
  std::vector<double> sum(int64_t s) const {
    std::vector<double> g(dim);
    for (int64_t k = start[s]; k < start[s + 1]; ++k)
      for (int64_t c = 0; c < dim; ++c)
        g[c] += (weights.empty() ? 1.0 : weights[k]) * places[k][c];
    return g;
  }
  /// Compares with one step of the rows that `gradientOf` has a gradient for, from `before`.
  void expectStep(const std::string &rule, const std::vector<std::vector<float>> &before,
                  const std::function<bool(int64_t row, std::vector<double> &g)> &gradientOf) const {
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<std::vector<double>> now;
      for (size_t f = 0; f < fields.size(); ++f)
        now.emplace_back(before[f].begin() + row * width[f], before[f].begin() + (row + 1) * width[f]);
      std::vector<double> g(dim);
      if (gradientOf(row, g)) {
        for (double &x : g)
          x *= 2.0; // scale
        std::vector<std::vector<double>> states(now.begin() + 1, now.end());
        reference(rule, 0.5, 7, g, now[0], states);
        std::copy(states.begin(), states.end(), now.begin() + 1);
      }
      for (size_t f = 0; f < fields.size(); ++f)
        for (int64_t c = 0; c < width[f]; ++c)
          ASSERT_NEAR(fields[f][row * width[f] + c], now[f][c], 2e-5 * std::max(1.0, std::abs(now[f][c])))
              << "field " << f << ", row " << row << ", column " << c;
    }
  }
};

class StepKernels : public testing::TestWithParam<int64_t> {
protected:
  static void SetUpTestSuite() {
    runner = new KernelRunner;
    for (int64_t dim : dims) {
      remember("segment_sum", dim, runner->kernels().segmentSum(dim));
      for (const char *rule : rules) {
        OptimizerAttrInterface of = optimizer(runner->context(), rule);
        remember(std::string("step_") + rule, dim, runner->kernels().step(dim, of));
        remember(std::string("sweep_") + rule, dim, runner->kernels().sweep(dim, of));
      }
    }
    runner->compile();
  }
  static void TearDownTestSuite() { delete runner; }
  SparsecSegmentKernel kernel(const std::string &what) {
    return runner->get<SparsecSegmentKernel>(names.at({what, dim}));
  }
  static void remember(const std::string &what, int64_t dim, mlir::LLVM::LLVMFuncOp kernel) {
    names[{what, dim}] = kernel.getSymName().str();
  }
  static std::map<std::pair<std::string, int64_t>, std::string> names; // of symbols
  static KernelRunner *runner;
  int64_t dim = GetParam();
};
KernelRunner *StepKernels::runner = nullptr;
std::map<std::pair<std::string, int64_t>, std::string> StepKernels::names;

TEST_P(StepKernels, SegmentSum) {
  for (bool weighted : {false, true}) {
    std::mt19937 random(dim);
    Problem problem(dim, {}, weighted, random);
    std::vector<float> out(problem.segments() * dim, NAN), pieces = out;
    SparsecSegments argument = problem.argument(out.data());
    kernel("segment_sum")(&argument, 0, problem.segments());
    for (int64_t s = 0; s < problem.segments(); ++s) {
      std::vector<double> sum = problem.sum(s);
      for (int64_t c = 0; c < dim; ++c)
        ASSERT_NEAR(out[s * dim + c], sum[c], 1e-5);
    }
    argument.out = pieces.data();
    inPieces(problem.segments(), random, [&](int64_t b, int64_t e) { kernel("segment_sum")(&argument, b, e); });
    EXPECT_EQ(out, pieces);
  }
}

TEST_P(StepKernels, StepTouchedRows) {
  for (const char *rule : rules)
    for (bool weighted : {false, true}) {
      SCOPED_TRACE(rule);
      std::mt19937 random(dim);
      Problem problem(dim, optimizer(runner->context(), rule), weighted, random);
      auto before = problem.fields;
      SparsecSegments argument = problem.argument();
      kernel(std::string("step_") + rule)(&argument, 0, problem.segments());
      problem.expectStep(rule, before, [&](int64_t row, std::vector<double> &g) {
        auto found = std::find(problem.touched.begin(), problem.touched.end(), row);
        if (found != problem.touched.end())
          g = problem.sum(found - problem.touched.begin());
        return found != problem.touched.end();
      });
      auto whole = problem.fields;
      for (size_t f = 0; f < before.size(); ++f)
        std::copy(before[f].begin(), before[f].end(), problem.fields[f].begin());
      inPieces(problem.segments(), random,
               [&](int64_t b, int64_t e) { kernel(std::string("step_") + rule)(&argument, b, e); });
      EXPECT_EQ(problem.fields, whole);
    }
}

TEST_P(StepKernels, SweepAllRows) {
  for (const char *rule : rules)
    for (bool empty : {false, true}) {
      SCOPED_TRACE(rule);
      std::mt19937 random(dim);
      Problem problem(dim, optimizer(runner->context(), rule), false, random);
      if (empty) {
        problem.touched.clear();
        problem.start = {0};
      }
      auto before = problem.fields;
      SparsecSegments argument = problem.argument();
      auto sweep = kernel(std::string("sweep_") + rule);
      sweep(&argument, 0, problem.rows);
      problem.expectStep(rule, before, [&](int64_t row, std::vector<double> &g) {
        auto found = std::find(problem.touched.begin(), problem.touched.end(), row);
        if (found != problem.touched.end())
          g = problem.sum(found - problem.touched.begin());
        return true;
      });
      auto whole = problem.fields;
      for (size_t f = 0; f < before.size(); ++f)
        std::copy(before[f].begin(), before[f].end(), problem.fields[f].begin());
      inPieces(problem.rows, random, [&](int64_t b, int64_t e) { sweep(&argument, b, e); });
      EXPECT_EQ(problem.fields, whole);
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, StepKernels, testing::ValuesIn(dims));

TEST(KernelNames, SayTheClassAndStayUnique) {
  KernelRunner runner;
  Kernels &kernels = runner.kernels();
  auto slow = optimizer(runner.context(), "sgd");
  auto fast = rec::SgdAttr::get(&runner.context(), mlir::Builder(&runner.context()).getF64FloatAttr(0.2));
  EXPECT_EQ(kernels.step(4, slow).getSymName(), "step_sgd_d4");
  EXPECT_EQ(kernels.step(4, fast).getSymName(), "step_sgd_d4_1");
  EXPECT_EQ(kernels.step(4, slow).getSymName(), "step_sgd_d4");
  EXPECT_EQ(kernels.lookup(4, true).getSymName(), "lookup_sum_d4_weighted");
}
