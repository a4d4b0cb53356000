#include "Fields.h"
#include "Hashing.h"
#include "Numbers.h"
#include "TextForMessage.h"
#include "transforms/Transform.h"
#include <cmath>
#include <fmt/format.h>

namespace sparsec::data {
namespace {

enum class Missing { Refuse, EmptyBag, AsText };
enum class OutOfRange { Error, Drop, Clamp, Zero };

/// In this order: missing (the whole field), split, cut to max_length, transform, policy.
class BagField : public Field {
public:
  BagField(const Program &p, int64_t index, std::unique_ptr<Transform> transform)
      : feature(p.features[index]), missingTexts(p.data.missing), index(index), transform(std::move(transform)),
        ids(this->transform->ids()), weighted(!feature.weightSeparator.empty()) {
    missing = feature.missing == "EMPTY_BAG" ? Missing::EmptyBag
              : feature.missing == "AS_TEXT" ? Missing::AsText
                                             : Missing::Refuse;
    policy = feature.outOfRange == "DROP"    ? OutOfRange::Drop
             : feature.outOfRange == "CLAMP" ? OutOfRange::Clamp
             : feature.outOfRange == "ZERO"  ? OutOfRange::Zero
                                             : OutOfRange::Error;
  }

  bool parse(std::string_view text, RowState &row) const override {
    IdBatch &bags = row.batch.ids[index];
    if (missingTexts.contains(text)) {
      ++row.batch.counters[index].missing;
      if (missing == Missing::Refuse) {
        row.fault = fmt::format("feature `{}`: the value is missing; `missing: EMPTY_BAG` or `missing: AS_TEXT` would "
                                "accept that",
                                feature.name);
        return false;
      }
      if (missing == Missing::EmptyBag) {
        bags.endBag(0);
        return true;
      }
    }
    int64_t count = 0, position = 0;
    if (feature.separator.empty()) {
      if (!element(text, 0, row, count))
        return false;
      bags.endBag(count);
      return true;
    }
    int64_t skipped = skipFront(text, row);
    std::string_view part;
    for (Elements elements(text, feature.separator); elements.next(part); ++position) {
      if (position < skipped)
        continue;
      if (feature.maxLength && position - skipped >= feature.maxLength) {
        ++row.batch.counters[index].cut;
        continue;
      }
      if (!element(part, position - skipped, row, count))
        return false;
    }
    bags.endBag(count);
    return true;
  }

private:
  /// How many elements `keep: LAST` cuts.
  int64_t skipFront(std::string_view text, RowState &row) const {
    if (!feature.maxLength || feature.keep != "LAST")
      return 0;
    int64_t n = 0;
    std::string_view part;
    for (Elements elements(text, feature.separator); elements.next(part);)
      ++n;
    int64_t skipped = std::max<int64_t>(n - feature.maxLength, 0);
    row.batch.counters[index].cut += skipped;
    return skipped;
  }

  /// `count` counts ids that stay, and those of policy `zero`.
  bool element(std::string_view text, int64_t position, RowState &row, int64_t &count) const {
    float weight = 1;
    if (weighted && !splitWeight(text, weight, row))
      return false;
    int64_t id = 0;
    IdText kind = transform->apply(text, id);
    if (kind != IdText::Good && kind != IdText::UnknownWord)
      return refuse(kind, text, row);
    if (kind == IdText::UnknownWord || static_cast<uint64_t>(id) >= static_cast<uint64_t>(ids)) {
      if (policy == OutOfRange::Error)
        return outOfRange(kind, text, id, row);
      if (policy != OutOfRange::Clamp) {
        IdCounters &counters = row.batch.counters[index];
        ++(policy == OutOfRange::Zero ? counters.zeroed : counters.dropped);
        count += policy == OutOfRange::Zero;
        if (!row.lost.empty())
          row.lost[index] += XXH64(&position, sizeof(position), 0);
        return true;
      }
      ++row.batch.counters[index].clamped;
      id = id < 0 ? 0 : ids - 1;
    }
    ++count;
    row.batch.ids[index].values.push(id);
    if (weighted)
      row.batch.ids[index].weights.push(weight);
    return true;
  }

  /// At the last separator: a word may hold one too.
  bool splitWeight(std::string_view &text, float &weight, RowState &row) const {
    size_t at = text.rfind(feature.weightSeparator);
    if (at == std::string_view::npos) {
      row.fault = fmt::format("feature `{}`: expected an id, `{}` and a weight, but got {}", feature.name,
                              feature.weightSeparator, quoted(text));
      return false;
    }
    double x = 0;
    std::string_view number = text.substr(at + feature.weightSeparator.size());
    NumberText kind = parseNumber(number, x);
    weight = static_cast<float>(x);
    if (kind != NumberText::Good || !std::isfinite(weight)) {
      row.fault = fmt::format("feature `{}`: expected {} as weight, but got {}", feature.name,
                              kind == NumberText::NotANumber ? "a number" : "a finite number", quoted(number));
      return false;
    }
    text = text.substr(0, at);
    return true;
  }

  bool refuse(IdText kind, std::string_view text, RowState &row) const {
    const char *expected = kind == IdText::TooLarge     ? "a number of 64 bits"
                           : kind == IdText::NotANumber ? "a number"
                           : kind == IdText::NotFinite  ? "a finite number"
                                                        : "an integer";
    row.fault = fmt::format("feature `{}`: expected {}, but got {}", feature.name, expected, quoted(text));
    return false;
  }

  bool outOfRange(IdText kind, std::string_view text, int64_t id, RowState &row) const {
    row.fault = kind == IdText::UnknownWord
                    ? fmt::format("feature `{}`: the vocabulary of {} words has no {}", feature.name, ids, quoted(text))
                    : fmt::format("feature `{}`: id {} is outside [0, {})", feature.name, id, ids);
    return false;
  }

  FeatureColumn feature;
  MissingTexts missingTexts;
  int64_t index;
  std::unique_ptr<Transform> transform;
  int64_t ids;
  bool weighted;
  Missing missing;
  OutOfRange policy;
};

} // namespace

Result<std::unique_ptr<Field>> makeBagField(const Program &p, int64_t index) {
  Result<std::unique_ptr<Transform>> transform = makeTransform(p.features[index]);
  if (!transform)
    return transform.status();
  return std::unique_ptr<Field>(std::make_unique<BagField>(p, index, std::move(*transform)));
}

} // namespace sparsec::data
