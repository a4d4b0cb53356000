#include "tune/Report.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::tune {

std::string tableOf(const TunedClass &of, const Measured &measured) {
  size_t best = size_t(std::min_element(measured.times.begin(), measured.times.end()) - measured.times.begin());
  std::string text =
      fmt::format("lookups of {} columns of {}{}: bags of {:g} ids, {} bags in {} table{}\n", of.dim, of.element,
                  of.weighted ? ", weighted" : "", of.bagLength, measured.bags, of.tables, of.tables == 1 ? "" : "s");
  text += fmt::format("  {:>12}  {:>12}  schedule\n", "measured us", "predicted us");
  for (size_t i = 0; i < of.schedules.size(); ++i)
    text += fmt::format("{} {:12.2f}  {:12.2f}  {}\n", i == best ? '*' : ' ', measured.times[i],
                        of.schedules[i].predicted, of.schedules[i].text);
  return text;
}

/// A string of Protobuf's text format.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 32)
      result += fmt::format("\\{:03o}", c);
    else
      result += c;
  return result + "\"";
}

std::string fileOf(const Tuning &tuning, const std::string &architecture, const std::vector<Measured> &measured) {
  std::string text = "# proto-file: schedules.proto\n# proto-message: sparsec.Schedules\nlanguage: 1\n";
  text += fmt::format("architecture: {}\nmodel: {}\n", quoted(architecture), quoted(tuning.model));
  for (size_t i = 0; i < tuning.lookups.size(); ++i) {
    const TunedClass &of = tuning.lookups[i];
    std::string element = of.element;
    std::transform(element.begin(), element.end(), element.begin(), [](unsigned char c) { return std::toupper(c); });
    text += fmt::format("\nlookup {{\n  dim: {}  weighted: {}  element: {}  bag_length: {}  bags: {}  tables: {}\n",
                        of.dim, of.weighted, element, of.bagLength, measured[i].bags, of.tables);
    for (size_t k = 0; k < of.schedules.size(); ++k) {
      const Candidate &c = of.schedules[k];
      text += fmt::format("  schedule {{ chunk: {}  lanes: {}  rows: {}  threads: {}  resident_blocks: {}  "
                          "measured_us: {:.3f}  predicted_us: {:.3f} }}\n",
                          c.chunk, c.lanes, c.rows, c.threads, c.residentBlocks, measured[i].times[k], c.predicted);
    }
    text += "}\n";
  }
  return text;
}

} // namespace sparsec::tune
