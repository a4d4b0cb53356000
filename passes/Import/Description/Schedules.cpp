#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Model.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <fmt/format.h>
#include <map>

namespace sparsec::description {

std::optional<LoadedSchedules> loadSchedules(const std::string &path, Diagnostics &diagnostics) {
  LoadedSchedules loaded;
  loaded.places = std::make_shared<Node>();
  size_t before = diagnostics.errorCount();
  readFile(path, 0, loaded.schedules, *loaded.places, diagnostics);
  if (diagnostics.errorCount() != before)
    return std::nullopt;
  checkFile(loaded.schedules, *loaded.places, "file of schedules", diagnostics);
  std::map<std::tuple<int64_t, bool, int, double>, int> classes;
  for (int i = 0; i < loaded.schedules.lookup_size(); ++i) {
    const TunedLookup &lookup = loaded.schedules.lookup(i);
    const Node &block = loaded.places->child("lookup", i);
    checkFields(lookup, block, "`lookup`", diagnostics);
    auto [first, isNew] =
        classes.try_emplace({lookup.dim(), lookup.weighted(), lookup.element(), lookup.bag_length()}, i);
    if (!isNew)
      diagnostics
          .error(block.place, fmt::format("lookups of {} columns with bags of {} ids stand here twice", lookup.dim(),
                                          decimal(lookup.bag_length())))
          .note(loaded.places->child("lookup", first->second).place, "the first is here");
  }
  if (diagnostics.errorCount() != before)
    return std::nullopt;
  setSchemaDefaults(loaded.schedules);
  return loaded;
}

} // namespace sparsec::description
