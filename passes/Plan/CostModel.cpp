#include "passes/Plan/CostModel.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

CostModel::Wire CostModel::wire(Axis outermost) const {
  const rec::Cluster &c = facts.cluster;
  int64_t ranks = outermost == Axis::Shard  ? group.shards
                  : outermost == Axis::Node ? group.ranks()
                                            : groups * group.ranks();
  bool inside = c.devicesPerHost % ranks == 0;
  return inside ? Wire{c.insideRate, c.insideLatency} : Wire{c.betweenRate, c.betweenLatency};
}

CostModel::RowTravel CostModel::rowTravel(rec::PartAttr part, double bags) const {
  double owners = part.getCount(), bytes = 4.0 * part.getDim() * bags, rate = wire(Axis::Node).rate;
  if (!part.fillsNode(group.shards))
    return {2 * bytes / rate, 2 * bytes * owners / group.ranks() / rate};
  // Every owner sends all bags to the ranks of its node, and takes as many gradients; as one of these ranks it gets its
  // share of the bags from each owner, which is as much again, and hands out their gradients. Only the sums of that
  // share leave the node.
  double inside = 4 * bytes, across = 2 * bytes / owners, asker = 2 * bytes / group.ranks();
  return {inside / wire(Axis::Shard).rate + across / rate, asker / rate};
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
        double others = double(group.ranks() * groups - 1);
        rank.travel += others * std::min(ids, double(table.facts.rows)) * (rowBytes + 8) / wire(Axis::Replicate).rate;
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
      rank.travel += 8 * ids / wire(Axis::Node).rate + travel.owner;
      rank.travel += double(groups - 1) * std::min(ids, double(block)) * (rowBytes + 8) / wire(Axis::Replicate).rate;
    }
    for (Cost &rank : ranks)
      rank.travel += travel.asker;
  }
}

double CostModel::activations() const {
  double samples = double(facts.batch) / groups / group.ranks();
  return 2 * 4 * samples * facts.layersWidth;
}

double CostModel::layers() const {
  const rec::Cluster &c = facts.cluster;
  double ranks = double(groups * group.ranks()), samples = facts.batch / ranks;
  double products = 3 * facts.flops * samples / c.flopRate;
  double copies = (2 * activations() + 2 * facts.denseBytes) / c.copyRate;
  bool sums = ranks > 1 && facts.weightBytes > 0;
  Wire all = wire(Axis::Replicate);
  double slices = sums ? 2 * (ranks - 1) * (facts.weightBytes / ranks / all.rate + all.latency) : 0;
  return products + copies + slices;
}

double CostModel::messages(Messages kinds) const {
  Wire inNode = wire(Axis::Shard), inGroup = wire(Axis::Node), everywhere = wire(Axis::Replicate);
  double all = inGroup.latency * (group.ranks() - 1);
  double steps = inNode.latency * (group.shards - 1) + inGroup.latency * (group.nodes - 1);
  // ids: lengths and values; rows: there and back. Updates: lengths, ids and rows.
  return (kinds.exchange ? 4 * all : 0) + (kinds.twoSteps ? 2 * all + 2 * steps : 0) +
         (kinds.replicas ? 3 * everywhere.latency * (groups - 1) : 0) +
         (kinds.everyone ? 3 * everywhere.latency * (groups * group.ranks() - 1) : 0);
}
