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
  std::vector<std::vector<float>> pooled; // [feature][bag * dim]
  std::vector<float> gradientServed;
  bool sweep = false, adagrad = false;

  Flow(const World &world, Context &context, SparsecContext *handle) : world(world), context(context), handle(handle) {
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
  }

  static int64_t total(const std::vector<int64_t> &counts) {
    int64_t sum = 0;
    for (int64_t n : counts)
      sum += n;
    return sum;
  }
  int64_t count() const { return int64_t(items.size()); }

  int32_t exchange(const float *send, const std::vector<int64_t> &sendCounts, float *receive,
                   const std::vector<int64_t> &receiveCounts) {
    int64_t token = 0;
    if (int32_t status =
            sparsec_exchange_start(handle, groupAxes, send, sendCounts.data(), receive, receiveCounts.data(), &token))
      return status;
    return sparsec_wait(handle, token);
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
    std::vector<float> served(total(toAsker)), back(total(fromOwner));
    if (int32_t status = sparsec_lookup_served(handle, groupAxes, items.data(), count(), received, served.data()))
      return status;
    if (int32_t status = exchange(served.data(), toAsker, back.data(), fromOwner))
      return status;
    return sparsec_combine_sources(handle, groupAxes, items.data(), count(), routed, back.data(), out.data(),
                                   dims.data());
  }

  /// gradient[f]: [bags, dim]. Then one update of every table.
  int32_t backward(const std::vector<std::vector<float>> &gradient, float lr) {
    std::vector<const float *> gradients;
    for (const auto &g : gradient)
      gradients.push_back(g.data());
    std::vector<float> spread(total(fromOwner));
    gradientServed.resize(total(toAsker));
    if (int32_t status = sparsec_spread_sources(handle, groupAxes, items.data(), count(), routed, gradients.data(),
                                                dims.data(), spread.data()))
      return status;
    if (int32_t status = exchange(spread.data(), fromOwner, gradientServed.data(), toAsker))
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
        replicated.push_back({nullptr, t, 0, sweep, sparsec_rows_join(handle, rows.data(), int64_t(rows.size()))});
      return;
    }
    SparsecRows *rows =
        sparsec_row_gradients_served(handle, groupAxes, items.data(), count(), t, received, gradientServed.data());
    for (size_t p = 0; p < table.parts.size(); ++p)
      sharded.push_back({nullptr, t, int32_t(p), sweep, rows});
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
