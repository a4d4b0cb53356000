#include "RowParser.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::data {

Result<std::unique_ptr<RowParser>> RowParser::make(const Program &p, const Layout &layout) {
  auto parser = std::make_unique<RowParser>();
  parser->columns = layout.columns;
  parser->labels = !layout.labelColumn.empty();
  parser->labelCount = p.labels.size();
  parser->featureColumn = layout.featureColumn;
  for (size_t i = 0; i < layout.labelColumn.size() + p.features.size(); ++i) {
    size_t f = i - layout.labelColumn.size();
    bool label = i < layout.labelColumn.size();
    Result<std::unique_ptr<Field>> field = label ? makeLabelField(p, i) : makeFeatureField(p, f);
    if (!field)
      return field.status();
    parser->used.push_back({label ? layout.labelColumn[i] : layout.featureColumn[f], i, std::move(*field)});
  }
  std::sort(parser->used.begin(), parser->used.end(), [](const Column &a, const Column &b) {
    return std::pair(a.column, a.order) < std::pair(b.column, b.order);
  });
  for (const FeatureColumn &f : p.features) {
    parser->names.push_back(f.name);
    parser->weighted.push_back(!f.weightSeparator.empty());
    parser->isBag.push_back(!f.isNumber());
  }
  for (const InputBlock &block : p.inputs)
    parser->inputWidths.push_back(block.width);
  if (Status s = parser->pairUp(p); !s)
    return s;
  return parser;
}

Status RowParser::pairUp(const Program &p) {
  for (size_t f = 0; f < p.features.size(); ++f) {
    const std::string &as = p.features[f].sameLengthAs;
    if (as.empty() || as == p.features[f].name)
      continue;
    auto other = std::find(names.begin(), names.end(), as);
    if (other == names.end() || p.features[other - names.begin()].isNumber() || p.features[f].isNumber())
      return Status::error(fmt::format("feature `{}`: `same_length_as` needs two features with bags, but got `{}`",
                                       p.features[f].name, as));
    pairs.push_back({int64_t(f), other - names.begin()});
  }
  return Status();
}

void RowParser::clear(Batch &batch, int64_t samples) const {
  batch.samples = 0;
  batch.inputs.resize(inputWidths.size());
  for (size_t i = 0; i < inputWidths.size(); ++i)
    batch.inputs[i].resize(samples * inputWidths[i]);
  batch.labels.resize(labelCount);
  for (auto &label : batch.labels)
    label.resize(labels ? samples : 0);
  batch.counters.assign(names.size(), IdCounters());
  batch.ids.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    batch.ids[i].clear();
    batch.ids[i].weighted = weighted[i];
    if (isBag[i])
      batch.ids[i].offsets.reserve(samples + 1);
  }
}

bool RowParser::parse(std::string_view line, RowState &row, RowSplitter &splitter,
                      std::vector<std::string_view> &fields, RowFault &fault) const {
  if (const char *why = splitter.split(line, fields, fault.byte)) {
    fault.text = why;
    return false;
  }
  if (int64_t n = fields.size(); n != columns) {
    fault.byte = splitter.startOf(line, columns);
    fault.text = fmt::format("expected {} columns, but got {}", columns, n);
    return false;
  }
  if (!pairs.empty())
    row.lost.assign(names.size(), 0);
  for (const Column &c : used)
    if (!c.field->parse(fields[c.column], row)) {
      fault.byte = splitter.startOf(line, c.column);
      fault.text = std::move(row.fault);
      return false;
    }
  for (const Pair &pair : pairs)
    if (!lengthsAgree(pair, row)) {
      fault.byte = splitter.startOf(line, featureColumn[pair.feature]);
      fault.text = std::move(row.fault);
      return false;
    }
  return true;
}

bool RowParser::lengthsAgree(const Pair &pair, RowState &row) const {
  auto length = [&](int64_t f) {
    const IdBatch &ids = row.batch.ids[f];
    return ids.offsets[ids.bags()] - ids.offsets[ids.bags() - 1];
  };
  int64_t mine = length(pair.feature), other = length(pair.as);
  if (mine != other)
    row.fault = fmt::format("feature `{}`: has {} ids, but `{}` has {} (`same_length_as`)", names[pair.feature], mine,
                            names[pair.as], other);
  else if (row.lost[pair.feature] != row.lost[pair.as])
    row.fault = fmt::format("feature `{}`: ids out of range were taken out at other places than in `{}` "
                            "(`same_length_as`)",
                            names[pair.feature], names[pair.as]);
  return row.fault.empty();
}

void RowParser::finish(Batch &batch) const {
  if (!batch.status) {
    int64_t samples = batch.samples = 0;
    for (auto &input : batch.inputs)
      input.resize(samples);
    for (auto &label : batch.labels)
      label.resize(samples);
    for (auto &ids : batch.ids)
      ids.clear();
  }
  for (IdBatch &ids : batch.ids)
    ids.finish();
}

} // namespace sparsec::data
