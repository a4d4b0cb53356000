// How a matrix product is cut: a function of its shape alone.
#pragma once
#include <algorithm>
#include <cstdint>

namespace sparsec::gemm {

struct Range {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

/// Equal parts of [0, n), but for the last.
struct Parts {
  int64_t n, each;
  int64_t count() const { return (n + each - 1) / each; }
  Range operator[](int64_t i) const { return {i * each, std::min((i + 1) * each, n)}; }
  /// Parts of at most `most` elements, as even as multiples of 16 allow.
  static Parts atMost(int64_t n, int64_t most) {
    int64_t count = (n + most - 1) / most, even = (n + count - 1) / count;
    return {n, std::min(n, (even + 15) / 16 * 16)};
  }
};

struct Cut {
  Parts m, n, k;
  int64_t pieces; // of k

  static constexpr int64_t enoughBlocks = 16; // for the threads of a rank
  static constexpr double leastHalved = 1e7;  // flops of a block after halving
  static constexpr double leastRange = 4e6;   // flops that are worth a thread
  static constexpr int64_t longK = 8192, pieceOfK = 4096;

  static Cut of(int64_t m, int64_t n, int64_t k, bool transposeB) {
    // Each block rearranges its part of b, the more so if transposed: then more rows share it, and columns go first.
    // Measured with m, n, k = 256, 512, 512: plain 160 GFLOP/s from 64 x 128; transposed 157 at 256 x 512, 145 at
    // 256 x 64, 125 at 128 x 64.
    int64_t leastColumns = transposeB ? 64 : 128;
    Cut cut{Parts::atMost(m, transposeB ? 256 : 128), Parts::atMost(n, 512), {k, k}, 1};
    if (k >= longK && cut.blocks() < enoughBlocks) {
      cut.k = Parts::atMost(k, std::max(pieceOfK, (k + enoughBlocks - 1) / enoughBlocks));
      cut.pieces = cut.k.count();
    }
    while (cut.blocks() < enoughBlocks && cut.flops() > 2 * leastHalved) {
      if (cut.n.each > leastColumns)
        cut.n = Parts::atMost(n, cut.n.each / 2);
      else if (cut.m.each > 32)
        cut.m = Parts::atMost(m, cut.m.each / 2);
      else
        break;
    }
    return cut;
  }

  /// Blocks are numbered [piece of k][rows][columns].
  int64_t blocks() const { return pieces * m.count() * n.count(); }
  int64_t piece(int64_t number) const { return number / (m.count() * n.count()); }
  Range rows(int64_t number) const { return m[number / n.count() % m.count()]; }
  Range columns(int64_t number) const { return n[number % n.count()]; }
  Range depth(int64_t number) const { return k[piece(number)]; }

  double flops() const { return 2.0 * static_cast<double>(m.each) * static_cast<double>(n.each * k.each); }
  int64_t grain() const { return std::max<int64_t>(1, static_cast<int64_t>(leastRange / flops())); }
};

} // namespace sparsec::gemm
