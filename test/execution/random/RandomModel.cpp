#include "random/RandomModel.h"
#include "random/RandomLayers.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::execution {

Levels randomLevels(uint64_t seed) {
  Dice dice(seed ^ 0xC0FFEE);
  Levels levels;
  do
    for (int f = 0; f < factorCount; ++f)
      levels[f] = int(dice.below(levelCount(f)));
  while (!isValid(levels));
  return levels;
}

namespace {

struct Feature {
  std::string name;
  int64_t ids;
  bool bag, weighted;
  std::string policy; // of ids out of range; empty: there are none
};

class Maker {
public:
  Maker(uint64_t seed, const Levels &levels) : dice(seed), first(levels) {}

  RandomModel make() {
    model.mesh = meshOf(first);
    int64_t ranks = model.mesh.ranks();
    do
      model.batch = dice.chance(15) ? dice.between(1, ranks) : dice.between(ranks, 3 * ranks + 8);
    while (ranks > 1 && model.batch % ranks == 0);
    int64_t numbers = dice.between(0, 3), tasks = dice.chance(25) ? 2 : 1;
    for (int64_t i = 0; i < numbers; ++i)
      features += fmt::format("feature {{ name: \"x{}\" number {{}} }}\n", i);
    makeTables();
    std::vector<Column> tensors = lookupTensors;
    for (int64_t i = 0; i < numbers; ++i)
      tensors.push_back({fmt::format("x{}", i), 1});
    std::string layers = randomLayers(dice, tensors, int(tasks));
    std::string columns, labels;
    for (int64_t t = 0; t < tasks; ++t) {
      columns += fmt::format("\"y{}\", ", t);
      labels += fmt::format("label {{ name: \"y{}\" }}\n", t);
    }
    for (int64_t i = 0; i < numbers; ++i)
      columns += fmt::format("\"x{}\", ", i);
    for (const Feature &feature : list)
      columns += fmt::format("\"{}\", ", feature.name);
    columns.resize(columns.size() - 2);
    model.description =
        fmt::format("language: 1\nname: \"random\"\ndata {{ delimiter: \";\" column: [{}] }}\n{}{}{}{}{}{}{}", columns,
                    labels, features, tables, lookups, layers, makeTasks(tasks), training());
    makeData(tasks, numbers);
    return std::move(model);
  }

private:
  //===- tables --------------------------------------------------------------------------------------------------===//

  void makeTables() {
    int64_t count = dice.between(1, 4);
    bool oneDim = dice.chance(60);
    for (int64_t t = 0; t < count; ++t) {
      Levels levels = first;
      do {
        if (t) {
          levels = randomLevels(dice.next());
          levels[strategyFactor] = first[strategyFactor];
          if (oneDim)
            levels[dimFactor] = first[dimFactor];
        }
        if (strategyOf(first) == "mixed")
          levels[strategyFactor] = int(dice.below(levelCount(strategyFactor) - 1)); // `mixed` is the last
      } while (!isValid(levels));
      table(t, levels);
    }
  }

  void table(int64_t t, const Levels &levels) {
    int64_t dim = dimOf(levels);
    std::string name = fmt::format("t{}", t);
    int64_t ids = dice.between(2, 3) * dice.between(1, 9), rows = ids + (dice.chance(20) ? dice.between(1, 5) : 0);
    // In wide rows smaller, so that their products do not cancel in sums far above what is left.
    std::vector<std::string> starts = {"", "init { normal: 0.2 }", "init { uniform: 0.3 }"};
    if (dim > 16)
      starts = {"init { normal: 0.02 }", "init { normal: 0.05 }", "init { uniform: 0.08 }"};
    tables +=
        fmt::format("table {{ name: \"{}\" dim: {} rows: {} {} optimizer {{ {} }} update: {} }}\n", name, dim, rows,
                    dice.pick(starts), optimizer(optimizerOf(levels)), wholeOf(levels) ? "WHOLE" : "TOUCHED");
    int64_t readers = dice.chance(40) ? dice.between(2, 3) : 1;
    for (int64_t r = 0; r < readers; ++r) {
      std::string pooling = poolingOf(levels);
      if (r) {
        pooling = levelName(poolingFactor, int(dice.below(levelCount(poolingFactor))));
        if (pooling == "max" && !uniqueOf(levels))
          pooling = "mean";
      }
      lookup(name, dim, ids, pooling);
    }
    model.tables.push_back({name, strategyOf(levels), uniqueOf(levels)});
  }

  void lookup(const std::string &table, int64_t dim, int64_t ids, const std::string &pooling) {
    bool weighted = pooling.starts_with("weighted"), bag = pooling != "single";
    std::string feature;
    for (const Feature &old : list) // one feature into two tables or lookups
      if (old.ids == ids && old.bag == bag && old.weighted == weighted && dice.chance(50))
        feature = old.name;
    if (feature.empty()) {
      feature = fmt::format("f{}", list.size());
      std::vector<std::string> policies = {"DROP", "CLAMP"};
      if (!weighted) // refused for weighted means
        policies.push_back("ZERO");
      std::string policy = dice.chance(30) ? dice.pick(policies) : "";
      list.push_back({feature, ids, bag, weighted, policy});
      features += fmt::format("feature {{ name: \"{}\" ids: {} identity {{}}{}{}{}{} }}\n", feature, ids,
                              bag ? " separator: \"|\"" : "", weighted ? " weight_separator: \":\"" : "",
                              " missing: EMPTY_BAG", policy.empty() ? "" : " out_of_range: " + policy);
    }
    std::string name = fmt::format("e{}", lookupTensors.size());
    std::string rule = pooling == "max" ? "MAX" : pooling.ends_with("mean") ? "MEAN" : "SUM";
    lookups += fmt::format("lookup {{ name: \"{}\" feature: \"{}\" table: \"{}\" pooling: {} }}\n", name, feature,
                           table, rule);
    lookupTensors.push_back({name, dim});
  }

  std::string optimizer(const std::string &rule) {
    std::vector<std::string> eps = {"1e-2", "1e-3", "1e-4"}, start = {"", "start: 0.1"};
    if (rule == "sgd")
      return "sgd { lr: 0.005 }"; // with more, wide inputs diverge
    if (rule == "adam")
      return fmt::format("adam {{ lr: 0.004 beta1: 0.9 beta2: 0.95 eps: {} }}", dice.pick(eps));
    return fmt::format("{} {{ lr: 0.02 eps: {} {} }}", rule, dice.pick(eps), dice.pick(start));
  }

  //===- losses and training --------------------------------------------------------------------------------------===//

  std::string makeTasks(int64_t tasks) {
    std::string text;
    for (int64_t t = 0; t < tasks; ++t) {
      squared.push_back(dice.chance(35));
      text += fmt::format("task {{ name: \"task{0}\" input: \"logit{0}\" label: \"y{0}\" {1} {{}}{2} }}\n", t,
                          squared.back() ? "mse" : "bce", dice.chance(40) ? " weight: 0.4" : "");
    }
    return text;
  }

  std::string training() {
    std::vector<std::string> dense = {"sgd", "adagrad", "adam"};
    return fmt::format("training {{ batch_size: {} seed: {} {} dense_optimizer {{ {} }} }}\n", model.batch,
                       dice.between(1, 1000), dice.chance(30) ? "schedule { warmup_steps: 7 }" : "",
                       optimizer(dice.pick(dense)));
  }

  //===- data -----------------------------------------------------------------------------------------------------===//

  void makeData(int64_t tasks, int64_t numbers) {
    // Squared errors of rows seen often get so small that single precision has few digits of them.
    bool anySquared = std::ranges::find(squared, true) != squared.end();
    int64_t rows = model.batch * (anySquared ? dice.between(15, 25) : dice.between(2, 4)) +
                   (model.batch > 1 ? dice.between(1, std::min<int64_t>(2, model.batch - 1)) : 0);
    for (int64_t n = 0; n < rows; ++n) {
      std::string line;
      for (int64_t t = 0; t < tasks; ++t)
        line += squared[t] ? farLabel() : fmt::format("{};", dice.below(2));
      for (int64_t i = 0; i < numbers; ++i)
        line += fmt::format("{:.3f};", double(dice.between(-1500, 1500)) / 1000);
      for (const Feature &feature : list)
        line += field(feature) + ";";
      line.back() = '\n';
      model.data += line;
    }
  }

  /// Away from outputs: a squared error near 0 has few digits that single precision could get right.
  std::string farLabel() {
    int64_t hundredths = dice.between(150, 250);
    return fmt::format("{:.2f};", double(dice.chance(50) ? hundredths : -hundredths) / 100);
  }

  std::string field(const Feature &feature) {
    int64_t count = !feature.bag ? !dice.chance(10) : dice.chance(20) ? 0 : dice.between(1, 6);
    std::string text;
    for (int64_t i = 0; i < count; ++i) {
      int64_t id = std::min(dice.below(feature.ids), dice.below(feature.ids)); // small ids are frequent
      if (!feature.policy.empty() && dice.chance(15))
        id = dice.chance(50) ? -dice.between(1, 3) : feature.ids + dice.below(4);
      text += fmt::format("{}{}", i ? "|" : "", id);
      if (feature.weighted)
        text += fmt::format(":{:.2f}", double(dice.between(1, 200)) / 100);
    }
    return text;
  }

  Dice dice;
  Levels first;
  RandomModel model;
  std::vector<Feature> list; // of ids
  std::string features, tables, lookups;
  std::vector<Column> lookupTensors;
  std::vector<bool> squared; // by task
};

} // namespace

RandomModel makeModel(uint64_t seed, const Levels &levels) { return Maker(seed, levels).make(); }

RandomModel onOneRank(RandomModel model) {
  model.mesh = {};
  for (TablePlan &table : model.tables)
    table = {table.table, "data_parallel"};
  return model;
}

} // namespace sparsec::execution
