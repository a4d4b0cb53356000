#include "passes/Plan/CostModel.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

double CostModel::linkRate() const {
  return group.nodes > 1 ? facts.cluster.betweenRate : facts.cluster.insideRate;
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
    double bags = table.unique ? std::min(ids, double(block)) : groupBatch * table.lookups;
    double updates = std::min(ids * groups, double(block));
    for (int64_t i = 0; i < owners; ++i) {
      Cost &rank = ranks[part.getFirst() + i];
      int64_t rows = std::clamp<int64_t>(table.facts.rows - i * block, 0, block);
      rank.memory += 4.0 * rows * (width + table.states * width / table.facts.dim);
      rank.gather += (ids + 2 * updates * (1 + statesPerColumn)) * rowBytes / c.gatherRate;
      rank.travel += (8 * ids + 2 * bags * rowBytes) / linkRate();
      if (groups > 1)
        rank.travel += groups * updates / groups * (rowBytes + 8) / c.betweenRate;
    }
    for (Cost &rank : ranks) // what each asker receives and sends back
      rank.travel += 2 * (table.unique ? bags / group.ranks() : mine * table.lookups) * rowBytes *
                     (table.unique ? 1 : owners) / linkRate();
  }
}

double CostModel::fixedMemory() const {
  double samples = double(facts.batch) / groups / group.ranks();
  return facts.denseBytes + 2 * 4 * samples * facts.layersWidth; // values and their gradients
}

double CostModel::messages(bool exchanges, bool replicas) const {
  double latency = group.nodes > 1 ? facts.cluster.betweenLatency : facts.cluster.insideLatency;
  double peers = group.ranks() - 1;
  // ids: lengths and values; rows: there and back. Replicas: lengths, ids and rows.
  return (exchanges ? 4 * latency * peers : 0) + (replicas ? 3 * facts.cluster.betweenLatency * (groups - 1) : 0);
}
