// A product is cut into blocks of c by its shape. A block is one call of oneDNN on one thread, which adds along k in an
// order of its own choice, but the same each time; then bias and activation, while the block is in the cache.
#include "sparsec/Gemm.h"
#include "sparsec/abi.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

using namespace sparsec;

namespace {

struct Problem {
  bool transposeA, transposeB, relu;
  int64_t m, n, k;
  const float *a, *b, *bias;
  float *c;

  int64_t strideA() const { return transposeA ? m : k; }
  int64_t strideB() const { return transposeB ? k : n; }
};

/// Rows and columns [.., ..) of c.
struct Block {
  int64_t row0, row1, col0, col1;
};

void finishBlock(const Problem &p, const Block &block) {
  if (!p.bias && !p.relu)
    return;
  for (int64_t i = block.row0; i < block.row1; ++i) {
    float *row = p.c + i * p.n;
    if (p.bias)
      for (int64_t j = block.col0; j < block.col1; ++j)
        row[j] += p.bias[j];
    if (p.relu)
      for (int64_t j = block.col0; j < block.col1; ++j)
        row[j] = row[j] < 0 ? 0 : row[j]; // a NaN stays one
  }
}

} // namespace

struct Gemm::State {
  explicit State(ThreadPool &pool) : pool(pool) {
    openmp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD); // oneDNN has loaded it
    if (openmp) {
      getThreads = reinterpret_cast<int (*)()>(dlsym(openmp, "omp_get_max_threads"));
      setThreads = reinterpret_cast<void (*)(int)>(dlsym(openmp, "omp_set_num_threads"));
    }
  }
  ~State() {
    if (openmp)
      dlclose(openmp);
  }

  Status runBlock(const Problem &p, const Block &block) const;

  ThreadPool &pool;
  // oneDNN takes its thread count from OpenMP, a setting of each calling thread.
  void *openmp = nullptr;
  int (*getThreads)() = nullptr;
  void (*setThreads)(int) = nullptr;
};

Status Gemm::State::runBlock(const Problem &p, const Block &block) const {
  const float *a = p.a + (p.transposeA ? block.row0 : block.row0 * p.k);
  const float *b = p.b + (p.transposeB ? block.col0 * p.k : block.col0);
  int before = getThreads();
  if (before != 1)
    setThreads(1);
  dnnl_status_t status =
      dnnl_sgemm(p.transposeA ? 'T' : 'N', p.transposeB ? 'T' : 'N', block.row1 - block.row0, block.col1 - block.col0,
                 p.k, 1.f, a, p.strideA(), b, p.strideB(), 0.f, p.c + block.row0 * p.n + block.col0, p.n);
  if (before != 1)
    setThreads(before);
  if (status != dnnl_success)
    return Status::error(
        fmt::format("matrix product {} x {} x {} failed in oneDNN with status {}", p.m, p.n, p.k, int(status)));
  finishBlock(p, block);
  return {};
}

Gemm::Gemm(ThreadPool &pool) : state(std::make_unique<State>(pool)) {}
Gemm::~Gemm() = default;

Status Gemm::run(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, const float *bias,
                 float *c) {
  if (m < 0 || n < 0 || k < 0)
    return Status::error(fmt::format("matrix product of negative size: {} x {} x {}", m, n, k));
  if (m == 0 || n == 0)
    return {};
  Problem p{bool(flags & SPARSEC_GEMM_TRANSPOSE_A), bool(flags & SPARSEC_GEMM_TRANSPOSE_B),
            bool(flags & SPARSEC_GEMM_RELU), m, n, k, a, b, bias, c};
  if (!state->getThreads || !state->setThreads)
    return Status::error("oneDNN does not use `libgomp.so.1` here, so it cannot be held to one thread; install Debian's "
                         "libdnnl, or one built with GNU OpenMP");
  if (k == 0) {
    std::fill(c, c + m * n, 0.f);
    finishBlock(p, {0, m, 0, n});
    return {};
  }
  return state->runBlock(p, {0, m, 0, n});
}
