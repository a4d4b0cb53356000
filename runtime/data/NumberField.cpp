#include "Fields.h"
#include "Numbers.h"
#include "TextForMessage.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec::data {
namespace {

/// A step with its kind as a number.
struct CompiledStep {
  enum Kind { Min, Max, LogPlus, Scale, Standardise } kind;
  double value, mean, stddev;
};

class NumberField : public Field {
public:
  NumberField(const Program &p, int64_t index, std::vector<CompiledStep> steps)
      : feature(p.features[index]), missing(p.data.missing), index(index), steps(std::move(steps)) {
    for (size_t b = 0; b < p.inputs.size(); ++b) {
      int64_t column = 0;
      for (int64_t f : p.inputs[b].features) {
        if (f == index)
          places.push_back({int64_t(b), column, p.inputs[b].width});
        column += p.features[f].width;
      }
    }
  }

  bool parse(std::string_view text, RowState &row) const override {
    if (missing.contains(text)) {
      ++row.batch.counters[index].missing;
      return fill(row);
    }
    if (feature.width == 1)
      return element(text, 0, row);
    int64_t n = 0;
    std::string_view part;
    for (Elements elements(text, feature.separator); elements.next(part); ++n)
      if (n < feature.width && !element(part, n, row))
        return false;
    if (n != feature.width)
      row.fault = fmt::format("feature `{}`: expected {} numbers, but got {}", feature.name, feature.width, n);
    return n == feature.width;
  }

private:
  struct Place {
    int64_t block, column, width;
  };

  bool fill(RowState &row) const {
    if (!feature.fill) {
      row.fault =
          fmt::format("feature `{}`: the value is missing; `number {{ fill: .. }}` would accept that", feature.name);
      return false;
    }
    for (int64_t i = 0; i < feature.width; ++i)
      if (!store(*feature.fill, i, row))
        return false;
    return true;
  }

  bool element(std::string_view text, int64_t i, RowState &row) const {
    double x;
    NumberText kind = parseNumber(text, x);
    if (kind == NumberText::Good)
      return store(x, i, row);
    row.fault = fmt::format("feature `{}`: expected {}, but got {}", feature.name,
                            kind == NumberText::NotANumber ? "a number" : "a finite number", quoted(text));
    return false;
  }

  bool store(double x, int64_t i, RowState &row) const {
    for (const CompiledStep &step : steps)
      switch (step.kind) {
      case CompiledStep::Min:
        x = std::max(x, step.value);
        break;
      case CompiledStep::Max:
        x = std::min(x, step.value);
        break;
      case CompiledStep::LogPlus:
        if (!(x + step.value > 0)) {
          row.fault = fmt::format("feature `{}`: `log_plus: {}` needs a number above {}, but got {}", feature.name,
                                  step.value, -step.value, x);
          return false;
        }
        x = std::log(x + step.value);
        break;
      case CompiledStep::Scale:
        x *= step.value;
        break;
      case CompiledStep::Standardise:
        x = (x - step.mean) / step.stddev;
        break;
      }
    float value = static_cast<float>(x);
    if (!std::isfinite(value)) {
      row.fault = fmt::format("feature `{}`: {} does not fit a float of 32 bits", feature.name, x);
      return false;
    }
    for (const Place &place : places)
      row.batch.inputs[place.block][row.sample * place.width + place.column + i] = value;
    return true;
  }

  FeatureColumn feature;
  MissingTexts missing;
  int64_t index;
  std::vector<CompiledStep> steps;
  std::vector<Place> places; // an input block may hold it, or several
};

} // namespace

Result<std::unique_ptr<Field>> makeNumberField(const Program &p, int64_t index) {
  const FeatureColumn &f = p.features[index];
  if (f.width < 1 || (f.width > 1 && f.separator.empty()))
    return Status::error(fmt::format("feature `{}`: a width of {} needs a separator", f.name, f.width));
  std::vector<CompiledStep> steps;
  for (const NumberStep &s : f.steps) {
    static const std::pair<const char *, CompiledStep::Kind> kinds[] = {{"min", CompiledStep::Min},
                                                                        {"max", CompiledStep::Max},
                                                                        {"log_plus", CompiledStep::LogPlus},
                                                                        {"scale", CompiledStep::Scale},
                                                                        {"standardise", CompiledStep::Standardise}};
    auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](auto &k) { return s.kind == k.first; });
    if (kind == std::end(kinds))
      return Status::error(fmt::format("feature `{}`: unknown step `{}`", f.name, s.kind));
    if (kind->second == CompiledStep::Standardise && !(s.stddev > 0))
      return Status::error(fmt::format("feature `{}`: `stddev` must be above 0, but is {}", f.name, s.stddev));
    steps.push_back({kind->second, s.value, s.mean, s.stddev});
  }
  return std::unique_ptr<Field>(std::make_unique<NumberField>(p, index, std::move(steps)));
}

} // namespace sparsec::data
