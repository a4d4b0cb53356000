#include "reference/Rows.h"
#include <algorithm>

namespace sparsec::reference {

static std::vector<std::string> split(const std::string &text, const std::string &by) {
  std::vector<std::string> parts;
  size_t first = 0;
  for (size_t at; (at = text.find(by, first)) != std::string::npos; first = at + by.size())
    parts.push_back(text.substr(first, at - first));
  parts.push_back(text.substr(first));
  return parts;
}

static Bag readBag(const Feature &feature, int64_t ids, const std::string &field) {
  Bag bag;
  if (field.empty())
    return bag;
  for (std::string part : feature.separator().empty() ? std::vector{field} : split(field, feature.separator())) {
    double weight = 1;
    if (size_t at; feature.has_weight_separator() && (at = part.rfind(feature.weight_separator())) != part.npos) {
      weight = float(std::stod(part.substr(at + feature.weight_separator().size())));
      part.resize(at);
    }
    int64_t id = std::stoll(part);
    if (id < 0 || id >= ids) {
      if (feature.out_of_range() == Feature::DROP)
        continue;
      id = feature.out_of_range() == Feature::CLAMP ? std::clamp<int64_t>(id, 0, ids - 1) : -1;
    }
    bag.ids.push_back(id);
    if (feature.has_weight_separator())
      bag.weights.push_back(weight);
  }
  return bag;
}

static std::vector<double> readNumbers(const Feature &feature, const std::string &field) {
  std::vector<double> numbers;
  for (const std::string &part : feature.number().width() > 1 ? split(field, feature.separator()) : std::vector{field})
    numbers.push_back(float(std::stod(part)));
  return numbers;
}

std::vector<Row> readRows(const description::Loaded &loaded, const std::string &text) {
  const Model &model = loaded.model;
  auto columnOf = [&](const std::string &name) {
    return size_t(std::find(model.data().column().begin(), model.data().column().end(), name) -
                  model.data().column().begin());
  };
  std::vector<Row> rows;
  for (const std::string &line : split(text, "\n")) {
    if (line.empty())
      continue;
    std::vector<std::string> fields = split(line, model.data().delimiter());
    Row &row = rows.emplace_back();
    row.bags.resize(model.feature_size());
    row.numbers.resize(model.feature_size());
    for (int i = 0; i < model.feature_size(); ++i) {
      const std::string &field = fields.at(columnOf(model.feature(i).column(0)));
      if (loaded.features[i].number)
        row.numbers[i] = readNumbers(model.feature(i), field);
      else
        row.bags[i] = readBag(model.feature(i), loaded.features[i].ids, field);
    }
    for (const Label &label : model.label())
      row.labels.push_back(float(std::stod(fields.at(columnOf(label.column(0))))));
  }
  return rows;
}

} // namespace sparsec::reference
