#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <fmt/format.h>
#include <numeric>

namespace sparsec::description {
namespace {

class TableStage {
public:
  explicit TableStage(Context &context)
      : c(context), loaded(context.loaded), model(context.model()), diagnostics(context.diagnostics) {}

  void run() {
    lengths();
    for (int i = 0; i < model.lookup_size(); ++i)
      lookup(i);
    for (int i = 0; i < model.table_size(); ++i)
      table(i);
  }

private:
  // same_length_as joins features into classes; the first one declared stands for its class.
  void lengths() {
    first.resize(model.feature_size());
    std::iota(first.begin(), first.end(), 0);
    auto root = [&](int i) {
      while (first[i] != i)
        i = first[i] = first[first[i]];
      return i;
    };
    for (int i = 0; i < model.feature_size(); ++i)
      if (model.feature(i).has_same_length_as()) {
        int a = root(i), b = root(c.features.at(model.feature(i).same_length_as()));
        first[std::max(a, b)] = std::min(a, b);
      }
    for (int i = 0; i < model.feature_size(); ++i)
      first[i] = root(i);
  }

  void lookup(int i) {
    const Lookup &lookup = model.lookup(i);
    const Node &block = c.block("lookup", i);
    LookupInfo &info = loaded.lookups[i];
    const std::string what = fmt::format("lookup `{}`", lookup.name(0));
    checkFields(lookup, block, what, diagnostics);
    const FeatureInfo &feature = loaded.features[info.feature];
    const std::string &name = lookup.feature(0);
    if (feature.number) {
      diagnostics
          .perPattern(block.value("feature"), "number",
                      fmt::format("feature `{}` is a number, but a lookup reads ids", name))
          .note("layers read number features without a lookup");
      return;
    }
    if (feature.bag && !lookup.has_pooling())
      diagnostics.error(block.place, fmt::format("{} needs `pooling`", what), "needs pooling")
          .note(fmt::format("feature `{}` has several ids a sample; expected NONE, SUM, MEAN or MAX", name));
    bool sums = !lookup.has_pooling() || lookup.pooling() == Lookup::SUM || lookup.pooling() == Lookup::MEAN;
    if (feature.weighted && !sums)
      diagnostics
          .error(block.value("pooling"),
                 fmt::format("{} does not go with weights, but feature `{}` has them",
                             Lookup::Pooling_Name(lookup.pooling()), name),
                 "weights")
          .note("expected SUM or MEAN");
    if (lookup.position_weights() && !sums)
      diagnostics
          .error(block.name("position_weights"),
                 fmt::format("`position_weights` do not go with {}", Lookup::Pooling_Name(lookup.pooling())))
          .note("expected SUM or MEAN");
    if (lookup.position_weights() && !feature.maxLength)
      diagnostics.error(block.name("position_weights"), "`position_weights` need `max_length`", "max_length")
          .note(c.block("feature", info.feature).value("name"), fmt::format("feature `{}` has none", name));
    info.shape.width = model.table(info.table).dim_size() ? model.table(info.table).dim(0) : 0;
    info.shape.sequence = lookup.has_pooling() && lookup.pooling() == Lookup::NONE;
    info.shape.lengths = info.shape.sequence ? first[info.feature] : -1;
  }

  void table(int i) {
    const Table &table = model.table(i);
    const Node &block = c.block("table", i);
    const std::string &name = table.name(0);
    checkFields(table, block, fmt::format("table `{}`", name), diagnostics);
    if (loaded.tables[i].lookups.empty())
      return;
    if (table.rows_size() && inRange(table, "rows"))
      givenRows(i);
    else if (!table.rows_size())
      inferredRows(i);
    const Table &sized = loaded.model.table(i);
    if (table.has_init() && sized.rows_size() && sized.dim_size() && inRange(sized, "rows") && inRange(sized, "dim"))
      checkInit(table.init(), block.child("init"), name, sized.rows(0) * sized.dim(0), diagnostics);
    if (table.update() == Table::WHOLE && table.has_optimizer())
      wholeUpdate(table.optimizer(), block.child("optimizer"));
    else if (table.update() == Table::WHOLE)
      wholeUpdate(model.training().table_optimizer(), loaded.places->child("training").child("table_optimizer"));
  }

  void wholeUpdate(const Optimizer &optimizer, const Node &places) {
    if (optimizer.has_ftrl())
      diagnostics.error(places.name("ftrl"), "`ftrl` does not go with `update: WHOLE`")
          .note("without a gradient it would still move a row");
  }

  void givenRows(int i) {
    int64_t rows = model.table(i).rows(0);
    for (int reader : loaded.tables[i].lookups) {
      int feature = loaded.lookups[reader].feature;
      if (loaded.features[feature].ids > rows)
        diagnostics.error(c.block("table", i).value("rows"),
                          fmt::format("table `{}` has {}, but feature `{}` has {}", model.table(i).name(0),
                                      counted(rows, "row"), model.feature(feature).name(0),
                                      counted(loaded.features[feature].ids, "id")),
                          "rows");
    }
  }

  void inferredRows(int i) {
    int firstFeature = loaded.lookups[loaded.tables[i].lookups.front()].feature;
    int64_t rows = loaded.features[firstFeature].ids;
    for (int reader : loaded.tables[i].lookups) {
      int feature = loaded.lookups[reader].feature;
      if (int64_t ids = loaded.features[feature].ids; ids != rows && !loaded.features[feature].number)
        diagnostics
            .error(c.block("lookup", reader).value("feature"),
                   fmt::format("features `{}` and `{}` share table `{}`, but have {} and {} ids",
                               model.feature(firstFeature).name(0), model.feature(feature).name(0),
                               model.table(i).name(0), rows, ids),
                   "shared rows")
            .note("write `rows` in the table if that is meant");
    }
    if (rows > 0)
      loaded.model.mutable_table(i)->add_rows(rows);
  }

  Context &c;
  Loaded &loaded;
  const Model &model;
  Diagnostics &diagnostics;
  std::vector<int> first; // of the features with the same lengths
};

} // namespace

void checkTables(Context &context) { TableStage(context).run(); }

void checkInit(const Init &init, const Node &places, const std::string &parameter, int64_t elements,
               Diagnostics &diagnostics) {
  bool rule = init.rule_case() != Init::RULE_NOT_SET;
  if (rule && init.values_size())
    diagnostics.error(places.name("values"), "`values` does not go with a rule").note("drop one of the two");
  else if (!rule && !init.values_size())
    diagnostics.error(places.place, "initial values need a rule")
        .note("expected constant, uniform, normal, scaled or values");
  else if (init.values_size() && init.values_size() != elements)
    diagnostics.error(
        places.name("values"),
        fmt::format("`{}` has {}, but `values` has {}", parameter, counted(elements, "element"), init.values_size()),
        "elements");
}

} // namespace sparsec::description
