#include "passes/Plan/Search.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

namespace {

std::string gib(double bytes) { return llvm::formatv("{0:f2} GiB", bytes / double(1 << 30)).str(); }

/// Places the tables of one mesh, largest first, each where the slowest rank stays fastest.
class Placer {
public:
  Placer(const Facts &facts, int64_t groups, const GroupShape &group)
      : facts(facts), group(group), cost(facts, groups, group) {
    result.groups = groups;
    result.group = group;
    result.tables.resize(facts.tables.size());
    result.ranks.resize(group.ranks());
    for (Cost &rank : result.ranks)
      rank.memory = cost.fixedMemory();
  }

  /// The index of a table that does not fit, or -1.
  int64_t place() {
    std::vector<size_t> order(facts.tables.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Table &x = facts.tables[a], &y = facts.tables[b];
      if (bool(x.strategy) != bool(y.strategy))
        return bool(x.strategy); // orders first: the rest goes round them
      return x.bytes() > y.bytes();
    });
    for (size_t i : order)
      if (!placeOne(i))
        return int64_t(i);
    Messages messages{.replicas = result.groups > 1};
    for (const Placement &p : result.tables)
      (p.parts[0].isReplicated()            ? messages.replicas
       : p.parts[0].fillsNode(group.shards) ? messages.twoSteps
                                            : messages.exchange) = true;
    for (const Cost &rank : result.ranks)
      result.seconds = std::max(result.seconds, rank.seconds());
    messages.replicas &= result.groups * group.ranks() > 1;
    result.seconds += cost.messages(messages);
    return -1;
  }

  Result result;
  double bestNeed = 0; // memory the fullest rank would have needed for the table that did not fit
  std::string refusal; // why that table cannot be cut as ordered, if nothing could be tried

private:
  SmallVector<int64_t> leastLoaded() const {
    SmallVector<int64_t> ranks(group.ranks());
    std::iota(ranks.begin(), ranks.end(), 0);
    llvm::stable_sort(ranks, [&](int64_t a, int64_t b) {
      const Cost &x = result.ranks[a], &y = result.ranks[b];
      return std::make_pair(x.seconds(), x.memory) < std::make_pair(y.seconds(), y.memory);
    });
    return ranks;
  }

  bool placeOne(size_t index) {
    const Table &table = facts.tables[index];
    SmallVector<int64_t> ranks = leastLoaded();
    double best = std::numeric_limits<double>::infinity();
    std::vector<Cost> bestRanks;
    bestNeed = std::numeric_limits<double>::infinity();
    refusal.clear();
    for (const Strategy *strategy : strategies()) {
      if (table.strategy ? strategy != table.strategy : alone(*strategy))
        continue;
      for (Choice &choice : choicesOf(table, *strategy, ranks)) {
        if (std::string why = strategy->refusal(table.facts, group, choice); !why.empty()) {
          refusal = why;
          continue;
        }
        auto parts = strategy->parts(table.facts, group, choice);
        std::vector<Cost> after = result.ranks;
        cost.add(table, parts, after);
        double slowest = 0, sum = 0, fullest = 0;
        for (const Cost &rank : after) {
          slowest = std::max(slowest, rank.seconds());
          sum += rank.seconds();
          fullest = std::max(fullest, rank.memory);
        }
        bestNeed = std::min(bestNeed, fullest);
        double value = slowest + sum / group.ranks();
        if (fullest > facts.cluster.memory || value >= best)
          continue;
        best = value;
        bestRanks = std::move(after);
        result.tables[index] = {strategy, choice, parts};
      }
    }
    if (bestRanks.empty())
      return false;
    result.ranks = std::move(bestRanks);
    if (table.together >= 0)
      owners[table.together] = result.tables[index].choice;
    return true;
  }

  /// In a group of one rank a table is simply there; nothing else makes sense.
  bool alone(const Strategy &strategy) const { return group.ranks() == 1 && strategy.name() != "data_parallel"; }

  SmallVector<Choice> choicesOf(const Table &table, const Strategy &strategy, ArrayRef<int64_t> ranks) {
    if (table.choice)
      return {*table.choice};
    if (auto found = owners.find(table.together); table.together >= 0 && found != owners.end())
      return {found->second};
    SmallVector<Choice> choices = strategy.choices(table.facts, group, ranks);
    if (choices.empty() && table.strategy) { // ordered, though the search would not try it: all ranks, or all nodes
      Choice all;
      bool byNode = strategy.name() == "grid" || strategy.name() == "table_row_wise";
      int64_t places = std::min(byNode ? group.nodes : group.ranks(), table.facts.dim);
      for (int64_t i = 0; i < std::max<int64_t>(places, 1); ++i)
        all.places.push_back(i);
      choices.push_back(all);
    }
    return choices;
  }

  const Facts &facts;
  const GroupShape &group;
  CostModel cost;
  llvm::DenseMap<int64_t, Choice> owners;
};

GroupShape shapeOf(const Facts &facts, int64_t groups, MLIRContext *context) {
  int64_t size = facts.cluster.ranks / groups, inHost = facts.cluster.devicesPerHost;
  GroupShape shape;
  shape.shards = size % inHost == 0 ? inHost : size;
  shape.nodes = size / shape.shards;
  Builder b(context);
  SmallVector<Attribute> axes;
  if (shape.nodes > 1)
    axes.push_back(b.getStringAttr("node"));
  if (shape.shards > 1)
    axes.push_back(b.getStringAttr("shard"));
  shape.axes = b.getArrayAttr(axes);
  return shape;
}

void refuse(const Facts &facts, const Table &table, StringRef why, int64_t groups, const GroupShape &group) {
  auto diagnostic = emitError(table.place)
                    << "table `" << table.name << "` cannot be `" << table.strategy->name() << "`: " << why;
  diagnostic.attachNote(facts.place) << "the mesh has " << groups << " groups of " << group.nodes << " hosts x "
                                     << group.shards << " ranks";
}

/// Orders that no mesh can keep are refused before the search, each with its reason.
LogicalResult checkOrders(const Facts &facts, int64_t groups, const GroupShape &group) {
  bool sound = true;
  for (const Table &table : facts.tables) {
    if (!table.strategy)
      continue;
    Choice choice = table.choice.value_or(Choice{});
    if (!table.choice && table.strategy->name() != "row_wise")
      continue; // the search chooses places that exist
    std::string why = table.strategy->refusal(table.facts, group, choice);
    if (why.empty())
      continue;
    refuse(facts, table, why, groups, group);
    sound = false;
  }
  return success(sound);
}

void explain(const Facts &facts, const Table &table, double need, int64_t groups, const GroupShape &group) {
  auto diagnostic = emitError(table.place)
                    << "table `" << table.name << "` does not fit: the fullest rank would need " << gib(need)
                    << ", but a rank of `" << facts.cluster.name << "` has " << gib(facts.cluster.memory);
  double all = facts.denseBytes * group.ranks();
  for (const Table &t : facts.tables)
    all += t.bytes();
  double perGroup = facts.cluster.memory * group.ranks();
  if (groups > 1 && all < perGroup * groups)
    diagnostic.attachNote(facts.place) << "every one of " << groups << " groups holds all tables (" << gib(all)
                                       << "); try --groups=" << groups / 2;
  else if (all > perGroup)
    diagnostic.attachNote(facts.place) << "all tables with their optimizer state need " << gib(all) << "; "
                                       << int64_t(std::ceil(all / facts.cluster.memory)) << " ranks hold that";
  else
    diagnostic.attachNote(table.place) << "leave its strategy open, or spread it with `row_wise`";
}

} // namespace

FailureOr<Result> sparsec::plan::search(const Facts &facts) {
  int64_t ranks = facts.cluster.ranks;
  if (facts.groups && (*facts.groups < 1 || ranks % *facts.groups))
    return emitError(facts.place) << ranks << " ranks cannot form " << *facts.groups << " groups", failure();
  if (facts.groups && facts.shards && *facts.groups * *facts.shards != ranks)
    return emitError(facts.place) << "the plan wants " << *facts.groups << " groups of " << *facts.shards
                                  << " shards, but there are " << ranks << " ranks",
           failure();
  if (!facts.groups && facts.shards && (*facts.shards < 1 || ranks % *facts.shards))
    return emitError(facts.place) << ranks << " ranks cannot form groups of " << *facts.shards, failure();

  MLIRContext *context = facts.place->getContext();
  std::optional<Result> best;
  bool onlyOne = facts.groups || facts.shards;
  for (int64_t groups = 1; groups <= ranks; ++groups) {
    if (ranks % groups || (facts.groups && groups != *facts.groups) ||
        (facts.shards && ranks / groups != *facts.shards))
      continue;
    GroupShape group = shapeOf(facts, groups, context);
    if (onlyOne && failed(checkOrders(facts, groups, group)))
      return failure();
    Placer placer(facts, groups, group);
    int64_t stuck = placer.place();
    if (stuck < 0) {
      if (!best || placer.result.seconds < best->seconds)
        best = std::move(placer.result);
    } else if (onlyOne || groups == ranks) {
      if (best)
        break;
      // One group holds most: if even that failed, its reason is the one to tell.
      GroupShape whole = shapeOf(facts, onlyOne ? groups : 1, context);
      Placer again(facts, onlyOne ? groups : 1, whole);
      int64_t table = again.place();
      const Table &guilty = facts.tables[table < 0 ? stuck : table];
      if (std::isinf(again.bestNeed) && guilty.strategy && !again.refusal.empty())
        refuse(facts, guilty, again.refusal, onlyOne ? groups : 1, whole);
      else
        explain(facts, guilty, again.bestNeed, onlyOne ? groups : 1, whole);
      return failure();
    }
  }
  return *best;
}
