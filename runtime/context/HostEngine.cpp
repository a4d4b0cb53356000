// Inputs, parameters, GEMMs and results on the host; and what the host has not.
#include "HostEngine.h"
#include "NonFinite.h"
#include "sparsec/Batch.h"
#include "sparsec/Gemm.h"
#include <cmath>
#include <fmt/format.h>

namespace sparsec {

Engine::~Engine() = default;

std::unique_ptr<Engine> makeHostEngine(Context &context) { return std::make_unique<HostEngine>(context); }

void HostEngine::addTo(MemoryUse &use) const { use.arena += planned.bytes(); }

Status HostEngine::startTimes() {
  return Status::error("`--kernels` is about devices, but the program is for the CPU; compile it with --target=cuda");
}

static Result<const float *> blockOf(const std::vector<Buffer<float>> &blocks, int32_t i) {
  return i >= 0 && size_t(i) < blocks.size() ? blocks[i].data() : nullptr;
}

Result<const float *> HostEngine::input(int32_t block) { return blockOf(context.batch().inputs, block); }

Result<const float *> HostEngine::label(int32_t label) { return blockOf(context.batch().labels, label); }

float *HostEngine::param(int32_t param, int32_t field) { return context.tables().param(param, field); }

const SparsecPart *HostEngine::part(int32_t table, int32_t part) { return context.tables().part(table, part); }

Status HostEngine::gemm(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
                        float *c) {
  return context.gemm().run(flags, m, n, k, a, b, with, c);
}

Status HostEngine::launch(const SparsecKernel &kernel, int64_t, const int64_t *) {
  return Status::error(fmt::format("kernel `{}` is of a device, but the program has none", kernel.name));
}

Result<const SparsecJagged *> HostEngine::onDevice(const SparsecJagged &) {
  return Status::error("bags are asked for on a device, but the program has none");
}

Result<const int64_t *> HostEngine::wordOnDevice(int64_t) {
  return Status::error("a word is asked for on a device, but the program has none");
}

Status HostEngine::reportLoss(const float *loss) { return judgeLoss(context, *loss, StepPlace::of(context)); }

Status HostEngine::output(int32_t task, const float *values, int64_t n) {
  context.setOutput(task, {values, size_t(n)});
  return {};
}

} // namespace sparsec
