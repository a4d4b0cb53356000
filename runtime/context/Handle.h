// From the C handle to the context, and from a Status to the int32_t that generated code sees.
#pragma once
#include "sparsec/Context.h"
#include <new>
#include <utility>

struct SparsecContext {
  sparsec::Context *context;
};

namespace sparsec {

/// Runs `work` (Context & -> Status) and keeps its error. Nothing is thrown into generated code.
template <typename Work> int32_t guarded(SparsecContext *handle, Work &&work) {
  Context &context = *handle->context;
  try {
    return context.check(work(context));
  } catch (const std::bad_alloc &) {
    return context.fail(Status::error("no memory for run-time sized buffers"));
  }
}

} // namespace sparsec
