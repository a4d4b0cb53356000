// A sharding strategy: one way to cut a table into parts and to say who holds them.
#pragma once
#include "dialect/Rec/Rec.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <string>
#include <vector>

namespace sparsec {
class Placement; // a table's block in a plan file
}

namespace sparsec::plan {

/// The ranks of a group and how they sit in nodes; the parts of a table live inside one group.
struct GroupShape {
  int64_t nodes = 1, shards = 1; // shards: ranks of one node
  mlir::ArrayAttr axes;          // mesh axes of the group, in order, those of extent 1 left out
  int64_t ranks() const { return nodes * shards; }
};

/// What a strategy needs to know of a table.
struct TableFacts {
  int64_t rows = 1, dim = 1;
  bool needsRowNorm = false; // the optimizer's step needs the norm of the whole row
};

/// What the places of a choice number: ranks of the group, or its nodes. With `None` a choice has no places.
enum class PlacedBy { None, Rank, Node };

/// Where a plan file or the search puts a table.
struct Choice {
  llvm::SmallVector<int64_t> places;
};

class Strategy {
public:
  virtual ~Strategy() = default;
  /// As in plan files: `table_wise`.
  virtual llvm::StringRef name() const = 0;
  virtual PlacedBy placedBy() const = 0;
  /// Whether every rank holds the whole table, so that no rows are exchanged.
  virtual bool replicates() const { return false; }
  /// What a plan file orders: the places, none where it leaves them open. Nothing if the block orders another strategy.
  virtual std::optional<Choice> read(const sparsec::Placement &) const = 0;
  /// The block that `read` makes the choice of.
  virtual void write(const Choice &, sparsec::Placement &) const = 0;
  /// Empty, or why this table cannot be cut this way in this group.
  virtual std::string refusal(const TableFacts &, const GroupShape &, const Choice &) const = 0;
  /// The parts; `refusal` must be empty.
  virtual llvm::SmallVector<rec::PartAttr> parts(const TableFacts &, const GroupShape &, const Choice &) const = 0;
  /// The places the search tries, given which ranks are least loaded (all of them, best first).
  virtual llvm::SmallVector<Choice> choices(const TableFacts &, const GroupShape &,
                                            llvm::ArrayRef<int64_t> leastLoaded) const = 0;
};

/// All strategies, in the order in which ties are broken.
llvm::ArrayRef<const Strategy *> strategies();
/// By the name in plan files; null if there is none.
const Strategy *findStrategy(llvm::StringRef name);

/// Columns of part i of n: the first dim % n parts are one wider.
std::pair<int64_t, int64_t> columnRange(int64_t dim, int64_t parts, int64_t i);

} // namespace sparsec::plan
