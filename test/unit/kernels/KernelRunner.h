// Kernels as callable functions: lowers a module of them to machine code in this process.
#pragma once
#include "codegen/CPU/kernels/Kernels.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sparsec/abi.h"
#include "test/support/RandomFloats.h"
#include "test/unit/kernels/Jit.h"
#include <memory>
#include <random>
#include <vector>

namespace sparsec::codegen {

using sparsec::randomFloats; // tests use this namespace alone

class KernelRunner {
public:
  KernelRunner();
  ~KernelRunner();
  mlir::MLIRContext &context() { return mlirContext; }
  /// Ask it for kernels, then compile().
  Kernels &kernels() { return made; }
  void compile();
  /// The address of a kernel, after compile(). Names are the kernels' symbols.
  void *address(const std::string &name);
  template <typename Kernel> Kernel get(const std::string &name) { return reinterpret_cast<Kernel>(address(name)); }

private:
  mlir::MLIRContext mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Kernels made;
  std::unique_ptr<Jit> jit;
};

/// A range [0, n) cut at random places, empty pieces among them.
template <typename Call> void inPieces(int64_t n, std::mt19937 &random, Call call) {
  for (int64_t begin = 0; begin < n;) {
    int64_t end = std::min<int64_t>(n, begin + int64_t(random() % 4));
    call(begin, end);
    begin = end;
  }
}

/// Random bags of ids in [row0, row0 + rows), one in four empty; what a SparsecJagged points to.
struct Bags {
  std::vector<int64_t> offsets{0}, values, counts;
  std::vector<float> weights;
  int64_t start[2] = {0, 0};
  SparsecJagged view{};
  Bags(int64_t bags, int64_t row0, int64_t rows, bool weighted, std::mt19937 &random) {
    for (int64_t bag = 0; bag < bags; ++bag) {
      for (int64_t k = random() % 4 == 0 ? 0 : random() % 7; k > 0; --k)
        values.push_back(row0 + int64_t(random() % rows));
      offsets.push_back(values.size());
      counts.push_back(offsets[bag + 1] - offsets[bag]);
    }
    if (weighted)
      weights = randomFloats(values.size(), random);
    start[1] = bags;
    view = {1, 1, bags, start, offsets.data(), values.data(), weighted ? weights.data() : nullptr, nullptr};
  }
  Bags(const Bags &) = delete;
  float weight(int64_t k) const { return weights.empty() ? 1.0f : weights[k]; }
};

} // namespace sparsec::codegen
