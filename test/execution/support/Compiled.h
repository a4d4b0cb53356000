// From a description and a plan to an executable, and its commands.
#pragma once
#include "support/Process.h"
#include "support/Tensors.h"
#include <optional>

namespace sparsec::execution {

/// groups x (nodes x shards) ranks. More than one node: machines of `shards` devices are made up for the plan.
struct Mesh {
  int64_t groups = 1, nodes = 1, shards = 1;
  int64_t ranks() const { return groups * nodes * shards; }
  /// "2x3", or "2x(2x3)" with nodes.
  std::string name() const;
};

/// A block `table { name: .. STRATEGY {} }` of a plan file.
struct TablePlan {
  std::string table;    // a name, or a pattern
  std::string strategy; // "row_wise", or with places: "grid { host: [0, 1] }"
  bool unique = false;  // rows travel once, whatever the pooling
};

std::string planText(const std::string &model, const Mesh &mesh, const std::vector<TablePlan> &tables);

struct TrainOptions {
  std::optional<int64_t> steps;
  int threads = 1;
  std::string load = "";
  bool mpi = false; // one process for each rank, in place of one thread
};

struct Trained {
  Ran ran;
  std::string log; // as written
  std::vector<double> losses;
  Tensors tensors; // of the checkpoint that was saved
};

/// An executable in a folder of its own.
class Compiled {
public:
  /// `description`: files, read as one. `plan`: text, empty for none. `target`: as --target.
  Compiled(const std::vector<std::string> &description, const Mesh &mesh, const std::string &plan,
           const std::string &target = "cpu");
  Compiled(const std::string &description, const Mesh &mesh, const std::string &plan, const std::string &target = "cpu")
      : Compiled(std::vector{description}, mesh, plan, target) {}
  bool ok() const { return compilation.ok(); }
  const std::string &errors() const { return compilation.err; }

  /// Trains and saves to `checkpoint` in this folder.
  Trained train(const std::string &data, const std::string &checkpoint, const TrainOptions &options = {}) const;
  /// A command of the executable, on all its ranks: threads of one process, or with `mpi` as many processes.
  Ran run(std::vector<std::string> command, bool mpi = false, int threads = 1) const;
  /// Predictions with a checkpoint of `train`.
  Ran predict(const std::string &data, const std::string &checkpoint) const;
  std::string operator/(const std::string &name) const { return folder / name; }

private:
  std::vector<std::string> start(bool mpi) const;
  Mesh mesh;
  TemporaryFolder folder;
  Ran compilation;
};

bool haveMpirun();

} // namespace sparsec::execution
