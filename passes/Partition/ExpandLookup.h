// One lookup of the whole-batch program as the exchanges that its table's parts ask for.
#pragma once
#include "dialect/Comm/Comm.h"

namespace sparsec {

/// Builds what replaces `lookup` and returns the pooled rows of this rank's samples. `handle` is the (replicated)
/// table, `table` its symbol with parts; a node has `shards` ranks. Every sharding strategy is a list of parts, so this
/// one function serves them all:
///
///   pooled: a LookupExchange, in two steps where each part's owners are the ranks of one node; or lookup_local
///   unique: the same for distinct ids, a bag each, then pool_rows on the requester
///   mean:   a sum, then scale_bags by the original counts, so that owners only ever sum
///
/// `max` needs whole rows and always takes the unique form.
mlir::Value expandLookup(mlir::OpBuilder &builder, rec::LookupOp lookup, mlir::Value handle, rec::TableOp table,
                         int64_t shards);

} // namespace sparsec
