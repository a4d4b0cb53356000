// The batch, parameters, memory, threads, GEMMs and results: abi.h's small functions.
#include "Handle.h"
#include "sparsec/Batch.h"
#include "sparsec/Engine.h"
#include "sparsec/ThreadPool.h"
#include <fmt/format.h>

using namespace sparsec;

/// The address that `find` (Engine & -> Result<const T *>) gives, or null where it fails.
template <typename Find> static auto found(SparsecContext *handle, Find &&find) {
  using Address = std::decay_t<decltype(*find(handle->context->engine()))>;
  Address address = nullptr;
  guarded(handle, [&](Context &context) -> Status {
    auto result = find(context.engine());
    address = *result;
    return result.status();
  });
  return address;
}

extern "C" {

int64_t sparsec_batch_size(SparsecContext *handle) { return handle->context->batch().samples; }

int64_t sparsec_batch_status(SparsecContext *handle) {
  return guarded(handle, [](Context &context) { return context.batch().status; });
}

int64_t sparsec_first_sample(SparsecContext *handle) { return handle->context->batch().firstSample; }

const float *sparsec_input(SparsecContext *handle, int32_t block) {
  return found(handle, [=](Engine &engine) { return engine.input(block); });
}

const float *sparsec_label(SparsecContext *handle, int32_t label) {
  return found(handle, [=](Engine &engine) { return engine.label(label); });
}

const SparsecJagged *sparsec_ids(SparsecContext *handle, int32_t feature) {
  const auto &ids = handle->context->batch().ids;
  return feature >= 0 && size_t(feature) < ids.size() ? &ids[feature].view() : nullptr;
}

int64_t *sparsec_frame(SparsecContext *handle, int64_t words) {
  int64_t *first = nullptr;
  guarded(handle, [&](Context &context) -> Status {
    Frame *frame = context.frame();
    if (!frame)
      return Status::error(fmt::format("step {}: nothing was prepared for it", context.step()));
    if (int64_t(frame->size()) < words)
      frame->resize(words);
    first = frame->data();
    return {};
  });
  return first;
}

float *sparsec_param(SparsecContext *handle, int32_t param, int32_t field) {
  return handle->context->engine().param(param, field);
}

const SparsecPart *sparsec_part(SparsecContext *handle, int32_t table, int32_t part) {
  return handle->context->engine().part(table, part);
}

void *sparsec_arena(SparsecContext *handle, int64_t bytes) {
  return contained<void *>(handle, nullptr, [&](Context &context) {
    void *memory = context.engine().arena(bytes);
    if (!memory)
      context.fail(Status::error(fmt::format("no memory for an arena of {} bytes", bytes)));
    return memory;
  });
}

void *sparsec_ragged(SparsecContext *handle, int64_t bytes) {
  return contained<void *>(handle, nullptr, [&](Context &context) {
    void *memory = context.engine().ragged(bytes);
    if (!memory)
      context.fail(Status::error(fmt::format("no memory for a run-time sized buffer of {} bytes", bytes)));
    return memory;
  });
}

void sparsec_parallel(SparsecContext *handle, SparsecBody body, void *argument, int64_t n, int64_t grain) {
  guarded(handle, [&](Context &context) -> Status {
    context.pool().parallel(n, grain, [=](int64_t begin, int64_t end) { body(argument, begin, end); });
    return {};
  });
}

int32_t sparsec_gemm(SparsecContext *handle, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a,
                     const float *b, float *with, float *c) {
  return guarded(handle, [&](Context &context) { return context.engine().gemm(flags, m, n, k, a, b, with, c); });
}

int32_t sparsec_launch(SparsecContext *handle, const SparsecKernel *kernel, int64_t blocks, const int64_t *arguments) {
  return guarded(handle, [&](Context &context) { return context.engine().launch(*kernel, blocks, arguments); });
}

const SparsecJagged *sparsec_on_device(SparsecContext *handle, const SparsecJagged *bags) {
  return found(handle, [=](Engine &engine) { return engine.onDevice(*bags); });
}

const int64_t *sparsec_word_on_device(SparsecContext *handle, int64_t word) {
  return found(handle, [=](Engine &engine) { return engine.wordOnDevice(word); });
}

int32_t sparsec_report_loss(SparsecContext *handle, const float *loss) {
  return guarded(handle, [&](Context &context) { return context.engine().reportLoss(loss); });
}

void sparsec_output(SparsecContext *handle, int32_t task, const float *values, int64_t n) {
  guarded(handle, [&](Context &context) { return context.engine().output(task, values, n); });
}

} // extern "C"
