#include "Fields.h"
#include "Numbers.h"
#include "TextForMessage.h"
#include <cmath>
#include <fmt/format.h>

namespace sparsec::data {
namespace {

bool oneOf(const std::vector<std::string> &texts, std::string_view text) {
  for (const std::string &t : texts)
    if (t == text)
      return true;
  return false;
}

class LabelField : public Field {
public:
  LabelField(const Program &p, int64_t index) : label(p.labels[index]), missing(p.data.missing), index(index) {
    for (const TaskInfo &task : p.tasks)
      probability |= task.label == index && task.loss == "bce";
  }

  bool parse(std::string_view text, RowState &row) const override {
    float value;
    if (label.positive.empty() && label.negative.empty()) {
      if (!number(text, row, value))
        return false;
    } else if (oneOf(label.positive, text)) {
      value = 1;
    } else if (oneOf(label.negative, text)) {
      value = 0;
    } else {
      row.fault = missing.contains(text)
                      ? fmt::format("label `{}`: the value is missing", label.name)
                      : fmt::format("label `{}`: {} is neither among its `positive` nor its `negative` "
                                    "texts",
                                    label.name, quoted(text));
      return false;
    }
    row.batch.labels[index][row.sample] = value;
    return true;
  }

private:
  bool number(std::string_view text, RowState &row, float &value) const {
    if (missing.contains(text)) {
      row.fault = fmt::format("label `{}`: the value is missing", label.name);
      return false;
    }
    double x = 0;
    NumberText kind = parseNumber(text, x);
    value = static_cast<float>(x);
    if (kind != NumberText::Good || !std::isfinite(value)) {
      row.fault = fmt::format("label `{}`: expected {}, but got {}", label.name,
                              kind == NumberText::NotANumber ? "a number" : "a finite number", quoted(text));
      return false;
    }
    if (probability && !(value >= 0 && value <= 1)) {
      row.fault = fmt::format("label `{}`: a task with loss `bce` needs labels in [0, 1], but got {}", label.name,
                              quoted(text));
      return false;
    }
    return true;
  }

  LabelColumn label;
  MissingTexts missing;
  int64_t index;
  bool probability = false;
};

} // namespace

Result<std::unique_ptr<Field>> makeLabelField(const Program &p, int64_t label) {
  return std::unique_ptr<Field>(std::make_unique<LabelField>(p, label));
}

} // namespace sparsec::data
