// What becomes of a field: a label, numbers, or a bag of ids. One class for each, in files of their names.
#pragma once
#include "sparsec/Batch.h"
#include "sparsec/Program.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::data {

/// Where the row being parsed goes, and what was found wrong in it.
struct RowState {
  Batch &batch;
  int64_t sample = 0;  // place in the batch
  std::string fault{}; // text of the error, without the place
  // For each feature: which positions of this row's bag lost their ids, as a sum of hashes. Bags of one length whose
  // ids were lost at different positions would not pair up. Empty if no feature has `same_length_as`.
  std::vector<uint64_t> lost{};
};

class Field {
public:
  virtual ~Field() = default;
  /// False: the row is at fault, and says so in `fault`.
  virtual bool parse(std::string_view text, RowState &) const = 0;
};

/// The texts that mean `no value`; the empty one always does.
class MissingTexts {
public:
  explicit MissingTexts(std::vector<std::string> texts) : texts(std::move(texts)) {}
  bool contains(std::string_view text) const {
    if (text.empty())
      return true;
    for (const std::string &t : texts)
      if (t == text)
        return true;
    return false;
  }

private:
  std::vector<std::string> texts;
};

/// Elements of a field, one after the other; without a separator the field is the only one.
class Elements {
public:
  Elements(std::string_view text, std::string_view separator) : rest(text), separator(separator) {}
  bool next(std::string_view &element);

private:
  std::string_view rest, separator;
  bool done = false;
};
inline bool Elements::next(std::string_view &element) {
  if (done)
    return false;
  size_t end = separator.empty()       ? std::string_view::npos
               : separator.size() == 1 ? rest.find(separator[0])
                                       : rest.find(separator);
  done = end == std::string_view::npos;
  element = rest.substr(0, end);
  if (!done)
    rest.remove_prefix(end + separator.size());
  return true;
}

/// Program::labels[label]. Labels of a bce task must lie in [0, 1].
Result<std::unique_ptr<Field>> makeLabelField(const Program &, int64_t label);
/// Program::features[feature].
Result<std::unique_ptr<Field>> makeNumberField(const Program &, int64_t feature);
Result<std::unique_ptr<Field>> makeBagField(const Program &, int64_t feature);
Result<std::unique_ptr<Field>> makeFeatureField(const Program &, int64_t feature);

} // namespace sparsec::data
