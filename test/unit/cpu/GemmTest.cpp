#include "sparsec/Gemm.h"
#include "cpu/GemmCut.h"
#include "cpu/PackedCut.h"
#include "cpu/PackedGemm.h"
#include "sparsec/abi.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace sparsec;

namespace {

std::vector<float> randomFloats(int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> result(n);
  for (float &x : result)
    x = uniform(random);
  return result;
}

struct Case {
  int32_t flags;
  int64_t m, n, k;
  bool withBias = true;

  std::vector<float> a() const { return randomFloats(m * k, 1); }
  std::vector<float> b() const { return randomFloats(k * n, 2); }
  std::vector<float> bias() const { return randomFloats(n, 3); }

  std::vector<float> run(Gemm &gemm) const {
    std::vector<float> c(m * n + 1,
                         7.f); // what was there must not matter; one past the end must stay
    auto av = a(), bv = b(), biasv = bias();
    Status status = gemm.run(flags, m, n, k, av.data(), bv.data(), withBias ? biasv.data() : nullptr, c.data());
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(c.back(), 7.f);
    c.pop_back();
    return c;
  }

  /// In double, by the definition.
  void check(Gemm &gemm) const {
    auto c = run(gemm), av = a(), bv = b(), biasv = bias();
    int bad = 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = withBias ? biasv[j] : 0, size = std::abs(sum);
        for (int64_t l = 0; l < k; ++l) {
          double product = double(flags & SPARSEC_GEMM_TRANSPOSE_A ? av[l * m + i] : av[i * k + l]) *
                           (flags & SPARSEC_GEMM_TRANSPOSE_B ? bv[j * k + l] : bv[l * n + j]);
          sum += product;
          size += std::abs(product);
        }
        if (flags & SPARSEC_GEMM_RELU)
          sum = std::max(sum, 0.0);
        // A sum of k products in any order is off by at most k * 2^-24 of their
        // sizes; in practice by far less.
        if (!(std::abs(c[i * n + j] - sum) <= 1e-7 + 2e-6 * size) && bad++ < 3)
          ADD_FAILURE() << "flags " << flags << ", " << m << " x " << n << " x " << k << ": c[" << i << ", " << j
                        << "] = " << c[i * n + j] << ", expected " << sum;
      }
  }
};

TEST(Gemm, EveryTransposeAndOddShapes) {
  ThreadPool pool(2);
  Gemm gemm(pool);
  for (int32_t flags = 0; flags < 8; ++flags)
    for (int64_t m : {1, 2, 3, 17, 64, 130})
      for (int64_t n : {1, 2, 5, 16, 33, 257})
        for (int64_t k : {1, 3, 8, 31, 300})
          Case{flags, m, n, k, (m + n + k) % 2 == 0}.check(gemm);
}

TEST(Gemm, ShapesOfModels) {
  ThreadPool pool(2);
  Gemm gemm(pool);
  for (Case c :
       {Case{SPARSEC_GEMM_TRANSPOSE_B | SPARSEC_GEMM_RELU, 1027, 512, 13}, Case{0, 700, 1, 256},
        Case{SPARSEC_GEMM_TRANSPOSE_A, 256, 1, 2048, false}, Case{SPARSEC_GEMM_TRANSPOSE_A, 1, 256, 2048, false},
        Case{SPARSEC_GEMM_TRANSPOSE_A, 130, 70, 9001}, Case{SPARSEC_GEMM_RELU, 13, 600, 8200}, Case{0, 2049, 129, 65},
        Case{0, 3, 1500, 700}, Case{SPARSEC_GEMM_TRANSPOSE_B, 300, 1025, 70},
        Case{SPARSEC_GEMM_TRANSPOSE_A | SPARSEC_GEMM_TRANSPOSE_B, 530, 40, 17}})
    c.check(gemm);
}

TEST(Gemm, CutCoversEveryProductOnce) {
  for (int64_t m : {1, 13, 127, 129, 512, 5000})
    for (int64_t n : {1, 16, 250, 513, 3456})
      for (int64_t k : {1, 512, 8191, 8192, 70001}) {
        auto cut = gemm::Cut::of(m, n, k, m % 2);
        int64_t products = 0;
        for (int64_t i = 0; i < cut.blocks(); ++i) {
          EXPECT_GT(cut.rows(i).length() * cut.columns(i).length() * cut.depth(i).length(), 0);
          products += cut.rows(i).length() * cut.columns(i).length() * cut.depth(i).length();
        }
        auto last = cut.blocks() - 1;
        EXPECT_EQ(cut.rows(last).end, m);
        EXPECT_EQ(cut.columns(last).end, n);
        EXPECT_EQ(cut.depth(last).end, k);
        EXPECT_EQ(products, m * n * k) << m << " x " << n << " x " << k;
      }
}

TEST(Gemm, SameBitsWhereverTheDataLies) {
  ThreadPool pool(1);
  Gemm gemm(pool);
  for (int32_t flags : {0, 1, 2, 3})
    for (auto [m, n, k] :
         {std::tuple{1, 33, 500}, {33, 1, 500}, {65, 70, 40}, {5, 5, 5}, {200, 300, 9}, {520, 70, 600}}) {
      Case c{flags, m, n, k};
      auto expected = c.run(gemm), a = c.a(), b = c.b(), bias = c.bias();
      for (int shift = 1; shift < 5; ++shift) {
        std::vector<float> a2(shift), b2(2 * shift), c2(m * n + shift);
        a2.insert(a2.end(), a.begin(), a.end());
        b2.insert(b2.end(), b.begin(), b.end());
        ASSERT_TRUE(gemm.run(flags, m, n, k, &a2[shift], &b2[2 * shift], bias.data(), c2.data() + shift).ok());
        EXPECT_EQ(std::memcmp(&c2[shift], expected.data(), m * n * sizeof(float)), 0)
            << flags << ": " << m << " x " << n << " x " << k << " moved by " << shift;
      }
    }
}

bool packs(const Case &c) {
  return gemm::PackedCut::pays(
      {(c.flags & SPARSEC_GEMM_TRANSPOSE_A) != 0, (c.flags & SPARSEC_GEMM_TRANSPOSE_B) != 0, c.m, c.n, c.k});
}

TEST(Gemm, PackedWeights) {
  ThreadPool pool(2);
  Gemm gemm(pool);
  // One step and several, a shorter last step, blocks moved back over rows and
  // columns, whole rows and parts of rows.
  for (int32_t flags = 0; flags < 8; ++flags)
    for (auto [m, n, k] : {std::tuple{512, 64, 8}, {513, 65, 9}, {640, 128, 130}, {530, 70, 1025}, {515, 530, 40}}) {
      Case c{flags, m, n, k, (m + n) % 2 == 0};
      EXPECT_EQ(packs(c), k > 512 || flags & (SPARSEC_GEMM_TRANSPOSE_A | SPARSEC_GEMM_TRANSPOSE_B));
      c.check(gemm);
    }
  Case severalStepsOfParts{SPARSEC_GEMM_TRANSPOSE_A | SPARSEC_GEMM_RELU, 513, 1030, 520};
  EXPECT_TRUE(packs(severalStepsOfParts));
  severalStepsOfParts.check(gemm);
}

TEST(Gemm, BothSidesOfTheDecisionToPack) {
  ThreadPool pool(2);
  Gemm gemm(pool);
  for (int32_t flags : {1, 2, 3}) // transposes
    for (auto [m, n, k] : {std::tuple{512, 64, 8}, {511, 64, 8}, {512, 63, 8}, {512, 64, 7}}) {
      Case c{flags, m, n, k};
      EXPECT_EQ(packs(c), m == 512 && n == 64 && k == 8);
      c.check(gemm);
    }
  for (int64_t k : {512, 513}) {
    Case c{0, 512, 64, k};
    EXPECT_EQ(packs(c), k == 513);
    c.check(gemm);
  }
  EXPECT_TRUE(packs({SPARSEC_GEMM_TRANSPOSE_A, 1024, 256, 100000}));
  EXPECT_FALSE(packs({SPARSEC_GEMM_TRANSPOSE_A, 512, 64, 100000})) << "too few blocks for threads; k is cut instead";
}

TEST(Gemm, PackedBlocksCoverC) {
  for (int64_t m : {512, 513, 1000, 4096})
    for (int64_t n : {64, 100, 513, 1025, 3456})
      for (int64_t k : {8, 1024, 1025, 70001})
        for (bool transposeA : {false, true}) {
          auto cut = gemm::PackedCut::of({transposeA, false, m, n, k});
          for (auto [parts, size] : {std::pair{cut.m, m}, {cut.n, n}, {cut.k, k}}) {
            EXPECT_EQ(parts[0].begin, 0);
            EXPECT_EQ(parts[parts.count() - 1].end, size);
            for (int64_t i = 0; i < parts.count(); ++i) { // a whole block inside c, which holds what it writes
              int64_t begin = gemm::blockBegin(parts, i);
              EXPECT_TRUE(begin >= 0 && begin <= parts[i].begin && parts[i].end <= begin + parts.each);
              EXPECT_LE(begin + parts.each, size);
            }
          }
        }
}

TEST(Gemm, PlansOfManyBatchSizesDoNotPileUp) {
  ThreadPool pool(1);
  gemm::PackedGemm packed(pool);
  constexpr int64_t n = 64, k = 8, most = 512 + 2 * gemm::PackedGemm::mostPlans;
  auto a = randomFloats(most * k, 1), b = randomFloats(n * k, 2);
  std::vector<float> c(most * n), again(most * n);
  auto run = [&](int64_t m, std::vector<float> &to) {
    gemm::Problem p{{false, false, m, n, k}, false, a.data(), b.data(), nullptr, to.data()};
    ASSERT_TRUE(packed.run(p).ok());
  };
  run(512, c);
  EXPECT_EQ(packed.plans(), 1);
  run(512, c);
  EXPECT_EQ(packed.plans(), 1);
  for (int64_t m = 512; m < most; ++m)
    run(m, again);
  EXPECT_EQ(packed.plans(), gemm::PackedGemm::mostPlans);
  run(512, again); // dropped and made anew
  EXPECT_EQ(std::memcmp(again.data(), c.data(), 512 * n * sizeof(float)), 0);
}

TEST(Gemm, EmptySizes) {
  ThreadPool pool(1);
  Gemm gemm(pool);
  for (int32_t flags = 0; flags < 8; ++flags) {
    Case{flags, 0, 5, 4}.check(gemm);
    Case{flags, 5, 0, 4}.check(gemm);
    Case{flags, 5, 4, 0}.check(gemm);
    Case{flags, 5, 4, 0, false}.check(gemm);
    Case{flags, 0, 0, 0}.check(gemm);
  }
  EXPECT_EQ(gemm.run(0, -1, 2, 3, nullptr, nullptr, nullptr, nullptr).message(),
            "matrix product of negative size: -1 x 2 x 3");
}

TEST(Gemm, SameBitsAtAnyThreadCount) {
  ThreadPool one(1), two(2), five(5);
  Gemm first(one), second(two), third(five);
  for (Case c : {Case{SPARSEC_GEMM_TRANSPOSE_A, 1, 256, 2048}, Case{SPARSEC_GEMM_TRANSPOSE_A, 256, 1, 2048},
                 Case{SPARSEC_GEMM_TRANSPOSE_A, 64, 48, 20011}, Case{SPARSEC_GEMM_TRANSPOSE_A, 13, 600, 33000},
                 Case{0, 777, 512, 256}, Case{SPARSEC_GEMM_TRANSPOSE_B, 2048, 300, 100}, Case{0, 1, 1, 5000},
                 Case{0, 4, 2000, 512}, Case{SPARSEC_GEMM_TRANSPOSE_A, 520, 300, 1100}, Case{0, 600, 1030, 1100},
                 Case{SPARSEC_GEMM_TRANSPOSE_B | SPARSEC_GEMM_RELU, 1027, 512, 13}}) {
    auto expected = c.run(first);
    for (Gemm *gemm : {&first, &second, &third}) {
      auto got = c.run(*gemm);
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
          << c.m << " x " << c.n << " x " << c.k;
    }
  }
}

TEST(Gemm, NotANumberGoesThroughRelu) {
  ThreadPool pool(1);
  Gemm gemm(pool);
  for (int64_t n : {1, 40}) {
    std::vector<float> a{std::nanf("")}, b(n, 1), c(n);
    ASSERT_TRUE(gemm.run(SPARSEC_GEMM_RELU, 1, n, 1, a.data(), b.data(), nullptr, c.data()).ok());
    EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[n - 1]));
  }
}

TEST(Gemm, ManyThreadsUseOne) {
  ThreadPool pool(2);
  Gemm gemm(pool);
  for (Case c : {Case{0, 150, 130, 60}, Case{SPARSEC_GEMM_TRANSPOSE_A, 530, 70, 520}}) {
    Gemm alone(pool);
    auto expected = c.run(alone);
    std::vector<std::thread> callers;
    for (int t = 0; t < 3; ++t)
      callers.emplace_back([&] {
        for (int i = 0; i < 20; ++i)
          EXPECT_EQ(c.run(gemm), expected);
      });
    for (std::thread &caller : callers)
      caller.join();
  }
}

} // namespace
