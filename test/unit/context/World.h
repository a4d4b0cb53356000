// A small model without a compiler: tables, features and a global batch, on the ranks of one process.
#pragma once
#include "Kernels.h"
#include "sparsec/Batch.h"
#include "sparsec/Context.h"
#include "sparsec/Engine.h"
#include "sparsec/Gemm.h"
#include "sparsec/ThreadPool.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace sparsec::test {

constexpr int32_t groupAxes = SPARSEC_AXIS_NODE | SPARSEC_AXIS_SHARD, replicaAxes = SPARSEC_AXIS_REPLICATE,
                  allAxes = groupAxes | replicaAxes;

struct Feature {
  int64_t table = 0, maxLength = 4;
  bool weighted = false;
};

struct Bag {
  std::vector<int64_t> ids;
  std::vector<float> weights;
};

struct World;
/// Decides what the steps of a test program run on; each has one.
void equip(World &);

struct World {
  World() { equip(*this); }
  Program program;
  std::vector<Feature> features;
  std::vector<std::vector<Bag>> bags; // [feature][global sample]
  int threads = 1;
  Kernels (*kernels)(int64_t dim) = nullptr;
  std::function<Status(Context &)> start;  // before the first step, on each rank
  std::function<Status(Context &)> settle; // all work that was asked for is done
  CommOptions comm;

  int64_t samples() const { return bags.empty() ? 0 : int64_t(bags[0].size()); }
  int64_t ranks() const { return program.mesh.ranks(); }

  /// Rows start uniform in +-1. `perRow`: one number of state for each row.
  int64_t addTable(int64_t rows, int64_t dim, std::vector<TablePart> parts, bool perRow = false) {
    TableInfo table;
    table.name = "t" + std::to_string(program.tables.size());
    table.rows = rows;
    table.dim = dim;
    table.init.kind = "uniform";
    table.init.value = 1;
    table.parts = std::move(parts);
    if (perRow)
      table.optimizer.states.push_back({"v", true, 0.25});
    program.tables.push_back(table);
    return int64_t(program.tables.size()) - 1;
  }

  void addFeature(int64_t table, int64_t maxLength, bool weighted = false) {
    features.push_back({table, maxLength, weighted});
    FeatureColumn column;
    column.kind = "identity";
    column.ids = program.tables[table].rows;
    program.features.push_back(column);
  }

  /// Bags of 0 ... maxLength ids; every third bag is empty.
  void fill(int64_t globalBatch, unsigned seed) {
    std::mt19937 random(seed);
    bags.assign(features.size(), std::vector<Bag>(globalBatch));
    for (size_t f = 0; f < features.size(); ++f)
      for (Bag &bag : bags[f]) {
        int64_t length = random() % 3 == 0 ? 0 : int64_t(random() % (features[f].maxLength + 1));
        for (int64_t i = 0; i < length; ++i) {
          bag.ids.push_back(int64_t(random() % program.tables[features[f].table].rows));
          bag.weights.push_back(features[f].weighted ? float(random() % 16) / 8 : 1.0f);
        }
      }
  }

  int64_t firstSample(int64_t rank) const { return std::min(samples(), rank * ((samples() + ranks() - 1) / ranks())); }

  Batch batchOf(int64_t rank) const {
    Batch batch;
    batch.firstSample = firstSample(rank);
    batch.samples = firstSample(rank + 1) - batch.firstSample;
    batch.globalSamples = samples();
    for (size_t f = 0; f < features.size(); ++f) {
      IdBatch &ids = batch.ids.emplace_back();
      ids.weighted = features[f].weighted;
      ids.clear();
      for (int64_t s = batch.firstSample; s < batch.firstSample + batch.samples; ++s) {
        for (size_t i = 0; i < bags[f][s].ids.size(); ++i) {
          ids.values.push(bags[f][s].ids[i]);
          ids.weights.push(bags[f][s].weights[i]);
        }
        ids.endBag(int64_t(bags[f][s].ids.size()));
      }
    }
    for (IdBatch &ids : batch.ids) // where they are now, they stay
      ids.finish();
    return batch;
  }

  using Body = std::function<int32_t(Context &, SparsecContext *)>;
  /// Runs `body` as an entry point on every rank, `after` outside of it; returns the first failure.
  Status run(const Body &body, const std::function<void(Context &)> &after = {}) const {
    return runInProcess(
        int(ranks()),
        [&](Communicator &world) -> Status {
          Result<AxisCommunicators> axes = AxisCommunicators::create(world, program.mesh);
          if (!axes)
            return axes.status();
          ThreadPool pool(threads);
          Gemm gemm(pool);
          Result<std::unique_ptr<Context>> made =
              Context::create({&program, &*axes, &pool, &gemm}, world.rank(), {program.seed, true});
          if (!made)
            return made.status();
          Context &context = **made;
          if (Status status = start(context); !status)
            return status;
          Batch batch = batchOf(world.rank());
          Status status = runBody(context, batch, 1, body);
          if (Status there = context.engine().download(); status.ok() && !there)
            return there;
          if (after)
            after(context);
          return status;
        },
        comm);
  }

  static Status runBody(Context &context, const Batch &batch, int64_t step, const Body &body) {
    thread_local std::function<int32_t(SparsecContext *)> entry;
    entry = [&](SparsecContext *handle) { return body(context, handle); };
    return context.run([](SparsecContext *handle, int64_t) { return entry(handle); }, batch, step);
  }
};

/// Values in memory of the context's engine, until the entry returns.
inline float *onEngine(SparsecContext *handle, const std::vector<float> &values) {
  auto *memory = static_cast<float *>(sparsec_ragged(handle, int64_t(values.size() * sizeof(float))));
  std::copy(values.begin(), values.end(), memory); // nothing else knows of this memory yet
  return memory;
}
/// What the engine has there. Every rank asks alike.
inline std::vector<float> fromEngine(const World &world, Context &context, const float *values, int64_t n) {
  EXPECT_TRUE(world.settle(context).ok());
  return {values, values + n};
}

inline TablePart wholePart(int64_t dim, int64_t first, int64_t count) { return {0, dim, false, first, count}; }
inline TablePart replicatedPart(int64_t dim) { return {0, dim, true, 0, 1}; }

} // namespace sparsec::test
