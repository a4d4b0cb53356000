#include "passes/Import/Description/Pattern.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::description {
namespace {

// Letters, digits, `_ . -`, with `/` between parts.
bool isName(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.back() == '/' || name.find("//") != name.npos)
    return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
          c == '-' || c == '/'))
      return false;
  return true;
}

class NameStage {
public:
  explicit NameStage(Context &context) : c(context), loaded(context.loaded) {}

  void run() {
    const Model &model = c.model();
    checkName(model.name(), "model", loaded.places->value("name"));
    size_t before = c.diagnostics.errorCount();
    declare(model.feature(), "feature", c.features);
    repeatsFollow = c.diagnostics.errorCount() != before;
    declare(model.table(), "table", c.tables);
    declare(model.label(), "label", c.labels);
    for (int i = 0; i < model.feature_size(); ++i) {
      const Feature &feature = model.feature(i);
      const Node &block = c.block("feature", i);
      FeatureInfo &info = loaded.features.emplace_back();
      info.number = feature.has_number();
      info.place = block.value("name");
      if (feature.has_group()) {
        if (!isName(feature.group()) || feature.group().find("..") != std::string::npos)
          c.diagnostics.error(block.value("group"), ticked(feature.group()) + " is no name for a group");
        loaded.groups[feature.group()].push_back(i);
      }
      if (feature.has_number())
        loaded.tensors.try_emplace(feature.name(0), TensorRef{TensorRef::Feature, i});
      if (feature.column_size() && feature.column(0).empty())
        c.diagnostics.error(block.value("column"), "a column needs a name");
    }
    for (int i = 0; i < model.table_size(); ++i)
      loaded.tables.push_back({{}, c.block("table", i).value("name")});
    tensors(model.lookup(), "lookup", TensorRef::Lookup);
    tensors(model.layer(), "layer", TensorRef::Layer);
    lookups();
    layers();
    tasks();
  }

private:
  void checkName(const std::string &name, std::string_view kind, const Place &place) {
    if (!isName(name))
      c.diagnostics.perPattern(place, "no name", fmt::format("{} is no name for a {}", ticked(name), kind))
          .note("a name has letters, digits, `_ . -`, with `/` between parts");
  }

  template <class Blocks> void declare(const Blocks &blocks, std::string_view kind, Index &index) {
    for (int i = 0; i < blocks.size(); ++i) {
      const std::string &name = blocks[i].name(0);
      const Place place = c.block(kind, i).value("name");
      checkName(name, kind, place);
      if (auto [entry, isNew] = index.try_emplace(name, i); !isNew && !repeatsFollow)
        c.diagnostics.perPattern(place, "twice", fmt::format("{} `{}` is declared twice", kind, name))
            .note(c.block(kind, entry->second).value("name"), "the first is here");
    }
  }

  template <class Blocks> void tensors(const Blocks &blocks, std::string_view kind, TensorRef::Kind tensor) {
    for (int i = 0; i < blocks.size(); ++i) {
      const Place place = c.block(kind, i).value("name");
      const std::string &name = blocks[i].name(0);
      checkName(name, kind, place);
      auto [entry, isNew] = loaded.tensors.try_emplace(name, TensorRef{tensor, i});
      if (!isNew && !repeatsFollow)
        c.diagnostics
            .perPattern(place, "name of another", fmt::format("{} `{}` has the name of another tensor", kind, name))
            .note(loaded.placeOf(entry->second), "the first is here");
    }
  }

  // Searching for hints is for people, and takes a while: after many errors nobody reads on.
  bool tooMany() const { return c.diagnostics.errorCount() > 100; }

  template <class Map> void suggest(Diagnostic &diagnostic, const std::string &name, const Map &map) {
    if (tooMany() || diagnostic.isMerged())
      return;
    std::vector<std::string_view> known;
    for (const auto &[key, value] : map)
      known.push_back(key);
    std::sort(known.begin(), known.end());
    if (auto near = nearest(name, known); !near.empty())
      diagnostic.note(fmt::format("did you mean `{}`?", near));
  }

  int find(const Index &index, std::string_view kind, const std::string &name, const Place &place) {
    if (auto found = index.find(name); found != index.end())
      return found->second;
    suggest(c.diagnostics.perPattern(place, fmt::format("no {}", kind), fmt::format("no {} {}", kind, ticked(name))),
            name, index);
    return -1;
  }

  TensorRef tensor(const std::string &name, const Place &place) {
    if (auto found = loaded.tensors.find(name); found != loaded.tensors.end())
      return found->second;
    constexpr auto rule = "no tensor";
    if (c.features.contains(name)) {
      c.diagnostics.perPattern(place, rule, fmt::format("no tensor {}", ticked(name)))
          .note(fmt::format("feature `{}` makes ids: read a table with a `lookup` first", name));
      return {};
    }
    int64_t longer = 0;
    std::string prefix = name + "/";
    for (auto i = loaded.tensors.lower_bound(prefix);
         !tooMany() && i != loaded.tensors.end() && i->first.starts_with(prefix); ++i)
      ++longer;
    if (longer) {
      std::string all = allOf(prefix);
      c.diagnostics.perPattern(place, rule, fmt::format("no tensor {}", ticked(name)))
          .note(longer == 1 ? fmt::format("one tensor begins with `{0}`; write `{1}`", prefix,
                                          loaded.tensors.lower_bound(prefix)->first)
                : all.empty()
                    ? fmt::format("{} tensors begin with `{}`", longer, prefix)
                    : fmt::format("{} tensors begin with `{}`; write `{}` for all of them", longer, prefix, all));
      return {};
    }
    suggest(c.diagnostics.perPattern(place, rule, fmt::format("no feature, lookup or layer {}", ticked(name))), name,
            loaded.tensors);
    return {};
  }

  // The one pattern that declares names with this prefix.
  std::string allOf(const std::string &prefix) const {
    std::string all;
    auto search = [&](const auto &blocks) {
      for (const auto &block : blocks)
        for (const std::string &name : block.name())
          if (isPattern(name) && name.starts_with(prefix))
            all = all.empty() ? name : "?";
    };
    search(c.written.lookup());
    search(c.written.layer());
    return all == "?" ? "" : all;
  }

  void lookups() {
    const Model &model = c.model();
    for (int i = 0; i < model.feature_size(); ++i)
      if (model.feature(i).has_same_length_as())
        find(c.features, "feature", model.feature(i).same_length_as(), c.block("feature", i).value("same_length_as"));
    for (int i = 0; i < model.lookup_size(); ++i) {
      const Lookup &lookup = model.lookup(i);
      const Node &block = c.block("lookup", i);
      LookupInfo info;
      info.place = block.value("name");
      for (const char *field : {"feature", "table"})
        if (!block.has(field))
          c.diagnostics.error(block.place, fmt::format("lookup `{}` needs `{}`", lookup.name(0), field), field);
      if (lookup.feature_size())
        info.feature = find(c.features, "feature", lookup.feature(0), block.value("feature"));
      if (lookup.table_size())
        info.table = find(c.tables, "table", lookup.table(0), block.value("table"));
      if (info.table >= 0)
        loaded.tables[info.table].lookups.push_back(i);
      loaded.lookups.push_back(info);
    }
  }

  void layers() {
    const Model &model = c.model();
    for (int i = 0; i < model.layer_size(); ++i) {
      const Layer &layer = model.layer(i);
      const Node &block = c.block("layer", i);
      LayerInfo info;
      info.place = block.value("name");
      for (int k = 0; k < layer.input_size(); ++k)
        info.inputs.push_back(tensor(layer.input(k), block.value("input", k)));
      auto part = [&](std::string_view kind, const char *field, bool has, const std::string &name) {
        if (has)
          info.inputs.push_back(tensor(name, block.child(kind).value(field)));
      };
      if (layer.has_subtract()) {
        part("subtract", "left", layer.subtract().has_left(), layer.subtract().left());
        part("subtract", "right", layer.subtract().has_right(), layer.subtract().right());
      } else if (layer.has_gate()) {
        part("gate", "value", layer.gate().has_value(), layer.gate().value());
        part("gate", "gate", layer.gate().has_gate(), layer.gate().gate());
      } else if (layer.has_target_attention()) {
        part("target_attention", "query", layer.target_attention().has_query(), layer.target_attention().query());
        part("target_attention", "keys", layer.target_attention().has_keys(), layer.target_attention().keys());
      } else if (layer.has_mixture()) {
        part("mixture", "gate", layer.mixture().has_gate(), layer.mixture().gate());
        for (int k = 0; k < layer.mixture().expert_size(); ++k)
          info.inputs.push_back(tensor(layer.mixture().expert(k), block.child("mixture").value("expert", k)));
      }
      loaded.layers.push_back(std::move(info));
    }
  }

  void tasks() {
    const Model &model = c.model();
    for (int i = 0; i < model.task_size(); ++i) {
      const Task &task = model.task(i);
      const Node &block = c.block("task", i);
      TaskInfo info;
      info.place = block.value("name");
      if (task.has_name()) {
        checkName(task.name(), "task", info.place);
        if (auto [entry, isNew] = c.tasks.try_emplace(task.name(), i); !isNew)
          c.diagnostics.error(info.place, fmt::format("task `{}` is declared twice", task.name()))
              .note(c.block("task", entry->second).value("name"), "the first is here");
      }
      if (task.has_input())
        info.input = tensor(task.input(), block.value("input"));
      if (task.has_label())
        info.label = find(c.labels, "label", task.label(), block.value("label"));
      if (task.twin_focus().has_easy())
        tensor(task.twin_focus().easy(), block.child("twin_focus").value("easy"));
      if (task.twin_focus().has_hard())
        tensor(task.twin_focus().hard(), block.child("twin_focus").value("hard"));
      loaded.tasks.push_back(info);
    }
    const auto &stop = model.training().early_stop();
    if (stop.has_task())
      find(c.tasks, "task", stop.task(), loaded.places->child("training").child("early_stop").value("task"));
  }

  Context &c;
  Loaded &loaded;
  bool repeatsFollow = false; // a feature declared twice repeats itself in every `{group}`
};

} // namespace

void checkNames(Context &context) { NameStage(context).run(); }

} // namespace sparsec::description
