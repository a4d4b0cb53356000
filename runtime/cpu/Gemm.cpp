// A product is cut by its shape into blocks: rows x columns of c, and pieces of
// k where c alone gives too little to do. A block is one call of oneDNN on one
// thread, which adds along k in an order of its own, but the same each time.
// Bias and activation follow while the block is in the cache; pieces of k are
// added in order first.
//
// These blocks are plain sgemm calls, which need no preparation; each
// rearranges its operands for itself. PackedGemm shares that work between
// blocks where PackedCut says that it pays.
#include "sparsec/Gemm.h"
#include "cpu/GemmCut.h"
#include "cpu/OneDnn.h"
#include "cpu/PackedCut.h"
#include "cpu/PackedGemm.h"
#include "sparsec/abi.h"
#include <atomic>
#include <cstring>
#include <fmt/format.h>

using namespace sparsec;
using namespace sparsec::gemm;

struct Gemm::State {
  explicit State(ThreadPool &pool) : pool(pool), packed(pool) {}

  dnnl_status_t block(const Problem &, const Cut &, int64_t number, float *partial) const;
  void addPieces(const Problem &, const Cut &, const float *partial) const;
  Status blocks(const Problem &);

  ThreadPool &pool;
  PackedGemm packed;
  Buffers partials;
};

/// `partial` [pieces][m, n]; null: there is one piece, straight into c.
dnnl_status_t Gemm::State::block(const Problem &p, const Cut &cut, int64_t number, float *partial) const {
  Range col = cut.columns(number), row = cut.rows(number), depth = cut.depth(number);
  float *c = partial ? partial + cut.piece(number) * p.m * p.n : p.c;
  OneThread one;
  dnnl_status_t status =
      dnnl_sgemm(p.transposeA ? 'T' : 'N', p.transposeB ? 'T' : 'N', row.length(), col.length(), depth.length(), 1.f,
                 p.atA(row.begin, depth.begin), p.transposeA ? p.m : p.k, p.atB(depth.begin, col.begin),
                 p.transposeB ? p.k : p.n, 0.f, c + row.begin * p.n + col.begin, p.n);
  if (!partial)
    p.finish(row.begin, row.end, col.begin, col.end);
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
    p.finish(begin, end, 0, p.n);
  });
}

Status Gemm::State::blocks(const Problem &p) {
  Cut cut = Cut::of(p.m, p.n, p.k, p.transposeB);
  auto buffer = partials.borrow([] { return Buffer(); });
  float *partial = cut.pieces > 1 ? buffer->atLeast(cut.pieces * p.m * p.n) : nullptr;
  std::atomic<dnnl_status_t> worst = dnnl_success;
  pool.parallel(cut.blocks(), cut.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number)
      if (dnnl_status_t status = block(p, cut, number, partial))
        worst = status;
  });
  if (partial)
    addPieces(p, cut, partial);
  return p.outcome(worst);
}

Gemm::Gemm(ThreadPool &pool) : state(std::make_unique<State>(pool)) {}
Gemm::~Gemm() = default;

Status Gemm::run(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, const float *bias,
                 float *c) {
  if (m < 0 || n < 0 || k < 0)
    return Status::error(fmt::format("matrix product of negative size: {} x {} x {}", m, n, k));
  if (m == 0 || n == 0)
    return {};
  if (!OneThread::possible())
    return Status::error("oneDNN does not use `libgomp.so.1` here, so it "
                         "cannot be held to one thread; install Debian's "
                         "libdnnl, or one built with GNU OpenMP");
  auto is = [&](int32_t flag) { return (flags & flag) != 0; };
  Problem p{
      {is(SPARSEC_GEMM_TRANSPOSE_A), is(SPARSEC_GEMM_TRANSPOSE_B), m, n, k}, is(SPARSEC_GEMM_RELU), a, b, bias, c};
  if (k == 0) {
    std::fill(c, c + m * n, 0.f);
    p.finish(0, m, 0, n);
    return {};
  }
  return PackedCut::pays(p) ? state->packed.run(p) : state->blocks(p);
}
