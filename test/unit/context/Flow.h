// The embedding half of a training step, call by call as generated code makes them.
#pragma once
#include "World.h"

namespace sparsec::test {

/// Memory of the engine.
struct Floats {
  float *data = nullptr;
  int64_t size = 0;
};

struct Flow {
  const World &world;
  Context &context;
  SparsecContext *handle;
  std::vector<SparsecItem> items;         // sharded lookups
  std::vector<const SparsecJagged *> ids; // of all features
  std::vector<int64_t> dims;              // of all features
  const SparsecJagged *routed = nullptr, *received = nullptr;
  std::vector<int64_t> toAsker, fromOwner;
  std::vector<int64_t> insideSend, insideReceive, acrossSend, acrossReceive; // of two steps
  std::vector<std::vector<float>> pooled;                                    // [feature][bag * dim]
  Floats gradientServed;
  bool sweep = false, adagrad = false;
  bool inNode; // rows go back in two steps

  Flow(const World &world, Context &context, SparsecContext *handle, bool inNode = false)
      : world(world), context(context), handle(handle), inNode(inNode) {
    for (size_t f = 0; f < world.features.size(); ++f) {
      int64_t t = world.features[f].table;
      const TableInfo &table = world.program.tables[t];
      ids.push_back(sparsec_ids(handle, int32_t(f)));
      dims.push_back(table.dim);
      pooled.emplace_back(ids[f]->bags * table.dim, -7.0f);
      for (size_t p = 0; p < table.parts.size(); ++p)
        if (const TablePart &part = table.parts[p]; !part.replicated)
          items.push_back({int32_t(f), int32_t(t), int32_t(p), int32_t(part.first), int32_t(part.count),
                           int32_t(part.col0), int32_t(part.dim), table.rows, world.kernels(part.dim).lookup,
                           world.kernels(part.dim).combine});
    }
    int64_t ranks = context.communicator(groupAxes).size();
    toAsker.resize(ranks);
    fromOwner.resize(ranks);
    insideSend.resize(world.program.mesh.shards);
    insideReceive.resize(world.program.mesh.shards);
    acrossSend.resize(world.program.mesh.nodes);
    acrossReceive.resize(world.program.mesh.nodes);
  }

  static int64_t total(const std::vector<int64_t> &counts) {
    int64_t sum = 0;
    for (int64_t n : counts)
      sum += n;
    return sum;
  }
  /// Floats that come back to me.
  int64_t returned() const { return total(inNode ? acrossReceive : fromOwner); }
  int64_t count() const { return int64_t(items.size()); }

  Floats floats(int64_t n) const { return {static_cast<float *>(sparsec_ragged(handle, n * 4)), n}; }

  int32_t exchange(int32_t axes, const Floats &send, const std::vector<int64_t> &sendCounts, Floats &receive,
                   const std::vector<int64_t> &receiveCounts) {
    int64_t token = 0;
    receive = floats(total(receiveCounts));
    if (int32_t status = sparsec_exchange_start(handle, axes, send.data, sendCounts.data(), receive.data,
                                                receiveCounts.data(), &token))
      return status;
    return sparsec_wait(handle, token);
  }

  /// What I served to who asked, and what I asked for from who served it.
  int32_t sendRows(const Floats &served, Floats &back) {
    if (!inNode)
      return exchange(groupAxes, served, toAsker, back, fromOwner);
    Floats partial;
    if (int32_t status = exchange(SPARSEC_AXIS_SHARD, served, insideSend, partial, insideReceive))
      return status;
    Floats sums = floats(partial.size / int64_t(insideSend.size()));
    if (int32_t status =
            sparsec_sum_in_node(handle, groupAxes, items.data(), count(), received, partial.data, sums.data))
      return status;
    return exchange(SPARSEC_AXIS_NODE, sums, acrossSend, back, acrossReceive);
  }

  /// Its adjoint.
  int32_t sendGradients(const Floats &back, Floats &served) {
    if (!inNode)
      return exchange(groupAxes, back, fromOwner, served, toAsker);
    Floats sums;
    if (int32_t status = exchange(SPARSEC_AXIS_NODE, back, acrossReceive, sums, acrossSend))
      return status;
    Floats copies = floats(sums.size * int64_t(insideSend.size()));
    if (int32_t status = sparsec_copy_in_node(handle, sums.data, sums.size, copies.data))
      return status;
    return exchange(SPARSEC_AXIS_SHARD, copies, insideReceive, served, insideSend);
  }

  int32_t forward() {
    std::vector<SparsecLocalItem> local;
    std::vector<float *> out;
    for (size_t f = 0; f < ids.size(); ++f) {
      int32_t t = int32_t(world.features[f].table);
      out.push_back(onEngine(handle, pooled[f]));
      if (world.program.tables[t].parts[0].replicated)
        local.push_back({world.kernels(dims[f]).lookup, t, 0, ids[f], out[f]});
    }
    if (int32_t status = sparsec_lookup_local(handle, local.data(), int64_t(local.size())))
      return status;
    if (int32_t status =
            sparsec_route(handle, groupAxes, items.data(), count(), ids.data(), int64_t(ids.size()), &routed))
      return status;
    if (int32_t status = sparsec_exchange_ids(handle, groupAxes, items.data(), count(), routed, &received))
      return status;
    if (int32_t status = sparsec_exchange_counts(handle, groupAxes, items.data(), count(), routed, received,
                                                 toAsker.data(), fromOwner.data()))
      return status;
    if (int32_t status =
            inNode ? sparsec_node_counts(handle, groupAxes, toAsker.data(), fromOwner.data(), insideSend.data(),
                                         insideReceive.data(), acrossSend.data(), acrossReceive.data())
                   : 0)
      return status;
    Floats served = floats(total(toAsker)), back;
    if (int32_t status = sparsec_lookup_served(handle, groupAxes, items.data(), count(), received, inNode, served.data))
      return status;
    if (int32_t status = sendRows(served, back))
      return status;
    if (int32_t status = sparsec_combine_sources(handle, groupAxes, items.data(), count(), routed, inNode, back.data,
                                                 out.data(), dims.data()))
      return status;
    for (size_t f = 0; f < out.size(); ++f)
      pooled[f] = fromEngine(world, context, out[f], int64_t(pooled[f].size()));
    return 0;
  }

  /// sparsec_sum_in_node and its adjoint, of what is on the host.
  std::vector<float> sumInNode(const std::vector<float> &rows) {
    Floats sums = floats(int64_t(rows.size() / insideSend.size()));
    EXPECT_EQ(
        sparsec_sum_in_node(handle, groupAxes, items.data(), count(), received, onEngine(handle, rows), sums.data), 0);
    return fromEngine(world, context, sums.data, sums.size);
  }
  std::vector<float> copyInNode(const std::vector<float> &gradient) {
    Floats rows = floats(int64_t(gradient.size() * insideSend.size()));
    EXPECT_EQ(sparsec_copy_in_node(handle, onEngine(handle, gradient), int64_t(gradient.size()), rows.data), 0);
    return fromEngine(world, context, rows.data, rows.size);
  }

  /// gradient[f]: [bags, dim]. Then one update of every table.
  int32_t backward(const std::vector<std::vector<float>> &gradient, float lr) {
    std::vector<const float *> gradients;
    for (const auto &g : gradient)
      gradients.push_back(onEngine(handle, g));
    Floats spread = floats(returned());
    if (int32_t status = sparsec_spread_sources(handle, groupAxes, items.data(), count(), routed, inNode,
                                                gradients.data(), dims.data(), spread.data))
      return status;
    if (int32_t status = sendGradients(spread, gradientServed))
      return status;
    std::vector<SparsecUpdate> sharded, replicated;
    for (size_t t = 0; t < world.program.tables.size(); ++t)
      listRows(int32_t(t), gradients, sharded, replicated);
    if (int32_t status = reduce(replicaAxes, sharded))
      return status;
    if (int32_t status = reduce(allAxes, replicated))
      return status;
    sharded.insert(sharded.end(), replicated.begin(), replicated.end());
    return sparsec_update(handle, sharded.data(), int64_t(sharded.size()), lr, 1, 1);
  }

private:
  void listRows(int32_t t, const std::vector<const float *> &gradients, std::vector<SparsecUpdate> &sharded,
                std::vector<SparsecUpdate> &replicated) {
    const TableInfo &table = world.program.tables[t];
    if (table.parts[0].replicated) {
      std::vector<SparsecRows *> rows;
      for (size_t f = 0; f < ids.size(); ++f)
        if (world.features[f].table == t)
          rows.push_back(sparsec_row_gradients_local(handle, t, 0, ids[f], gradients[f]));
      if (!rows.empty())
        replicated.push_back({{}, t, 0, sweep, sparsec_rows_join(handle, rows.data(), int64_t(rows.size()))});
      return;
    }
    SparsecRows *rows = sparsec_row_gradients_served(handle, groupAxes, items.data(), count(), t, received, inNode,
                                                     gradientServed.data);
    for (size_t p = 0; p < table.parts.size(); ++p)
      sharded.push_back({{}, t, int32_t(p), sweep, rows});
  }

  int32_t reduce(int32_t axes, std::vector<SparsecUpdate> &updates) {
    auto dim = [&](const SparsecUpdate &u) { return world.program.tables[u.table].parts[u.part].dim; };
    if (context.communicator(axes).size() > 1) {
      std::vector<SparsecRows *> all(updates.size());
      for (SparsecUpdate &u : updates)
        u.kernel = world.kernels(dim(u)).sum;
      if (int32_t status = sparsec_rows_reduce(handle, axes, updates.data(), int64_t(updates.size()), all.data()))
        return status;
      for (size_t u = 0; u < updates.size(); ++u)
        updates[u].rows = all[u];
    }
    for (SparsecUpdate &u : updates)
      u.kernel = sweep     ? world.kernels(dim(u)).sweep
                 : adagrad ? world.kernels(dim(u)).adagrad
                           : world.kernels(dim(u)).sgd;
    return 0;
  }
};

} // namespace sparsec::test
