// What planning knows: the tables and how they are read, the machines, and what the user ordered. All of it from the IR.
#pragma once
#include "dialect/Comm/Comm.h"
#include "passes/Plan/Strategy.h"
#include <optional>

namespace sparsec::plan {

/// Module attribute `rec.cluster`: what a plan is made for.
inline constexpr llvm::StringLiteral clusterAttr = "rec.cluster";
/// Module and table attribute `rec.order`: what a plan file says must be so.
inline constexpr llvm::StringLiteral orderAttr = "rec.order";

/// Machines. Rates in bytes/s and flop/s of one device, times in seconds.
struct Cluster {
  std::string name;
  int64_t ranks = 1, devicesPerHost = 1;
  double memory = 0; // bytes of one device that are ours
  double gatherRate = 0, copyRate = 0, flopRate = 0;
  double insideRate = 0, insideLatency = 0;   // between devices of a host
  double betweenRate = 0, betweenLatency = 0; // between hosts
};

/// One table and what a step does with it.
struct Table {
  rec::TableOp op;
  std::string name;
  TableFacts facts;
  int64_t states = 0;      // floats of optimizer state for each row, beyond its weights
  double idsPerSample = 0; // over all lookups
  int64_t lookups = 0;
  bool unique = false;     // rows travel instead of bags
  // orders
  const Strategy *strategy = nullptr;
  std::optional<Choice> choice;
  std::optional<rec::Exchange> exchange;
  mlir::Location place;
  int64_t together = -1; // tables with one number share an owner

  double rowBytes() const { return 4.0 * facts.dim; }
  double bytes() const { return 4.0 * facts.rows * (facts.dim + states); }
};

struct Facts {
  Cluster cluster;
  int64_t batch = 1;
  std::optional<int64_t> groups, shards; // ordered
  mlir::Location place;
  std::vector<Table> tables;
  double denseBytes = 0; // parameters and their state
  int64_t layersWidth = 0; // columns of all values of a step, for the memory of activations
};

/// Reads the module. Fails with diagnostics on orders that contradict each other.
mlir::FailureOr<Facts> readFacts(mlir::ModuleOp module);

} // namespace sparsec::plan
