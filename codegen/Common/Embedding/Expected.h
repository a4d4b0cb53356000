// What a rank's step is expected to meet: a full batch, bags of the lengths that features declare, the mean over ranks.
// Distinct rows are as many as ids, but no more than the table has: the bound that the planner takes, too.
#pragma once
#include "codegen/Common/Embedding/Lowering.h"

namespace sparsec::codegen {

/// Samples of a full batch in the entry point of `op`.
double expectedSamples(mlir::Operation *op);
struct ExpectedBags {
  double bags = 0, ids = 0;
};
/// Bags of one feature, or what a rec.unique made of them.
ExpectedBags expectedBags(mlir::Value ids);
/// What of one item of a route a rank serves. Every owner gets all bags, so with c owners of R ranks that is the bags
/// of c ranks in the mean, but the ids of one.
ExpectedBags expectedServed(EmbeddingLowering &, rec::RouteOp route, rec::ItemAttr item);
/// The classes of lookups of a program that is not lowered yet, in the order of first use: of each the figures of the
/// entry point with most bags.
llvm::SmallVector<ExpectedLookups> expectedLookups(mlir::ModuleOp);
/// Floats of pooled rows, or of their gradients, on their way between owners and askers: those a rank has of `rows`.
double expectedFloats(EmbeddingLowering &, mlir::Value rows);
/// Occurrences of rows of one part in row gradients.
double expectedIds(EmbeddingLowering &, mlir::Value rows, int64_t part);

/// One for each item of a route.
template <typename WorkOf> llvm::SmallVector<Work> worksOf(rec::RouteOp route, WorkOf workOf) {
  return llvm::map_to_vector(route.getItems().getAsRange<rec::ItemAttr>(), workOf);
}
/// Sums of a lookup: rows and ids read, a row for each bag and its offset.
Work lookupWork(mlir::FlatSymbolRefAttr kernel, int64_t dim, ExpectedBags expected);
/// Segment sums of `ids` gradient rows; each of the `rows` sums is written or, with `numbers` of weights and state for
/// a row, those are read and written and take an add and a multiply each, at the least.
Work segmentWork(mlir::FlatSymbolRefAttr kernel, int64_t dim, double ids, double rows, double numbers);
/// Rows of several sources added.
Work combineWork(mlir::FlatSymbolRefAttr kernel, int64_t dim, double bags, double sources);
/// Floats copied.
Work copyWork(double floats, double items);

} // namespace sparsec::codegen
