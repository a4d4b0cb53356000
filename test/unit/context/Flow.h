// The embedding half of a training step, call by call as generated code makes them.
#pragma once
#include "World.h"

namespace sparsec::test {

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
  std::vector<float> gradientServed;
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
                           int32_t(part.col0), int32_t(part.dim), table.rows, kernels(part.dim).lookup,
                           kernels(part.dim).combine});
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

  int32_t exchange(int32_t axes, const std::vector<float> &send, const std::vector<int64_t> &sendCounts,
                   std::vector<float> &receive, const std::vector<int64_t> &receiveCounts) {
    int64_t token = 0;
    receive.resize(total(receiveCounts));
    if (int32_t status = sparsec_exchange_start(handle, axes, send.data(), sendCounts.data(), receive.data(),
                                                receiveCounts.data(), &token))
      return status;
    return sparsec_wait(handle, token);
  }

  /// What I served to who asked, and what I asked for from who served it.
  int32_t sendRows(const std::vector<float> &served, std::vector<float> &back) {
    if (!inNode)
      return exchange(groupAxes, served, toAsker, back, fromOwner);
    std::vector<float> partial;
    if (int32_t status = exchange(SPARSEC_AXIS_SHARD, served, insideSend, partial, insideReceive))
      return status;
    std::vector<float> sums(partial.size() / insideSend.size());
    if (int32_t status =
            sparsec_sum_in_node(handle, groupAxes, items.data(), count(), received, partial.data(), sums.data()))
      return status;
    return exchange(SPARSEC_AXIS_NODE, sums, acrossSend, back, acrossReceive);
  }

  /// Its adjoint.
  int32_t sendGradients(const std::vector<float> &back, std::vector<float> &served) {
    if (!inNode)
      return exchange(groupAxes, back, fromOwner, served, toAsker);
    std::vector<float> sums;
    if (int32_t status = exchange(SPARSEC_AXIS_NODE, back, acrossReceive, sums, acrossSend))
      return status;
    std::vector<float> copies(sums.size() * insideSend.size());
    if (int32_t status = sparsec_copy_in_node(handle, sums.data(), int64_t(sums.size()), copies.data()))
      return status;
    return exchange(SPARSEC_AXIS_SHARD, copies, insideReceive, served, insideSend);
  }

  int32_t forward() {
    std::vector<SparsecLocalItem> local;
    std::vector<float *> out;
    for (size_t f = 0; f < ids.size(); ++f) {
      int32_t t = int32_t(world.features[f].table);
      out.push_back(pooled[f].data());
      if (world.program.tables[t].parts[0].replicated)
        local.push_back({kernels(dims[f]).lookup, t, 0, ids[f], out[f]});
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
    std::vector<float> served(total(toAsker)), back;
    if (int32_t status =
            sparsec_lookup_served(handle, groupAxes, items.data(), count(), received, inNode, served.data()))
      return status;
    if (int32_t status = sendRows(served, back))
      return status;
    return sparsec_combine_sources(handle, groupAxes, items.data(), count(), routed, inNode, back.data(), out.data(),
                                   dims.data());
  }

  /// gradient[f]: [bags, dim]. Then one update of every table.
  int32_t backward(const std::vector<std::vector<float>> &gradient, float lr) {
    std::vector<const float *> gradients;
    for (const auto &g : gradient)
      gradients.push_back(g.data());
    std::vector<float> spread(returned());
    if (int32_t status = sparsec_spread_sources(handle, groupAxes, items.data(), count(), routed, inNode,
                                                gradients.data(), dims.data(), spread.data()))
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
                                                     gradientServed.data());
    for (size_t p = 0; p < table.parts.size(); ++p)
      sharded.push_back({{}, t, int32_t(p), sweep, rows});
  }

  int32_t reduce(int32_t axes, std::vector<SparsecUpdate> &updates) {
    auto dim = [&](const SparsecUpdate &u) { return world.program.tables[u.table].parts[u.part].dim; };
    if (context.communicator(axes).size() > 1) {
      std::vector<SparsecRows *> all(updates.size());
      for (SparsecUpdate &u : updates)
        u.kernel = kernels(dim(u)).sum;
      if (int32_t status = sparsec_rows_reduce(handle, axes, updates.data(), int64_t(updates.size()), all.data()))
        return status;
      for (size_t u = 0; u < updates.size(); ++u)
        updates[u].rows = all[u];
    }
    for (SparsecUpdate &u : updates)
      u.kernel = sweep ? kernels(dim(u)).sweep : adagrad ? kernels(dim(u)).adagrad : kernels(dim(u)).sgd;
    return 0;
  }
};

} // namespace sparsec::test
