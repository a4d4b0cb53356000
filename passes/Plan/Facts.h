// What planning knows: the tables and how they are read, the machines, and what the user ordered. All of it from the
// IR.
#pragma once
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Cluster.h"
#include "passes/Plan/Strategy.h"
#include <optional>

namespace sparsec::plan {

/// Module and table attribute `rec.order`: what a plan file says must be so.
inline constexpr llvm::StringLiteral orderAttr = "rec.order";

/// One table and what a step does with it.
struct Table {
  rec::TableOp op;
  std::string name;
  TableFacts facts;
  int64_t states = 0;      // floats of optimizer state for each row, beyond its weights
  double idsPerSample = 0; // over all lookups
  int64_t lookups = 0;
  bool unique = false; // rows travel instead of bags
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
  rec::Cluster cluster, machines; // those to plan for, and all there are
  int64_t batch = 1;
  std::optional<int64_t> groups, shards; // ordered
  bool groupsInPlan = false;             // by a plan file, not a flag
  mlir::Location place;
  std::vector<Table> tables;
  double denseBytes = 0;   // parameters and their state
  double weightBytes = 0;  // parameters alone
  double flops = 0;        // of the matrix products of one sample, forward; an fma counts two
  int64_t layersWidth = 0; // columns of all values of a step, for the memory of activations
  rec::TrainingOp training;
  rec::ParamOp largest; // of the dense parameters
};

/// Bytes of a dense parameter and its state.
double bytesOf(rec::ParamOp param);

/// Reads the module. Fails with diagnostics on orders that contradict each other.
mlir::FailureOr<Facts> readFacts(mlir::ModuleOp module);

} // namespace sparsec::plan
