#include "cli/DataReport.h"
#include <fmt/format.h>

namespace sparsec::cli {

Result<std::vector<std::string>> dataReport(const Session &session, const BatchSource &source) {
  constexpr const char *words[] = {"dropped", "clamped", "zeroed", "cut off at max_length", "missing"};
  constexpr size_t kinds = 5;
  const std::vector<FeatureColumn> &features = session.program().features;
  DataCounters counters = source.counters();
  std::vector<int64_t> sums(features.size() * kinds, 0);
  for (size_t f = 0; f < features.size() && f < counters.features.size(); ++f) {
    const IdCounters &c = counters.features[f];
    int64_t values[kinds] = {c.dropped, c.clamped, c.zeroed, c.cut, c.missing};
    std::copy(values, values + kinds, sums.begin() + int64_t(f * kinds));
  }
  if (Status s = session.world().allReduceSum(sums.data(), int64_t(sums.size())); !s)
    return s;

  std::vector<std::string> lines;
  for (size_t f = 0; f < features.size(); ++f) {
    std::string line;
    for (size_t k = 0; k < kinds; ++k)
      if (int64_t n = sums[f * kinds + k])
        line += fmt::format("{} {} {}", line.empty() ? "" : ",", n, words[k]);
    if (!line.empty())
      lines.push_back(fmt::format("feature `{}`:{}", features[f].name, line));
  }
  return lines;
}

} // namespace sparsec::cli
