// From the C handle to the context, and from a Status to the int32_t that generated code sees.
#pragma once
#include "sparsec/Context.h"
#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

struct SparsecContext {
  sparsec::Context *context;
};

namespace sparsec {

/// Runs `work` (Context & -> T); what it throws fails the context, and `otherwise` is returned. Generated code cannot
/// be unwound, so whatever it calls and may throw goes through here.
template <typename T, typename Work> T contained(SparsecContext *handle, T otherwise, Work &&work) {
  Context &context = *handle->context;
  try {
    return work(context);
  } catch (const std::bad_alloc &) {
    context.fail(Status::error("no memory for run-time sized buffers"));
  } catch (const std::exception &error) {
    context.fail(Status::error(fmt::format("step {}: {}", context.step(), error.what())));
  }
  return otherwise;
}

/// Runs `work` (Context & -> Status) and keeps its error.
template <typename Work> int32_t guarded(SparsecContext *handle, Work &&work) {
  return contained<int32_t>(handle, 1, [&](Context &context) { return context.check(work(context)); });
}

} // namespace sparsec
