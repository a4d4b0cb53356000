#include "RowSources.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace sparsec {

Result<RowSources> RowSources::create(Context &context, const SparsecUpdate *updates, int64_t n) {
  RowSources sources;
  sources.context = &context;
  sources.updates = updates;
  sources.parts = {context.scratch<const SparsecPart *>(n), size_t(n)};
  if (Status status = sources.findParts(); !status)
    return status;
  if (Status status = sources.findPieces(); !status)
    return status;
  return sources;
}

Status RowSources::fault(int64_t u, const std::string &what) const {
  const auto &tables = context->program().tables;
  int32_t table = updates[u].table;
  std::string name = table >= 0 && size_t(table) < tables.size() ? tables[table].name : std::to_string(table);
  return Status::error(fmt::format("table `{}`, part {}, rank {}: {}", name, updates[u].part, context->rank(), what));
}

Status RowSources::foreignRow(int64_t u) const { return fault(u, "a row gradient is of a row that is not here"); }

/// Parts, and how many bits a key needs.
Status RowSources::findParts() {
  auto n = int64_t(parts.size());
  int64_t mostRows = 1;
  for (int64_t u = 0; u < n; ++u) {
    if (!updates[u].rows || updates[u].rows->table != updates[u].table)
      return fault(u, updates[u].rows ? "the row gradients are of another table" : "no row gradients");
    parts[u] = context->tables().part(updates[u].table, updates[u].part);
    if (parts[u])
      mostRows = std::max(mostRows, parts[u]->rows);
  }
  rowBits = std::bit_width(uint64_t(mostRows - 1));
  if (rowBits + std::bit_width(uint64_t(std::max<int64_t>(n, 1) - 1)) > 63)
    return Status::error(fmt::format("{} updates of {} rows: too many for one sort", n, mostRows));
  return {};
}

Status RowSources::findPieces() {
  auto n = int64_t(parts.size());
  int64_t pieces = 0, count = 0;
  for (int64_t u = 0; u < n; ++u)
    pieces += updates[u].rows->pieces;
  Source *found = context->scratch<Source>(pieces);
  begins = context->scratch<int64_t>(n + 1);
  for (int64_t u = 0; u < n; ++u) {
    begins[u] = total;
    for (int64_t p = 0; p < updates[u].rows->pieces; ++p) {
      const RowsPiece &piece = updates[u].rows->piece[p];
      if (piece.part != updates[u].part || piece.size() == 0)
        continue;
      if (!parts[u] || piece.dim != parts[u]->dim)
        return fault(
            u, fmt::format("row gradients of {} columns, but {}", piece.dim,
                           parts[u] ? fmt::format("rows have {}", parts[u]->dim) : "nothing of the part is here"));
      found[count++] = {&piece, u, total};
      total += piece.size();
      weighted |= piece.weights() != nullptr;
    }
  }
  begins[n] = total;
  list = {found, size_t(count)};
  return {};
}

} // namespace sparsec
