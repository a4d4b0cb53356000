#include "sparsec/InitialValue.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace sparsec {
namespace {

// The known answers that come with Random123 (kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Computed outside of this project's code, from the definition in InitialValue.h: XXH64 and Philox written anew, the
// normal quantile to full double precision. They must never change: models start from these numbers.
struct Pinned {
  uint64_t seed;
  const char *name;
  int64_t row, column;
  float uniform; // bound 0.1
  float normal;  // deviation 2
};
constexpr Pinned pinned[] = {
    {0x1, "table/t/weight", 0, 0, -0x1.5f802cp-6f, -0x1.16be10p-1f},
    {0x1, "table/t/weight", 0, 1, -0x1.1cdffcp-4f, -0x1.06ddc6p+1f},
    {0x1, "table/t/weight", 0, 5, -0x1.bc2d7ap-6f, -0x1.62e9d8p-1f},
    {0x1, "table/t/weight", 7, 3, -0x1.d7d92cp-6f, -0x1.7a05bap-1f},
    {0x1, "table/t/weight", 1099511627775, 127, -0x1.8d0f14p-4f, -0x1.14bc84p+2f},
    {0x2, "table/t/weight", 0, 0, 0x1.ef7104p-5f, 0x1.b34da0p+0f},
    {0x1, "layer/top/0/weight", 0, 0, -0x1.5399eap-5f, -0x1.174488p+0f},
    {0xffffffffffffffff, "a name that is longer than thirty-two bytes/weight", 3, 2, -0x1.5b6204p-5f, -0x1.1e5e2cp+0f},
};

InitialValues valuesOf(const char *kind, double value) {
  InitialValues init;
  init.kind = kind;
  init.value = value;
  return init;
}

TEST(InitialValue, PinnedUniformAndNormal) {
  InitialValues uniform = valuesOf("uniform", 0.1), normal = valuesOf("normal", 2);
  for (const Pinned &p : pinned) {
    float value = 0;
    InitialValue(uniform, p.seed, p.name, 128).fill(p.row, p.column, 1, &value);
    EXPECT_EQ(value, p.uniform) << p.name << " " << p.row << " " << p.column;
    InitialValue(normal, p.seed, p.name, 128).fill(p.row, p.column, 1, &value);
    EXPECT_EQ(value, p.normal) << p.name << " " << p.row << " " << p.column;
  }
}

TEST(InitialValue, RangesOfColumnsAreTheRow) {
  for (const char *kind : {"uniform", "normal", "constant"}) {
    InitialValues init = valuesOf(kind, 0.5);
    InitialValue value(init, 9, "x", 23);
    std::vector<float> row(23);
    value.fill(4, 0, 23, row.data());
    for (int64_t first = 0; first < 23; ++first)
      for (int64_t n = 0; n <= 23 - first; ++n) {
        std::vector<float> part(n);
        value.fill(4, first, n, part.data());
        ASSERT_EQ(part, std::vector<float>(row.begin() + first, row.begin() + first + n)) << kind;
      }
  }
}

TEST(InitialValue, MomentsAndBounds) {
  constexpr int64_t n = 200000;
  std::vector<float> values(n);
  InitialValues uniform = valuesOf("uniform", 0.25), normal = valuesOf("normal", 0.25);
  InitialValue(uniform, 3, "u", n).fill(0, 0, n, values.data());
  double sum = 0, squares = 0;
  for (float v : values) {
    ASSERT_LT(std::abs(v), 0.25f);
    sum += v;
    squares += double(v) * v;
  }
  EXPECT_NEAR(sum / n, 0, 0.0015);
  EXPECT_NEAR(squares / n, 0.0625 / 3, 2e-4);
  InitialValue(normal, 3, "n", n).fill(0, 0, n, values.data());
  sum = squares = 0;
  for (float v : values) {
    sum += v;
    squares += double(v) * v;
  }
  EXPECT_NEAR(sum / n, 0, 0.002);
  EXPECT_NEAR(squares / n, 0.0625, 1e-3);
}

TEST(InitialValue, QuantilesAndLogarithm) {
  // Reference: the normal quantile to full double precision.
  constexpr double expected[][2] = {
      {1e-9, -5.9978070150076865},    {0.001, -3.090232306167813},   {0.02424, -1.973136611944544},
      {0.02426, -1.9727855514678603}, {0.3, -0.5244005127080407},    {0.7, 0.5244005127080407},
      {0.97574, 1.9727855514678616},  {0.97576, 1.9731366119445435}, {0.999, 3.090232306167813}};
  for (auto [p, x] : expected)
    EXPECT_NEAR(inverseNormal(p) / x, 1, 1.2e-9) << p;
  EXPECT_EQ(inverseNormal(0.5), 0);
  for (double x = 1e-30; x < 1e30; x *= 1.37)
    EXPECT_NEAR(plainLog(x), std::log(x), 4.5e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  EXPECT_EQ(plainLog(1), 0);
}

TEST(InitialValue, ValuesAndConstants) {
  InitialValues init = valuesOf("values", 0);
  init.values = {1, 2, 3, 4, 5, 6};
  float out[2];
  InitialValue(init, 1, "x", 3).fill(1, 1, 2, out);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 6);
  EXPECT_TRUE(InitialValue(valuesOf("constant", 0), 1, "x", 3).isZero());
  EXPECT_FALSE(InitialValue(valuesOf("constant", 2), 1, "x", 3).isZero());
}

TEST(InitialValue, Mistakes) {
  InitialValues init = valuesOf("values", 0);
  init.values = {1, 2, 3};
  EXPECT_EQ(InitialValue::check(init, "layer/w", 2, 2).message(),
            "parameter `layer/w`: expected 2 x 2 initial values, but got 3");
  EXPECT_EQ(InitialValue::check(valuesOf("xavier", 1), "layer/w", 2, 2).message(),
            "parameter `layer/w`: expected initial values of kind `constant`, `uniform`, `normal` or `values`, but got "
            "`xavier`");
}

} // namespace
} // namespace sparsec
