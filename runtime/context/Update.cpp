// Optimizer steps: one sort for all tables, then the kernels over segments, or over whole parts.
#include "Division.h"
#include "Handle.h"
#include "HostEngine.h"
#include "Rows.h"

namespace sparsec {

Status HostEngine::update(const SparsecUpdate *updates, int64_t n, float lr, float scale, int64_t step) {
  Result<RowSegments> segments = RowSegments::create(context, updates, n);
  if (!segments)
    return segments.status();
  Division division;
  for (int64_t u = 0; u < n; ++u) {
    const SparsecPart *part = segments->part(u);
    if (!part)
      continue;
    SparsecSegments &of = (*segments)[u];
    of.lr = lr;
    of.scale = scale;
    of.step = step;
    if (updates[u].sweep)
      division.add(u, part->rows, nullptr, part->dim);
    else
      division.add(u, of.segments, of.start, part->dim);
  }
  division.run(context.pool(),
               [&](int64_t u, int64_t begin, int64_t end) { updates[u].kernel.host(&(*segments)[u], begin, end); });
  return {};
}

} // namespace sparsec

extern "C" int32_t sparsec_update(SparsecContext *handle, const SparsecUpdate *updates, int64_t n, float lr,
                                  float scale, int64_t step) {
  return sparsec::guarded(
      handle, [&](sparsec::Context &context) { return context.engine().update(updates, n, lr, scale, step); });
}
