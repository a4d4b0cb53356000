#include "reference/Random.h"
#include "dialect/proto/model.pb.h"
#include <cmath>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sparsec::reference {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> c, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(c[0]) * 0xD2511F53u, b = uint64_t(c[2]) * 0xCD9E8D57u;
    c = {uint32_t(b >> 32) ^ c[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return c;
}

static std::array<uint32_t, 2> keyOf(const std::string &name, uint64_t seed) {
  uint64_t hash = XXH64(name.data(), name.size(), seed);
  return {uint32_t(hash), uint32_t(hash >> 32)};
}

/// The quantile of the standard normal distribution: bisection on the distribution itself.
static double normalQuantile(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return low;
}

namespace {
struct Rule {
  enum { constant, uniform, normal } kind;
  double scale;
};
} // namespace

static Rule ruleOf(const Init &init, double in, double out) {
  if (init.has_uniform())
    return {Rule::uniform, init.uniform()};
  if (init.has_normal())
    return {Rule::normal, init.normal()};
  if (!init.has_scaled())
    return {Rule::constant, init.constant()};
  switch (init.scaled()) {
  case Init::GLOROT_UNIFORM:
    return {Rule::uniform, std::sqrt(6 / (in + out))};
  case Init::GLOROT_NORMAL:
    return {Rule::normal, std::sqrt(2 / (in + out))};
  case Init::HE_UNIFORM:
    return {Rule::uniform, std::sqrt(6 / in)};
  case Init::HE_NORMAL:
    return {Rule::normal, std::sqrt(2 / in)};
  }
  return {Rule::constant, 0};
}

Matrix initialValues(const Init &init, uint64_t seed, const std::string &name, int64_t rows, int64_t cols, int64_t in,
                     int64_t out) {
  Matrix m(rows, cols);
  if (init.values_size()) {
    for (int64_t i = 0; i < rows * cols; ++i)
      m.values[i] = float(init.values(int(i)));
    return m;
  }
  Rule rule = ruleOf(init, double(in), double(out));
  auto key = keyOf(name, seed);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      uint32_t x = philox4x32({uint32_t(r), uint32_t(uint64_t(r) >> 32), uint32_t(c / 4), 0}, key)[c % 4];
      double unit = rule.kind == Rule::uniform  ? (2 * std::floor(x / 256.0) + 1 - 16777216) / 16777216
                    : rule.kind == Rule::normal ? normalQuantile((2.0 * x + 1) / 8589934592.0)
                                                : 1;
      m(r, c) = float(rule.scale * unit);
    }
  return m;
}

Matrix dropoutFactors(const std::string &stream, uint64_t seed, double rate, int64_t step, int64_t rows, int64_t cols) {
  Matrix m(rows, cols);
  auto key = keyOf(stream, seed);
  double threshold = std::min(std::round(rate * 4294967296.0), 4294967295.0);
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t c = 0; c < cols; ++c) {
      uint32_t x = philox4x32({uint32_t(step), uint32_t(n), uint32_t(c), 0}, key)[0];
      m(n, c) = x < threshold ? 0 : 1 / (1 - rate);
    }
  return m;
}

} // namespace sparsec::reference
