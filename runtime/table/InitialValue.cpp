#include "sparsec/InitialValue.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sparsec {

namespace {

PhiloxKey keyOf(uint64_t seed, std::string_view name) {
  uint64_t hash = XXH64(name.data(), name.size(), seed);
  return {uint32_t(hash), uint32_t(hash >> 32)};
}

float uniformOf(uint32_t word, double bound) {
  int32_t odd = 2 * int32_t(word >> 8) + 1 - (1 << 24);
  return float(bound * (double(odd) * 0x1p-24));
}

float normalOf(uint32_t word, double deviation) {
  return float(deviation * inverseNormal((2.0 * word + 1.0) * 0x1p-33));
}

} // namespace

InitialValue::InitialValue(const InitialValues &init, uint64_t seed, std::string_view name, int64_t columns)
    : init(init), kind(Kind::Constant), constant(float(init.value)), key(keyOf(seed, name)), columns(columns) {
  if (init.kind == "uniform")
    kind = Kind::Uniform;
  else if (init.kind == "normal")
    kind = Kind::Normal;
  else if (init.kind == "values")
    kind = Kind::Values;
}

Status InitialValue::check(const InitialValues &init, std::string_view name, int64_t rows, int64_t columns) {
  if (init.kind == "values") {
    if (int64_t(init.values.size()) == rows * columns)
      return {};
    return Status::error(fmt::format("parameter `{}`: expected {} x {} initial values, but got {}", name, rows, columns,
                                     init.values.size()));
  }
  if (init.kind != "constant" && init.kind != "uniform" && init.kind != "normal")
    return Status::error(fmt::format("parameter `{}`: expected initial values of kind `constant`, `uniform`, `normal` "
                                     "or `values`, but got `{}`",
                                     name, init.kind));
  return {};
}

template <typename F> void InitialValue::fillRandom(int64_t row, int64_t col0, int64_t n, float *out, F value) const {
  int64_t column = col0, end = col0 + n;
  while (column < end) {
    PhiloxCounter words = philox({uint32_t(row), uint32_t(uint64_t(row) >> 32), uint32_t(column / 4), 0}, key);
    for (int64_t stop = std::min(end, column / 4 * 4 + 4); column < stop; ++column)
      *out++ = value(words[column % 4], init.value);
  }
}

void InitialValue::fill(int64_t row, int64_t col0, int64_t n, float *out) const {
  switch (kind) {
  case Kind::Constant:
    std::fill_n(out, n, constant);
    return;
  case Kind::Uniform:
    return fillRandom(row, col0, n, out, uniformOf);
  case Kind::Normal:
    return fillRandom(row, col0, n, out, normalOf);
  case Kind::Values:
    for (int64_t i = 0; i < n; ++i)
      out[i] = float(init.values[row * columns + col0 + i]);
  }
}

} // namespace sparsec
