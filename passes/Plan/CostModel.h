// What a way of sharding a table costs each rank of a group: memory, and time by what it is spent on.
#pragma once
#include "passes/Plan/Facts.h"

namespace sparsec::plan {

/// Of one rank: bytes held, and seconds of a step.
struct Cost {
  double memory = 0, gather = 0, travel = 0;
  double seconds() const { return gather + travel; }
  Cost &operator+=(const Cost &other) {
    memory += other.memory;
    gather += other.gather;
    travel += other.travel;
    return *this;
  }
};

/// Which messages a step has.
struct Messages {
  bool exchange = false, twoSteps = false; // in the group: rows in one step or two
  bool replicas = false, everyone = false; // updates: of owned parts over the groups, of replicated tables over all
};

/// First-order model. For a part of w columns on c owners, with n ids and B bags of the group a step:
///   memory   ceil(rows / c) (w + states) floats
///   gather   n / c rows read, and read and written again with their state by the update, at the rate of random rows
///   travel   n / c ids in; B w floats out and as many gradients in, at the rate of the link between asker and owner
/// Where the owners are one node's ranks, rows go back in two steps. Inside the node, at its own rate, that is B w
/// floats out and as many gradients in for an owner, and as much the other way for the rank that gathers; between nodes
/// B / c w floats of sums out and as many gradients in. An asker gets one list of sums from there in place of c. A
/// replicated table reads its own ids only, but its touched rows travel to all ranks, as those of an owned part do to
/// its owners in other groups: each rank gets the list of every other.
class CostModel {
public:
  CostModel(const Facts &facts, int64_t groups, const GroupShape &group) : facts(facts), groups(groups), group(group) {}

  /// Adds what `parts` cost to the ranks that pay. `ranks` has one entry for each rank of the group.
  void add(const Table &table, llvm::ArrayRef<rec::PartAttr> parts, llvm::MutableArrayRef<Cost> ranks) const;
  /// Memory that does not depend on the plan: parameters and the activations of a rank's samples.
  double fixedMemory() const { return facts.denseBytes + activations(); }
  /// Bytes of the values of a rank's samples and of their gradients.
  double activations() const;
  /// Seconds that every rank spends on the layers, whatever the plan: the products, forward and twice as many backward,
  /// at the rate of products; values and gradients written and read, and parameters with their state read and written
  /// by the update, at the rate of copies; the gradients of all ranks summed, each rank a slice, then gathered.
  double layers() const;
  /// Latency of the messages of a step, those of `layers` aside.
  double messages(Messages) const;

private:
  /// Seconds that rows of one part are under way, and their gradients: at each owner, and at each rank that asked.
  struct RowTravel {
    double owner, asker;
  };
  /// The axes of the mesh from the innermost on: their ranks stand next to each other.
  enum class Axis { Shard, Node, Replicate };
  /// Bytes/s of a rank and seconds of a message, of a collective whose outermost axis is this: those of the link inside
  /// a host where its ranks and all between them are in one, else those of the link between hosts.
  struct Wire {
    double rate, latency;
  };
  Wire wire(Axis outermost) const;
  /// `bags`: rows that an owner sends to the group.
  RowTravel rowTravel(rec::PartAttr part, double bags) const;
  const Facts &facts;
  int64_t groups;
  const GroupShape &group;
};

} // namespace sparsec::plan
