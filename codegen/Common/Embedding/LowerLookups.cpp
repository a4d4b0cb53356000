// Bags of ids and lookups of tables that every rank has.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static Results lowerIds(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::IdsOp op, rec::IdsOp::Adaptor) {
  RuntimeCalls calls(b);
  int32_t feature = l.index.feature(op.getFeatureAttr());
  return SmallVector<Value>{calls.call("sparsec_ids", calls.pointer(), {calls.constant(feature)})};
}

/// A table is named by number; the value is never read.
static Results lowerHandle(EmbeddingLowering &, ImplicitLocOpBuilder &b, rec::HandleOp, rec::HandleOp::Adaptor) {
  return SmallVector<Value>{RuntimeCalls(b).null()};
}

static Results lowerUnique(EmbeddingLowering &, ImplicitLocOpBuilder &b, rec::UniqueOp, rec::UniqueOp::Adaptor in) {
  RuntimeCalls calls(b);
  Value unique = calls.onStack(calls.pointer(), 1), at = calls.onStack(calls.pointer(), 1);
  calls.check("sparsec_unique", {in.getIds(), unique, at});
  return SmallVector<Value>{calls.load(calls.pointer(), unique, calls.pointer(), {0}),
                            calls.load(calls.pointer(), at, calls.pointer(), {0})};
}

static Results lowerLookupLocal(EmbeddingLowering &l, ImplicitLocOpBuilder &b, rec::LookupLocalOp op,
                                rec::LookupLocalOp::Adaptor in) {
  RuntimeCalls calls(b);
  auto type = layout::LocalItem::type(b.getContext());
  Value items = calls.onStack(type, op.getNumResults());
  SmallVector<Value> buffers, results;
  SmallVector<Work> works;
  for (int32_t i = 0, n = op.getNumResults(); i < n; ++i) {
    FlatSymbolRefAttr name = rec::tableOf(op.getTables()[op.getTableOf()[i]]);
    rec::TableOp table = l.table(name);
    if (!table.getParts() || table.getParts()->size() != 1 || !table.getPart(0).isReplicated())
      return op.emitOpError("expected one part with all of ") << name << " on every rank";
    Value ids = in.getIds()[i], buffer = bufferFor(b, op.getResult(i), bagsOf(b, op.getIds()[i], ids));
    auto set = [&](Value value, int32_t field) { calls.store(value, items, type, {i, field}); };
    FlatSymbolRefAttr kernel = l.kernels.lookup(lookupClass(op.getIds()[i], table.getDim()));
    works.push_back(lookupWork(kernel, table.getDim(), expectedBags(op.getIds()[i])));
    set(addressOf(b, kernel), layout::LocalItem::kernel);
    set(calls.constant(l.index.table(name)), layout::LocalItem::table);
    set(calls.constant(0), layout::LocalItem::part);
    set(ids, layout::LocalItem::ids);
    set(calls.address(buffer), layout::LocalItem::out);
    buffers.push_back(buffer);
  }
  setWork(calls.check("sparsec_lookup_local", {items, calls.constant64(op.getNumResults())}), works);
  for (Value buffer : buffers)
    results.push_back(calls.asTensor(buffer));
  return results;
}

void codegen::addLookupLowerings(EmbeddingPatterns &patterns) {
  patterns.add<rec::IdsOp>(lowerIds);
  patterns.add<rec::HandleOp>(lowerHandle);
  patterns.add<rec::UniqueOp>(lowerUnique);
  patterns.add<rec::LookupLocalOp>(lowerLookupLocal);
}
