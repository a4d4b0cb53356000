// How a matrix product with packed weights is cut: a function of its shape
// alone.
#pragma once
#include "cpu/GemmCut.h"
#include "cpu/GemmProblem.h"

namespace sparsec::gemm {

/// Blocks of c (rows x columns), all of one size, the last moved back to end
/// where c does: its first rows and columns are computed twice and written
/// once. Steps of k, computed one after the other.
struct PackedCut {
  Parts m, n, k;

  static PackedCut of(const Shape &s) {
    // One step reads a where it lies; it takes a packed a to do more. A step's
    // part of b is at most 2 MB: a second cache.
    bool steps = s.transposeA || s.k > longestStep;
    PackedCut cut{Parts::atMost(s.m, 128), Parts::atMost(s.n, steps ? 1024 : 512), {s.k, s.k}};
    if (steps)
      cut.k = Parts::atMost(s.k, packedStep);
    while (cut.blocks() < Cut::enoughBlocks && cut.flops() > 2 * Cut::leastHalved) {
      if (cut.m.each > 64)
        cut.m = Parts::atMost(s.m, cut.m.each / 2);
      else if (cut.n.each > 128)
        cut.n = Parts::atMost(s.n, cut.n.each / 2);
      else
        break;
    }
    return cut;
  }

  /// Whether packing is worth its time, by measurement on one thread: enough
  /// rows share the packed b, plain blocks would rearrange much (a transposed
  /// operand or a long k), and the blocks are enough for threads where k is
  /// longer still.
  static bool pays(const Shape &s) {
    if (s.m < leastRows || s.n < 64 || s.k < 8)
      return false;
    if (!s.transposeA && !s.transposeB && s.k <= packedStep)
      return false;
    return s.k < Cut::longK || of(s).blocks() >= Cut::enoughBlocks;
  }

  /// Whether blocks of whole rows are computed in c itself. With a short step
  /// it is the writing that takes time, and oneDNN writes to a tile in the
  /// cache, from where whole rows follow, faster than to c.
  bool direct(int64_t columns) const { return n.each == columns && k.each >= 128; }

  bool packsA(const Shape &s) const { return s.transposeA || k.count() > 1; }

  /// Blocks are numbered [columns][rows]: those that follow each other share
  /// their part of b.
  int64_t blocks() const { return m.count() * n.count(); }
  double flops() const { return 2.0 * static_cast<double>(m.each) * static_cast<double>(n.each * k.each); }
  int64_t grain() const { return std::max<int64_t>(1, static_cast<int64_t>(Cut::leastRange / flops())); }
  /// For the parts that are packed: 128 rows of b and blocks of a.
  int64_t packGrain() const { return std::max<int64_t>(1, 32768 / (128 * n.each)); }

private:
  static constexpr int64_t leastRows = 512, longestStep = 1024, packedStep = 512;
};

/// Where the block of a part begins.
inline int64_t blockBegin(const Parts &parts, int64_t i) { return std::min(i * parts.each, parts.n - parts.each); }

} // namespace sparsec::gemm
