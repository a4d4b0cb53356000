#include "passes/Import/Description/Expand.h"
#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Model.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Schema.h"
#include "passes/Import/Description/Words.h"
#include <fmt/format.h>
#include <set>
#include <unordered_map>

namespace sparsec::description {
namespace {

class PlanCheck {
public:
  PlanCheck(LoadedPlan &loaded, const Loaded &loadedModel, Diagnostics &diagnostics)
      : loaded(loaded), plan(loaded.plan), places(*loaded.places), info(loadedModel), model(loadedModel.model),
        diagnostics(diagnostics) {
    for (int i = 0; i < model.table_size(); ++i)
      index.emplace(model.table(i).name(0), i);
  }

  // Names first: the rest needs to know which tables are meant.
  void run() {
    size_t before = diagnostics.errorCount();
    if (plan.model() != model.name()) {
      diagnostics.error(places.value("model"), fmt::format("this plan is for model {}, but the model is `{}`",
                                                           ticked(plan.model()), model.name()));
      return;
    }
    for (int i = 0; i < plan.table_size(); ++i)
      loaded.tables.push_back(find(plan.table(i).name(0), places.child("table", i).value("name")));
    names();
    if (diagnostics.errorCount() != before)
      return;
    checkFields(plan.mesh(), places.child("mesh"), "`mesh`", diagnostics);
    for (int i = 0; i < plan.table_size(); ++i)
      placement(i);
    for (int i = 0; i < plan.together_size(); ++i)
      together(i);
    sync();
  }

private:
  int find(const std::string &name, const Place &place) {
    if (auto found = index.find(name); found != index.end())
      return found->second;
    Diagnostic &d = diagnostics.perPattern(place, "no table", fmt::format("no table {}", ticked(name)));
    std::vector<std::string_view> known;
    if (diagnostics.errorCount() < 100 && !d.isMerged())
      for (const Table &table : model.table())
        known.push_back(table.name(0));
    if (auto near = nearest(name, known); !near.empty())
      d.note(fmt::format("did you mean `{}`?", near));
    return -1;
  }

  void names() {
    std::unordered_map<std::string, int> placed;
    for (int i = 0; i < plan.table_size(); ++i)
      if (auto [entry, isNew] = placed.try_emplace(plan.table(i).name(0), i); !isNew)
        diagnostics
            .perPattern(places.child("table", i).value("name"), "twice",
                        fmt::format("table `{}` is placed twice", entry->first))
            .note(places.child("table", entry->second).value("name"), "the first is here");
    std::unordered_map<std::string, std::pair<int, int>> standing; // `together` block, and place in it
    for (int i = 0; i < plan.together_size(); ++i) {
      const Together &together = plan.together(i);
      const Node &block = places.child("together", i);
      for (int k = 0; k < together.table_size(); ++k) {
        find(together.table(k), block.value("table", k));
        auto [entry, isNew] = standing.try_emplace(together.table(k), i, k);
        auto [first, at] = entry->second;
        if (!isNew && first == i)
          diagnostics.perPattern(block.value("table", k), "twice",
                                 fmt::format("table `{}` is listed twice", entry->first));
        else if (!isNew)
          diagnostics
              .perPattern(block.value("table", k), "two blocks",
                          fmt::format("table `{}` is in two `together` blocks", entry->first))
              .note(places.child("together", first).value("table", at), "the first is here");
      }
      if (together.table_size() < 2)
        diagnostics.error(block.place, "`together` needs two tables or more");
    }
  }

  void placement(int i) {
    const Placement &placement = plan.table(i);
    const Node &block = places.child("table", i);
    const Table &table = model.table(loaded.tables[i]);
    checkFields(placement, block, fmt::format("table `{}`", table.name(0)), diagnostics);
    strategy(placement, block, table);
    exchange(i, block);
    rows(placement, block, table);
  }

  template <class Block> void owners(const Block &strategy, const Node &block) {
    if (!plan.mesh().has_shards() || !inRange(plan.mesh(), "shards"))
      return;
    const auto &ranks = strategy.rank();
    for (int k = 0; k < ranks.size(); ++k)
      if (inRange(strategy, "rank", k) && ranks[k] >= plan.mesh().shards())
        diagnostics
            .error(block.value("rank", k),
                   fmt::format("`rank` must lie in [0, {}), but got {}", plan.mesh().shards(), ranks[k]))
            .note(places.child("mesh").name("shards"), "a group has so many ranks");
  }

  template <class Block, class List>
  void distinct(const Block &strategy, const List &list, const Node &block, const char *field) {
    std::set<int64_t> seen;
    for (int k = 0; k < list.size(); ++k)
      if (inRange(strategy, field, k) && !seen.insert(list[k]).second)
        diagnostics.error(block.value(field, k), fmt::format("`{}` {} is listed twice", field, list[k]));
  }

  void strategy(const Placement &placement, const Node &block, const Table &table) {
    if (placement.has_table_wise())
      owners(placement.table_wise(), block.child("table_wise"));
    auto parts = [&](const char *name, const char *field, const auto &strategy, const auto &list) {
      distinct(strategy, list, block.child(name), field);
      if (list.size() > table.dim(0))
        diagnostics.error(block.child(name).name(field),
                          fmt::format("`{}` has {}, but table `{}` has {}", name, counted(list.size(), field),
                                      table.name(0), counted(table.dim(0), "column")),
                          "columns");
    };
    if (placement.has_column_wise()) {
      owners(placement.column_wise(), block.child("column_wise"));
      parts("column_wise", "rank", placement.column_wise(), placement.column_wise().rank());
    }
    if (placement.has_grid())
      parts("grid", "host", placement.grid(), placement.grid().host());
  }

  bool hasPooling(int table, Lookup::Pooling pooling) const {
    for (int lookup : info.tables[table].lookups)
      if (model.lookup(lookup).pooling() == pooling)
        return true;
    return false;
  }

  void exchange(int i, const Node &block) {
    const Placement &placement = plan.table(i);
    if (!placement.has_exchange())
      return;
    if (placement.has_data_parallel())
      diagnostics.error(block.name("exchange"), "`exchange` does not go with `data_parallel`")
          .note("every rank has all rows");
    const auto *oneof = Placement::descriptor()->FindOneofByName("strategy");
    const auto *chosen = placement.GetReflection()->GetOneofFieldDescriptor(placement, oneof);
    bool splits = chosen && splitsRows(*chosen);
    for (Lookup::Pooling pooling : {Lookup::MAX, Lookup::NONE})
      if (splits && placement.exchange() == Placement::POOLED_ROWS && hasPooling(loaded.tables[i], pooling))
        diagnostics
            .error(block.value("exchange"),
                   fmt::format("POOLED_ROWS does not go with pooling {}, which table `{}` has",
                               Lookup::Pooling_Name(pooling), placement.name(0)),
                   "pooling")
            .note("where rows are split, its rows must travel whole: write UNIQUE_ROWS");
  }

  void rows(const Placement &placement, const Node &block, const Table &table) {
    bool cached = placement.has_tier() && (placement.tier() == Placement::HOST || placement.tier() == Placement::DISK);
    if (cached && !placement.cache_rows_size())
      diagnostics.error(block.place, fmt::format("table `{}` needs `cache_rows`", table.name(0)), "cache_rows")
          .note(block.value("tier"), "rows of this tier are used through a cache on the device");
    if (!cached && placement.cache_rows_size())
      diagnostics.error(block.name("cache_rows"), "`cache_rows` needs `tier: HOST` or `tier: DISK`");
    auto most = [&](const char *field, const google::protobuf::RepeatedField<int64_t> &list) {
      if (list.size() && inRange(placement, field) && list[0] > table.rows(0))
        diagnostics.error(block.value(field),
                          fmt::format("`{}` is {}, but table `{}` has {}", field, list[0], table.name(0),
                                      counted(table.rows(0), "row")),
                          field);
    };
    most("hot_rows", placement.hot_rows());
    most("cache_rows", placement.cache_rows());
    bool hot = placement.hot_rows_size() && placement.hot_rows(0) > 0;
    if (hot && placement.has_data_parallel())
      diagnostics.error(block.name("hot_rows"), "`hot_rows` does not go with `data_parallel`")
          .note("every rank has all rows");
    if (table.update() == Table::WHOLE && (hot || cached))
      diagnostics.error(
          block.name(hot ? "hot_rows" : "tier"),
          fmt::format("table `{}` has `update: WHOLE`, which needs all its rows in one place", table.name(0)), "whole");
  }

  void together(int i) {
    const Together &together = plan.together(i);
    const Node &block = places.child("together", i);
    int64_t owner = -1;
    std::string first;
    for (int k = 0; k < together.table_size(); ++k)
      for (int p = 0; p < plan.table_size(); ++p) {
        const Placement &placement = plan.table(p);
        if (placement.name(0) != together.table(k) || placement.strategy_case() == Placement::STRATEGY_NOT_SET)
          continue;
        const Place other = places.child("table", p).value("name");
        if (!placement.has_table_wise())
          diagnostics
              .perPattern(block.value("table", k), "owner",
                          fmt::format("table `{}` has no one owner", together.table(k)))
              .note(other, "it is placed here; `together` goes with `table_wise`");
        else if (!placement.table_wise().rank_size())
          continue;
        else if (owner < 0) {
          owner = placement.table_wise().rank(0);
          first = together.table(k);
        } else if (placement.table_wise().rank(0) != owner)
          diagnostics
              .perPattern(block.value("table", k), "owner",
                          fmt::format("tables `{}` and `{}` stand together, but have owners {} and {}", first,
                                      together.table(k), owner, placement.table_wise().rank(0)))
              .note(other, "it is placed here");
      }
  }

  void sync() {
    if (!plan.has_sync_every())
      return;
    const Training &training = model.training();
    if (plan.sync_every() < 1)
      diagnostics.error(places.value("sync_every"),
                        fmt::format("`sync_every` must be 1 or more, but got {}", plan.sync_every()));
    else if (!training.has_sync_weights())
      diagnostics.error(places.name("sync_every"), "`sync_every` needs `training.sync_weights` in the model")
          .note("without it gradients are exact");
    else if (plan.sync_every() > training.sync_weights().max_every())
      diagnostics
          .error(places.value("sync_every"), fmt::format("`sync_every` must lie in [1, {}], but got {}",
                                                         training.sync_weights().max_every(), plan.sync_every()))
          .note(info.places->child("training").child("sync_weights").value("max_every"), "the model's limit");
  }

  LoadedPlan &loaded;
  const Plan &plan;
  const Node &places;
  const Loaded &info;
  const Model &model;
  Diagnostics &diagnostics;
  std::unordered_map<std::string, int> index;
};

} // namespace

std::optional<LoadedPlan> loadPlan(const std::string &path, const Loaded &model, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  auto sound = [&] { return diagnostics.errorCount() == before; };
  Plan written;
  Node writtenPlaces;
  if (!readFile(path, 0, written, writtenPlaces, diagnostics))
    return std::nullopt;
  checkFile(written, writtenPlaces, "plan", diagnostics);
  LoadedPlan loaded;
  loaded.places = std::make_shared<Node>();
  Expander::Groups groups;
  for (const auto &[name, members] : model.groups)
    for (int feature : members)
      groups[name].push_back(model.model.feature(feature).name(0));
  if (sound())
    Expander(groups, diagnostics).file(written, writtenPlaces, loaded.plan, *loaded.places);
  if (sound())
    PlanCheck(loaded, model, diagnostics).run();
  if (!sound())
    return std::nullopt;
  return loaded;
}

} // namespace sparsec::description
