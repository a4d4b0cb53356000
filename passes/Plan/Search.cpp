#include "passes/Import/Description/Words.h"
#include "passes/Plan/Advice.h"
#include <numeric>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

namespace {

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

  /// Whether all fits. If not, `guilty` is the table that does not, or null where there is none to blame.
  bool place() {
    std::vector<size_t> order(facts.tables.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Table &x = facts.tables[a], &y = facts.tables[b];
      // Orders first: the rest goes round them, and tables that stand together follow the one whose place is ordered.
      auto orders = [](const Table &table) { return std::make_pair(bool(table.choice), bool(table.strategy)); };
      if (orders(x) != orders(y))
        return orders(x) > orders(y);
      return x.bytes() > y.bytes();
    });
    for (size_t i : order)
      if (!placeOne(i)) {
        guilty = &facts.tables[i];
        return false;
      }
    bestNeed = 0;
    for (const Cost &rank : result.ranks)
      bestNeed = std::max(bestNeed, rank.memory);
    if (bestNeed > facts.cluster.memory)
      return false; // no table to ask: what is there whatever the plan
    Messages messages;
    for (const Placed &p : result.tables) {
      (p.parts[0].isReplicated()            ? messages.everyone
       : p.parts[0].fillsNode(group.shards) ? messages.twoSteps
                                            : messages.exchange) = true;
      messages.replicas |= !p.parts[0].isReplicated();
    }
    for (const Cost &rank : result.ranks)
      result.seconds = std::max(result.seconds, rank.seconds());
    result.seconds += cost.messages(messages) + cost.layers();
    return true;
  }

  /// What of `bestNeed` is there whatever the plan, and what is the tables'.
  Need need() const { return {facts.denseBytes, cost.activations(), bestNeed - cost.fixedMemory()}; }

  Result result;
  const Table *guilty = nullptr;
  double bestNeed = 0; // memory the fullest rank would have needed for what did not fit
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
  bool alone(const Strategy &strategy) const { return group.ranks() == 1 && !strategy.replicates(); }

  SmallVector<Choice> choicesOf(const Table &table, const Strategy &strategy, ArrayRef<int64_t> ranks) {
    if (table.choice)
      return {*table.choice};
    if (auto found = owners.find(table.together); table.together >= 0 && found != owners.end())
      return {found->second};
    SmallVector<Choice> choices = strategy.choices(table.facts, group, ranks);
    if (choices.empty() && table.strategy) { // ordered, though the search would not try it: all ranks, or all nodes
      Choice all;
      bool byNode = strategy.placedBy() == PlacedBy::Node;
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
  diagnostic.attachNote(facts.place) << "the mesh has " << description::counted(groups, "group") << " of "
                                     << description::counted(group.nodes, "host") << " x "
                                     << description::counted(group.shards, "rank");
}

using Refused = std::pair<const Table *, std::string>;

/// Orders that the mesh cannot keep, each with its reason.
SmallVector<Refused> refusedOrders(const Facts &facts, const GroupShape &group) {
  SmallVector<Refused> refused;
  for (const Table &table : facts.tables) {
    if (!table.strategy)
      continue;
    Choice choice = table.choice.value_or(Choice{});
    if (!table.choice && table.strategy->placedBy() != PlacedBy::None)
      continue; // the search chooses places that exist
    if (std::string why = table.strategy->refusal(table.facts, group, choice); !why.empty())
      refused.push_back({&table, why});
  }
  return refused;
}

/// The group counts that the orders leave to try.
SmallVector<int64_t> groupCounts(const Facts &facts) {
  SmallVector<int64_t> counts;
  int64_t ranks = facts.cluster.ranks;
  for (int64_t groups = 1; groups <= ranks && formsMesh(facts, ranks); ++groups)
    if (ranks % groups == 0 && (!facts.groups || groups == *facts.groups) &&
        (!facts.shards || ranks / groups == *facts.shards))
      counts.push_back(groups);
  return counts;
}

/// Then orders that it cannot keep are refused before any table is placed.
bool onlyOneMesh(const Facts &facts) { return facts.groups || facts.shards; }

void explain(const Facts &facts, int64_t groups) {
  GroupShape group = shapeOf(facts, groups, facts.place->getContext());
  Placer placer(facts, groups, group);
  placer.place();
  if (std::isinf(placer.bestNeed) && placer.guilty->strategy && !placer.refusal.empty())
    return refuse(facts, *placer.guilty, placer.refusal, groups, group);
  explainMemory(facts, placer.guilty, groups, placer.need());
}

} // namespace

bool sparsec::plan::formsMesh(const Facts &facts, int64_t ranks) {
  auto divides = [&](std::optional<int64_t> order) { return !order || (*order >= 1 && ranks % *order == 0); };
  return divides(facts.groups) && divides(facts.shards) &&
         (!facts.groups || !facts.shards || *facts.groups * *facts.shards == ranks);
}

bool sparsec::plan::fits(const Facts &facts) {
  return llvm::any_of(groupCounts(facts), [&](int64_t groups) {
    GroupShape group = shapeOf(facts, groups, facts.place->getContext());
    if (onlyOneMesh(facts) && !refusedOrders(facts, group).empty())
      return false;
    return Placer(facts, groups, group).place();
  });
}

FailureOr<Result> sparsec::plan::search(const Facts &facts) {
  int64_t ranks = facts.cluster.ranks;
  if (!formsMesh(facts, ranks)) {
    auto diagnostic = emitError(facts.place);
    if (facts.groups && facts.shards && *facts.groups >= 1 && ranks % *facts.groups == 0)
      diagnostic << "the plan wants " << description::counted(*facts.groups, "group") << " of "
                 << description::counted(*facts.shards, "shard") << ", but there are "
                 << description::counted(ranks, "rank");
    else if (facts.groups)
      diagnostic << description::counted(ranks, "rank") << " cannot form "
                 << description::counted(*facts.groups, "group");
    else
      diagnostic << description::counted(ranks, "rank") << " cannot form groups of " << *facts.shards;
    return failure();
  }
  std::optional<Result> best;
  for (int64_t groups : groupCounts(facts)) {
    GroupShape group = shapeOf(facts, groups, facts.place->getContext());
    if (onlyOneMesh(facts))
      if (auto refused = refusedOrders(facts, group); !refused.empty()) {
        for (auto &[table, why] : refused)
          refuse(facts, *table, why, groups, group);
        return failure();
      }
    Placer placer(facts, groups, group);
    if (placer.place() && (!best || placer.result.seconds < best->seconds))
      best = std::move(placer.result);
  }
  if (!best) {
    // One group holds most: its reason is the one to tell.
    explain(facts, groupCounts(facts).front());
    return failure();
  }
  return *best;
}
