// The rule of a feature that turns a text into an id.
#pragma once
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include <cstdint>
#include <memory>
#include <string_view>

namespace sparsec::data {

enum class IdText { Good, NotAnInteger, TooLarge, NotANumber, NotFinite, UnknownWord };

class Transform {
public:
  virtual ~Transform() = default;
  /// Good: `id` is set, and may still lie outside [0, ids()).
  virtual IdText apply(std::string_view text, int64_t &id) const = 0;
  virtual int64_t ids() const = 0;
};

/// By the feature's kind. Fails if its fields do not fit.
Result<std::unique_ptr<Transform>> makeTransform(const FeatureColumn &);

// Each in the file of its name.
std::unique_ptr<Transform> makeIdentity(int64_t ids);
std::unique_ptr<Transform> makeModulo(int64_t ids);
std::unique_ptr<Transform> makeHash(int64_t ids, uint64_t seed);
std::unique_ptr<Transform> makeVocabulary(const std::vector<std::string> &words, int64_t oovIds);
std::unique_ptr<Transform> makeBucketize(const std::vector<double> &bounds);

} // namespace sparsec::data
