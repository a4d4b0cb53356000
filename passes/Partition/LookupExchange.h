// The exchange of lookups, from their ids to their pooled rows.
#pragma once
#include "dialect/Comm/Comm.h"

namespace sparsec {

struct LookupExchange {
  llvm::SmallVector<mlir::Value> ids;       // of each lookup
  llvm::SmallVector<mlir::Type> pooled;     // result of each lookup
  llvm::SetVector<mlir::Value> tables;      // handles
  llvm::SmallVector<mlir::Attribute> items; // #rec.item
  mlir::ArrayAttr axes;
  mlir::UnitAttr inNode; // set: rows go back in two steps, as rec.node_counts says

  /// One result for each lookup:
  ///
  ///   route -> all_to_all ids -> lookup_served -> all_to_all rows -> combine_sources
  ///   in two steps: lookup_served -> all_to_all over shard -> sum_in_node -> all_to_all over node -> combine_sources
  rec::CombineSourcesOp build(mlir::OpBuilder &, mlir::Location) const;
};

} // namespace sparsec
