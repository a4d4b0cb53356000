#include "passes/Plan/CostModel.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

double CostModel::linkRate() const { return group.nodes > 1 ? facts.cluster.betweenRate : facts.cluster.insideRate; }

CostModel::RowTravel CostModel::rowTravel(rec::PartAttr part, double bags) const {
  double owners = part.getCount(), bytes = 4.0 * part.getDim() * bags;
  if (!part.fillsNode(group.shards))
    return {2 * bytes / linkRate(), 2 * bytes * owners / group.ranks() / linkRate()};
  // Every owner sends all bags to the ranks of its node, and takes as many gradients; as one of these ranks it gets its
  // share of the bags from each owner, which is as much again, and hands out their gradients. Only the sums of that
  // share leave the node.
  double inside = 4 * bytes, across = 2 * bytes / owners, asker = 2 * bytes / group.ranks();
  return {inside / facts.cluster.insideRate + across / facts.cluster.betweenRate, asker / facts.cluster.betweenRate};
}

void CostModel::add(const Table &table, ArrayRef<rec::PartAttr> parts, MutableArrayRef<Cost> ranks) const {
  const rec::Cluster &c = facts.cluster;
  double groupBatch = double(facts.batch) / groups, mine = groupBatch / group.ranks();
  double statesPerColumn = double(table.states) / table.facts.dim;
  for (rec::PartAttr part : parts) {
    double width = part.getDim(), rowBytes = 4 * width;
    if (part.isReplicated()) {
      double ids = mine * table.idsPerSample, everyone = ids * group.ranks() * groups;
      double touched = std::min(everyone, double(table.facts.rows));
      for (Cost &rank : ranks) {
        rank.memory += table.bytes();
        rank.gather += (ids + 2 * touched * (1 + statesPerColumn)) * rowBytes / c.gatherRate;
        if (group.ranks() * groups > 1)
          rank.travel += touched * (rowBytes + 8) / linkRate();
      }
      continue;
    }
    int64_t owners = part.getCount(), block = (table.facts.rows + owners - 1) / owners;
    double ids = groupBatch * table.idsPerSample / owners;
    // Of distinct rows an owner sends those in other blocks too, as zeros.
    double bags = table.unique ? std::min(ids * owners, double(table.facts.rows)) : groupBatch * table.lookups;
    double updates = std::min(ids * groups, double(block));
    RowTravel travel = rowTravel(part, bags);
    for (int64_t i = 0; i < owners; ++i) {
      Cost &rank = ranks[part.getFirst() + i];
      int64_t rows = std::clamp<int64_t>(table.facts.rows - i * block, 0, block);
      rank.memory += 4.0 * rows * (width + table.states * width / table.facts.dim);
      rank.gather += (ids + 2 * updates * (1 + statesPerColumn)) * rowBytes / c.gatherRate;
      rank.travel += 8 * ids / linkRate() + travel.owner;
      if (groups > 1)
        rank.travel += groups * updates / groups * (rowBytes + 8) / c.betweenRate;
    }
    for (Cost &rank : ranks)
      rank.travel += travel.asker;
  }
}

double CostModel::activations() const {
  double samples = double(facts.batch) / groups / group.ranks();
  return 2 * 4 * samples * facts.layersWidth;
}

double CostModel::messages(Messages kinds) const {
  const rec::Cluster &c = facts.cluster;
  double all = (group.nodes > 1 ? c.betweenLatency : c.insideLatency) * (group.ranks() - 1);
  double steps = c.insideLatency * (group.shards - 1) + c.betweenLatency * (group.nodes - 1);
  // ids: lengths and values; rows: there and back. Replicas: lengths, ids and rows.
  return (kinds.exchange ? 4 * all : 0) + (kinds.twoSteps ? 2 * all + 2 * steps : 0) +
         (kinds.replicas ? 3 * c.betweenLatency * (groups - 1) : 0);
}
