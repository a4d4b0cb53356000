// Kernels that are tried alike: what they are asked for, how they are launched, and what comes out, in double
// precision.
#pragma once
#include "test/unit/gpu/GpuRunner.h"
#include "test/unit/gpu/cover/Problem.h"
#include <cmath>

namespace sparsec::codegen::device::cover {

/// What kernels wrote: numbers, and words that are right or wrong.
struct Results {
  std::vector<float> numbers;
  std::vector<uint64_t> words;
  void add(const float *place, int64_t count) { numbers.insert(numbers.end(), place, place + count); }
};

/// What they should have written: each number within `tolerance`.
struct Expected {
  std::vector<double> numbers, tolerances;
  std::vector<uint64_t> words;
  void add(double number, double tolerance) {
    numbers.push_back(number);
    tolerances.push_back(tolerance);
  }
};

/// A sum of products, and how far fp32 may be from it: each of its sums rounds by 2^-24 of itself, and sums of pieces
/// are at most twice the largest sum on the way.
struct ExactSum {
  double sum = 0, largest = 0;
  int64_t terms = 0;
  void add(double x, double y) {
    sum += x * y;
    largest = std::max(largest, std::abs(sum));
    ++terms;
  }
  double tolerance() const { return 1.2e-7 * double(terms + 1) * largest + 1e-37; }
};

/// Records of a case's kernels, in the order in which its family asked for them.
using Kernels = std::vector<const SparsecKernel *>;

class Family {
public:
  const char *const name;
  const unsigned looksAt; // bits of factors, but for the family and the batch, which all do
  Family(const char *name, std::initializer_list<Factor> factors) : name(name), looksAt(bitsOf(factors)) {}
  virtual ~Family() = default;
  /// Whether a case can be had.
  virtual bool takes(const Case &) const { return true; }
  virtual std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &, const Case &) const = 0;
  virtual Status run(const Problem &, const Kernels &, TestDevice &, Results &) const = 0;
  virtual Expected expect(const Problem &) const = 0;

private:
  static unsigned bitsOf(std::initializer_list<Factor> factors) {
    unsigned bits = 0;
    for (Factor factor : factors)
      bits |= 1u << factor;
    return bits;
  }
};

/// Each file of families has its own.
using Families = std::vector<const Family *>;
Families lookupFamilies();
Families rowFamilies();
Families segmentFamilies();
Families poolingFamilies();
Families interactionFamilies();
const Families &families();

/// A matrix of which the first `before` floats are never touched.
float *putFar(TestDevice &, const std::vector<float> &values, int64_t before);
template <typename T> const T *orNull(TestDevice &device, const std::vector<T> &values) {
  return values.empty() ? nullptr : device.put(values);
}

} // namespace sparsec::codegen::device::cover
