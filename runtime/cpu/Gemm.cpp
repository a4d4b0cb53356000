// A product is cut by its shape into blocks: rows x columns of c, and pieces of k where c alone gives too little to do.
// A block is one call of oneDNN on one thread, which adds along k in an order of its own, but the same each time. Bias
// and activation follow while the block is in the cache; pieces of k are added in order first.
//
// Plain sgemm calls, not primitives: measured on one core with AVX-512, they are as fast with large blocks (160 of 172
// GFLOP/s; primitives with packed weights 157), faster with few columns, and need no preparation for each shape.
#include "sparsec/Gemm.h"
#include "cpu/GemmCut.h"
#include "sparsec/abi.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <mutex>
#include <oneapi/dnnl/dnnl.h>
#include <vector>

using namespace sparsec;
using namespace sparsec::gemm;

namespace {

struct Problem {
  bool transposeA, transposeB, relu;
  int64_t m, n, k;
  const float *a, *b, *bias;
  float *c;

  const float *atA(int64_t row, int64_t l) const { return a + (transposeA ? l * m + row : row * k + l); }
  const float *atB(int64_t l, int64_t col) const { return b + (transposeB ? col * k + l : l * n + col); }
};

/// Bias and activation, rows [row0, row1) x columns [col0, col1) of c.
void finish(const Problem &p, int64_t row0, int64_t row1, int64_t col0, int64_t col1) {
  auto relu = [](float x) { return x < 0 ? 0 : x; }; // a NaN stays one
  for (int64_t i = row0; i < row1 && (p.bias || p.relu); ++i) {
    float *row = p.c + i * p.n;
    if (p.bias && p.relu)
      for (int64_t j = col0; j < col1; ++j)
        row[j] = relu(row[j] + p.bias[j]);
    else if (p.bias)
      for (int64_t j = col0; j < col1; ++j)
        row[j] += p.bias[j];
    else
      for (int64_t j = col0; j < col1; ++j)
        row[j] = relu(row[j]);
  }
}

/// Buffers that calls borrow; it stops growing when every call has had what it needs.
class Buffers {
public:
  std::vector<float> borrow(int64_t floats) {
    std::vector<float> buffer;
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        buffer = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (static_cast<int64_t>(buffer.size()) < floats)
      buffer.resize(floats);
    return buffer;
  }
  void giveBack(std::vector<float> buffer) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(buffer));
  }

private:
  std::mutex mutex;
  std::vector<std::vector<float>> idle;
};

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

  dnnl_status_t block(const Problem &, const Cut &, int64_t number, float *partial) const;
  void addPieces(const Problem &, const Cut &, const float *partial) const;
  Status blocks(const Problem &);

  ThreadPool &pool;
  Buffers buffers;
  // oneDNN takes its thread count from OpenMP, a setting of each calling thread.
  void *openmp = nullptr;
  int (*getThreads)() = nullptr;
  void (*setThreads)(int) = nullptr;
};

/// `partial` [pieces][m, n]; null: there is one piece, straight into c.
dnnl_status_t Gemm::State::block(const Problem &p, const Cut &cut, int64_t number, float *partial) const {
  Range col = cut.columns(number), row = cut.rows(number), depth = cut.depth(number);
  float *c = partial ? partial + cut.piece(number) * p.m * p.n : p.c;
  int before = getThreads();
  if (before != 1)
    setThreads(1);
  dnnl_status_t status =
      dnnl_sgemm(p.transposeA ? 'T' : 'N', p.transposeB ? 'T' : 'N', row.length(), col.length(), depth.length(), 1.f,
                 p.atA(row.begin, depth.begin), p.transposeA ? p.m : p.k, p.atB(depth.begin, col.begin),
                 p.transposeB ? p.k : p.n, 0.f, c + row.begin * p.n + col.begin, p.n);
  if (before != 1)
    setThreads(before);
  if (!partial)
    finish(p, row.begin, row.end, col.begin, col.end);
  return status;
}

void Gemm::State::addPieces(const Problem &p, const Cut &cut, const float *partial) const {
  pool.parallel(p.m, std::max<int64_t>(1, 8192 / p.n), [&](int64_t begin, int64_t end) {
    int64_t first = begin * p.n, count = (end - begin) * p.n;
    std::memcpy(p.c + first, partial + first, count * sizeof(float));
    for (int64_t piece = 1; piece < cut.pieces; ++piece) {
      const float *from = partial + piece * p.m * p.n + first;
      for (int64_t i = 0; i < count; ++i)
        p.c[first + i] += from[i];
    }
    finish(p, begin, end, 0, p.n);
  });
}

Status Gemm::State::blocks(const Problem &p) {
  Cut cut = Cut::of(p.m, p.n, p.k, p.transposeB);
  std::vector<float> partial;
  if (cut.pieces > 1)
    partial = buffers.borrow(cut.pieces * p.m * p.n);
  std::atomic<dnnl_status_t> worst = dnnl_success;
  pool.parallel(cut.blocks(), cut.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number)
      if (dnnl_status_t status = block(p, cut, number, cut.pieces > 1 ? partial.data() : nullptr))
        worst = status;
  });
  if (cut.pieces > 1) {
    addPieces(p, cut, partial.data());
    buffers.giveBack(std::move(partial));
  }
  if (worst != dnnl_success)
    return Status::error(
        fmt::format("matrix product {} x {} x {} failed in oneDNN with status {}", p.m, p.n, p.k, int(worst)));
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
  if (!state->getThreads || !state->setThreads)
    return Status::error(
        "oneDNN does not use `libgomp.so.1` here, so it cannot be held to one thread; install Debian's "
        "libdnnl, or one built with GNU OpenMP");
  auto is = [&](int32_t flag) { return (flags & flag) != 0; };
  Problem p{is(SPARSEC_GEMM_TRANSPOSE_A), is(SPARSEC_GEMM_TRANSPOSE_B), is(SPARSEC_GEMM_RELU), m, n, k, a, b, bias, c};
  if (k == 0) {
    std::fill(c, c + m * n, 0.f);
    finish(p, 0, m, 0, n);
    return {};
  }
  return state->blocks(p);
}
