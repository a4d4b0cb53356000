// Lists of row gradients: from local and served lookups, joined. Nothing is copied.
#include "Handle.h"
#include "RowPlaces.h"
#include "Rows.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec {

SparsecRows *makeRows(Context &context, int32_t table, int64_t pieces) {
  SparsecRows *rows = context.scratch<SparsecRows>(1);
  *rows = {table, 0, context.scratch<RowsPiece>(pieces)};
  return rows;
}

namespace {

Status local(Context &context, int32_t table, int32_t part, const SparsecJagged &ids, const float *gradient,
             SparsecRows *&result) {
  result = makeRows(context, table, 1);
  if (const SparsecPart *held = context.tables().part(table, part))
    result->piece[result->pieces++] = {part, ids.bags, held->dim, &ids, 0, nullptr, gradient};
  return {};
}

Status served(Context &context, const Owners &owners, int32_t table, const SparsecJagged &received,
              const float *gradient, SparsecRows *&result) {
  int64_t mine = owners.mine();
  const int64_t *place = servedPlaces(context, owners, received);
  result = makeRows(context, table, owners.ranks() * mine);
  for (int64_t r = 0; r < owners.ranks(); ++r)
    for (int64_t i = 0; i < mine; ++i) {
      const SparsecItem &item = owners.myItem(i);
      const int64_t *start = received.bag_start + r * mine + i;
      if (item.table == table)
        result->piece[result->pieces++] = {item.part, start[1] - start[0],           item.dim, &received, start[0],
                                           nullptr,   gradient + place[r * mine + i]};
    }
  return {};
}

Status join(Context &context, SparsecRows *const *rows, int64_t n, SparsecRows *&result) {
  int64_t pieces = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!rows[i] || rows[i]->table != rows[0]->table)
      return Status::error(fmt::format("row gradients of different tables cannot be joined"));
    pieces += rows[i]->pieces;
  }
  if (n == 0)
    return Status::error("nothing to join");
  result = makeRows(context, rows[0]->table, pieces);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(rows[i]->piece, rows[i]->pieces, result->piece + result->pieces);
    result->pieces += rows[i]->pieces;
  }
  return {};
}

} // namespace

} // namespace sparsec

using namespace sparsec;

extern "C" {

SparsecRows *sparsec_row_gradients_local(SparsecContext *handle, int32_t table, int32_t part, const SparsecJagged *ids,
                                         const float *gradient) {
  SparsecRows *result = nullptr;
  guarded(handle, [&](Context &context) { return local(context, table, part, *ids, gradient, result); });
  return result;
}

SparsecRows *sparsec_row_gradients_served(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                          int32_t table, const SparsecJagged *received, int32_t inNode,
                                          const float *gradient) {
  SparsecRows *result = nullptr;
  guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, inNode);
    return owners ? served(context, *owners, table, *received, gradient, result) : owners.status();
  });
  return result;
}

SparsecRows *sparsec_rows_join(SparsecContext *handle, SparsecRows *const *rows, int64_t n) {
  SparsecRows *result = nullptr;
  guarded(handle, [&](Context &context) { return join(context, rows, n, result); });
  return result;
}

} // extern "C"
