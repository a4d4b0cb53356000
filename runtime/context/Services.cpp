// The batch, parameters, memory, threads, GEMMs and results: abi.h's small functions.
#include "Handle.h"
#include "NonFinite.h"
#include "sparsec/Batch.h"
#include "sparsec/Gemm.h"
#include "sparsec/ThreadPool.h"
#include <cmath>
#include <fmt/format.h>

using namespace sparsec;

extern "C" {

int64_t sparsec_batch_size(SparsecContext *handle) { return handle->context->batch().samples; }

int64_t sparsec_batch_status(SparsecContext *handle) {
  return guarded(handle, [](Context &context) { return context.batch().status; });
}

int64_t sparsec_first_sample(SparsecContext *handle) { return handle->context->batch().firstSample; }

const float *sparsec_input(SparsecContext *handle, int32_t block) {
  const auto &inputs = handle->context->batch().inputs;
  return block >= 0 && size_t(block) < inputs.size() ? inputs[block].data() : nullptr;
}

const float *sparsec_label(SparsecContext *handle, int32_t label) {
  const auto &labels = handle->context->batch().labels;
  return label >= 0 && size_t(label) < labels.size() ? labels[label].data() : nullptr;
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
  return handle->context->tables().param(param, field);
}

const SparsecPart *sparsec_part(SparsecContext *handle, int32_t table, int32_t part) {
  return handle->context->tables().part(table, part);
}

void *sparsec_arena(SparsecContext *handle, int64_t bytes) {
  return contained<void *>(handle, nullptr, [&](Context &context) {
    void *memory = context.arena().get(bytes);
    if (!memory)
      context.fail(Status::error(fmt::format("no memory for an arena of {} bytes", bytes)));
    return memory;
  });
}

void *sparsec_ragged(SparsecContext *handle, int64_t bytes) {
  return contained<void *>(handle, nullptr, [&](Context &context) {
    void *memory = context.ragged().get(bytes);
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
                     const float *b, const float *bias, float *c) {
  return guarded(handle, [&](Context &context) { return context.gemm().run(flags, m, n, k, a, b, bias, c); });
}

int32_t sparsec_report_loss(SparsecContext *handle, float loss) {
  handle->context->setLoss(loss);
  if (std::isfinite(loss))
    return 0;
  // The loss is global: every rank comes here with the same one.
  return contained<int32_t>(handle, 1,
                            [&](Context &context) { return context.failTogether(explainLoss(context, loss)); });
}

void sparsec_output(SparsecContext *handle, int32_t task, const float *values, int64_t n) {
  guarded(handle, [&](Context &context) -> Status {
    context.setOutput(task, {values, size_t(n)});
    return {};
  });
}

} // extern "C"
