#include "NonFinite.h"
#include "sparsec/Batch.h"
#include "sparsec/Engine.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec {

static bool allFinite(const float *values, int64_t count) {
  return !values || std::all_of(values, values + count, [](float x) { return std::isfinite(x); });
}

/// Weights of layers first, in the program's order, then tables: 1 + the place of the first that is not finite in what
/// this rank holds, 0 for none.
static int64_t firstNonFinite(const Context &context) {
  const Program &program = context.program();
  const Tables &tables = context.tables();
  for (size_t i = 0; i < program.params.size(); ++i) {
    int64_t count = 1;
    for (int64_t n : program.params[i].shape)
      count *= n;
    if (!allFinite(tables.param(int64_t(i), 0), count))
      return 1 + int64_t(i);
  }
  for (const HeldPart &held : tables.parts())
    if (!allFinite(held.place.field[0], held.place.rows * held.place.dim))
      return 1 + int64_t(program.params.size()) + held.table;
  return 0;
}

static Status explainLoss(Context &context, float loss, const StepPlace &place) {
  if (Status status = context.engine().download(); !status)
    return status;
  const Program &program = context.program();
  auto found = context.communicator(7).agree(firstNonFinite(context), 0);
  if (!found)
    return found.status();
  std::string cause = "all weights are finite; the learning rate may be too large";
  if (int64_t tensor = found->status - 1; tensor >= 0) {
    auto layers = int64_t(program.params.size());
    std::string name = tensor < layers ? program.params[size_t(tensor)].name
                                       : fmt::format("table/{}/weight", program.tables[size_t(tensor - layers)].name);
    cause = fmt::format("`{}` is no longer finite; the learning rate may be too large", name);
  }
  return Status::error(fmt::format("step {}: the loss is {} in batch {} of epoch {}; {}", place.step,
                                   std::isnan(loss) ? "nan" : "infinite", place.batch + 1, place.epoch + 1, cause));
}

StepPlace StepPlace::of(const Context &context) {
  return {context.step(), context.batch().epoch, context.batch().batchIndex};
}

Status judgeLoss(Context &context, float loss, const StepPlace &place) {
  context.setLoss(loss);
  if (std::isfinite(loss))
    return {};
  context.failTogether(
      explainLoss(context, loss, place)); // the loss is global: every rank comes here with the same one
  return context.status();
}

} // namespace sparsec
