#include "Transform.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec::data {

Result<std::unique_ptr<Transform>> makeTransform(const FeatureColumn &f) {
  auto refuse = [&](const char *why) { return Status::error(fmt::format("feature `{}`: {}", f.name, why)); };
  bool counted = f.kind == "identity" || f.kind == "modulo" || f.kind == "hash";
  if (counted && f.ids < 1)
    return refuse("`ids` must be at least 1");
  if (f.outOfRange == "CLAMP" && f.kind != "identity")
    return refuse("`CLAMP` is for `identity` only");
  if (f.kind == "identity")
    return makeIdentity(f.ids);
  if (f.kind == "modulo")
    return makeModulo(f.ids);
  if (f.kind == "hash")
    return makeHash(f.ids, f.hashSeed);
  if (f.kind == "vocabulary") {
    if (f.words.empty() && f.oovIds < 1)
      return refuse("the vocabulary is empty");
    return makeVocabulary(f.words, f.oovIds);
  }
  if (f.kind == "bucketize") {
    bool ascending = std::adjacent_find(f.bounds.begin(), f.bounds.end(),
                                        [](double a, double b) { return !(a < b); }) == f.bounds.end();
    if (!ascending || std::any_of(f.bounds.begin(), f.bounds.end(), [](double b) { return std::isnan(b); }))
      return refuse("`bounds` must ascend");
    return makeBucketize(f.bounds);
  }
  return refuse("it has no known kind");
}

} // namespace sparsec::data
