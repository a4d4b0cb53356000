#include "../Hashing.h"
#include "Transform.h"
#include <string>
#include <unordered_map>

namespace sparsec::data {
namespace {

struct WordHash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return hash64(word, 0); }
};

/// A word's id is its place in the list; other words share the `oovIds` ids after it, by XXH64 with seed 0.
class Vocabulary : public Transform {
public:
  Vocabulary(const std::vector<std::string> &words, int64_t oovIds) : words(words.size()), oovIds(oovIds) {
    places.reserve(words.size());
    int64_t place = 0; // the first of two equal words counts
    for (const std::string &word : words)
      places.emplace(word, place++);
  }
  IdText apply(std::string_view text, int64_t &id) const override {
    if (auto found = places.find(text); found != places.end()) {
      id = found->second;
      return IdText::Good;
    }
    if (oovIds < 1)
      return IdText::UnknownWord;
    id = words + static_cast<int64_t>(hash64(text, 0) % static_cast<uint64_t>(oovIds));
    return IdText::Good;
  }
  int64_t ids() const override { return words + oovIds; }

private:
  std::unordered_map<std::string, int64_t, WordHash, std::equal_to<>> places;
  int64_t words, oovIds;
};

} // namespace

std::unique_ptr<Transform> makeVocabulary(const std::vector<std::string> &words, int64_t oovIds) {
  return std::make_unique<Vocabulary>(words, oovIds);
}

} // namespace sparsec::data
