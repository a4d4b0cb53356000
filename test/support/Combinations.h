// Combinations of levels of factors: all of them, or a few in which every pair of levels occurs.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace sparsec::test {

/// Random numbers that are the same on every platform.
class Dice {
public:
  explicit Dice(uint64_t seed) : state(seed) {
    state = next() ^ (next() << 1);
  }                 // seeds in a row must not give one stream
  uint64_t next() { // splitmix64
    uint64_t x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  /// In [0, n).
  int64_t below(int64_t n) { return int64_t(next() % uint64_t(n)); }
  int64_t between(int64_t first, int64_t last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &from) { return from[size_t(below(int64_t(from.size())))]; }

private:
  uint64_t state;
};

template <size_t factors> struct Combinations {
  using Levels = std::array<int, factors>; // an index for each factor
  using Pair = std::array<int, 4>;         // factor, level, factor, level
  Levels counts;                           // of levels
  std::function<bool(const Levels &)> isValid;

  template <typename F> static void visitPairs(const Levels &levels, F visit) {
    for (int a = 0; a < int(factors); ++a)
      for (int b = a + 1; b < int(factors); ++b)
        visit(Pair{a, levels[a], b, levels[b]});
  }
  static std::set<Pair> pairsOf(const std::vector<Levels> &list) {
    std::set<Pair> pairs;
    for (const Levels &levels : list)
      visitPairs(levels, [&](const Pair &pair) { pairs.insert(pair); });
    return pairs;
  }

  /// All valid ones.
  std::vector<Levels> fullProduct() const {
    std::vector<Levels> all;
    Levels levels{};
    for (size_t f = 0; f < factors;) {
      if (isValid(levels))
        all.push_back(levels);
      for (f = 0; f < factors && ++levels[f] == counts[f]; ++f)
        levels[f] = 0;
    }
    return all;
  }

  /// Few valid ones in which every pair of levels occurs that occurs in a valid one. Greedy: of a few candidates round
  /// an uncovered pair, the one with most pairs that are new. `adjust` makes most candidates valid.
  std::vector<Levels> pairwiseCover(
      uint64_t seed, const std::function<void(Levels &)> &adjust = [](Levels &) {}) const {
    std::set<Pair> open = pairsOf(fullProduct());
    Dice dice(seed);
    std::vector<Levels> cover;
    while (!open.empty()) {
      auto first = open.begin();
      std::advance(first, dice.below(int64_t(open.size())));
      Levels best{};
      size_t most = 0;
      for (int tries = 0; tries < 300; ++tries) {
        Levels levels;
        for (size_t f = 0; f < factors; ++f)
          levels[f] = int(dice.below(counts[f]));
        levels[(*first)[0]] = (*first)[1];
        levels[(*first)[2]] = (*first)[3];
        adjust(levels);
        if (!isValid(levels))
          continue;
        size_t fresh = 0;
        visitPairs(levels, [&](const Pair &pair) { fresh += open.count(pair); });
        if (fresh > most)
          most = fresh, best = levels;
      }
      if (!most)
        continue;
      visitPairs(best, [&](const Pair &pair) { open.erase(pair); });
      cover.push_back(best);
    }
    return cover;
  }
};

/// A number for each element, so that any range is a fair sample.
template <typename T> void shuffle(std::vector<T> &list, uint64_t seed) {
  Dice dice(seed);
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[size_t(dice.below(int64_t(i)))]);
}

} // namespace sparsec::test
