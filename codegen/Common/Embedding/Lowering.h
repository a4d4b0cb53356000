// What the lowerings of embedding ops and collectives share. Each family of ops has a file Lower<Family>.cpp.
//
// Bags (`!rec.jagged`) and row gradients (`!rec.rows`) become pointers to what the runtime made; a table is known by
// its number and needs no value; what a started collective will give becomes the runtime's token.
#pragma once
#include "codegen/Common/Embedding/KernelSet.h"
#include "codegen/Common/ProgramIndex.h"
#include "codegen/Common/RuntimeCalls.h"
#include "codegen/Common/Work.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Transforms/DialectConversion.h"

namespace sparsec::codegen {

/// What one module's lowerings know.
class EmbeddingLowering {
public:
  EmbeddingLowering(mlir::ModuleOp module, KernelSet &kernels) : module(module), index(module), kernels(kernels) {}

  mlir::ModuleOp module;
  const ProgramIndex index;
  KernelSet &kernels;

  rec::TableOp table(mlir::FlatSymbolRefAttr name) { return module.lookupSymbol<rec::TableOp>(name.getAttr()); }
  /// Ranks of a collective over `axes`.
  int64_t ranks(mlir::ArrayAttr axes);

  /// How many floats an exchange moves in all (index): made by its rec.exchange_counts.
  struct Exchange {
    mlir::Value floatsToAskers, floatsFromOwners;
  };
  llvm::DenseMap<mlir::Operation *, Exchange> exchanges;               // by the rec.route
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> started; // by what is pending, the buffers it will be in
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> items;         // made by exchangeItems
};

using Results = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

/// A pattern from a function that builds an op's replacement; the op's own operands still have their old types, those
/// of the adaptor the new ones.
template <typename OpT> class EmbeddingPattern : public mlir::OpConversionPattern<OpT> {
public:
  using Function = Results (*)(EmbeddingLowering &, mlir::ImplicitLocOpBuilder &, OpT, typename OpT::Adaptor);
  EmbeddingPattern(const mlir::TypeConverter &types, mlir::MLIRContext *context, EmbeddingLowering &lowering,
                   Function lower)
      : mlir::OpConversionPattern<OpT>(types, context), lowering(lowering), lower(lower) {}
  mlir::LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Results results = lower(lowering, builder, op, adaptor);
    if (mlir::failed(results))
      return mlir::failure();
    rewriter.replaceOp(op, *results);
    return mlir::success();
  }

private:
  EmbeddingLowering &lowering;
  Function lower;
};

struct EmbeddingPatterns {
  mlir::RewritePatternSet &patterns;
  mlir::ConversionTarget &target;
  const mlir::TypeConverter &types;
  EmbeddingLowering &lowering;

  template <typename OpT> void add(typename EmbeddingPattern<OpT>::Function lower) {
    patterns.add<EmbeddingPattern<OpT>>(types, patterns.getContext(), lowering, lower);
    target.addIllegalOp<OpT>();
  }
};
void addInputLowerings(EmbeddingPatterns &);       // hand_over, take_over
void addLookupLowerings(EmbeddingPatterns &);      // ids, handle, lookup_local, unique
void addExchangeLowerings(EmbeddingPatterns &);    // route ... spread_sources, all_to_all
void addInNodeLowerings(EmbeddingPatterns &);      // node_counts, sum_in_node, copy_in_node
void addUpdateLowerings(EmbeddingPatterns &);      // row_gradients_*, join_rows, apply_rows
void addCollectiveLowerings(EmbeddingPatterns &);  // agree, replicate, all_reduce, wait
void addPoolingLowerings(EmbeddingPatterns &);     // bag_scale, pool_rows, pool_rows_grad
void addInteractionLowerings(EmbeddingPatterns &); // dot_interaction, dot_interaction_grad

//===- helpers ---------------------------------------------------------------------------------------------------===//

/// Bags of `ids` (index): a batch size where that is known from where they come, else read from `pointer`.
mlir::Value bagsOf(mlir::ImplicitLocOpBuilder &, mlir::Value ids, mlir::Value pointer);
/// The class of a lookup of `dim` columns: what the column of `ids` says of weights and lengths of bags.
LookupClass lookupClass(mlir::Value ids, int64_t dim);
mlir::Value addressOf(mlir::ImplicitLocOpBuilder &, mlir::FlatSymbolRefAttr kernel);
/// A new buffer for one of the op's results; extent 0 is `rows` where it is dynamic.
mlir::Value bufferFor(mlir::ImplicitLocOpBuilder &, mlir::Value result, mlir::Value rows);
/// The route whose bags these are, before or after they crossed ranks; null: of no route.
rec::RouteOp routeOf(mlir::Value bags);
/// The list of an exchange's items: a constant in the module.
mlir::Value exchangeItems(EmbeddingLowering &, mlir::ImplicitLocOpBuilder &, rec::RouteOp route);
/// The arguments that all calls about one exchange begin with, and those with `more`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> exchangeArguments(EmbeddingLowering &, mlir::ImplicitLocOpBuilder &,
                                                                  mlir::Operation *, mlir::ArrayAttr axes,
                                                                  mlir::Value bags);
llvm::SmallVector<mlir::Value> with(llvm::SmallVector<mlir::Value> arguments, mlir::ValueRange more);
/// Counts for `ranks` ranks that `pointer` points to, as a tensor like `result`.
mlir::Value countsAt(mlir::ImplicitLocOpBuilder &, mlir::Value pointer, mlir::Value result, int64_t ranks);
/// `count` SparsecUpdate on the stack; one for each part of each table, in order.
struct UpdateEntry {
  mlir::FlatSymbolRefAttr kernel;
  int32_t table, part;
  bool sweep;
  mlir::Value rows;
};
mlir::Value updateArray(mlir::ImplicitLocOpBuilder &, llvm::ArrayRef<UpdateEntry> entries);
/// Rows one after another; a single list as it is.
mlir::Value joinRows(mlir::ImplicitLocOpBuilder &, mlir::ValueRange rows);
/// The table of row gradients, by what made them.
mlir::FlatSymbolRefAttr tableOfRows(mlir::Value rows);
/// Waits for a transfer, then reads its buffers: a tensor each, or a number.
llvm::SmallVector<mlir::Value> waitFor(mlir::ImplicitLocOpBuilder &, mlir::Value token, mlir::ValueRange buffers,
                                       mlir::TypeRange results);
/// Pointers side by side on the stack.
mlir::Value pointerArray(mlir::ImplicitLocOpBuilder &, mlir::ValueRange pointers);

} // namespace sparsec::codegen
