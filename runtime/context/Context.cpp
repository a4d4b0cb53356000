#include "Handle.h"
#include "sparsec/Batch.h"
#include "sparsec/Engine.h"
#include <fmt/format.h>
#include <utility>

namespace sparsec {

Context::Context(const ContextParts &parts, int64_t rank)
    : parts(parts), place(rank), self(new SparsecContext{this}), worker(makeHostEngine(*this)),
      outputs(parts.program->tasks.size()) {}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::createBare(const ContextParts &parts, int64_t rank) {
  int64_t ranks = parts.program->mesh.ranks();
  if (rank < 0 || rank >= ranks)
    return Status::error(fmt::format("rank {}: expected a rank below {}", rank, ranks));
  return std::unique_ptr<Context>(new Context(parts, rank));
}

Result<std::unique_ptr<Context>> Context::create(const ContextParts &parts, int64_t rank, const TableOptions &options) {
  Result<std::unique_ptr<Context>> context = createBare(parts, rank);
  if (context)
    if (Status status = (*context)->makeTables(options); !status)
      return status;
  return context;
}

Status Context::makeTables(const TableOptions &options) {
  Result<std::unique_ptr<Tables>> tables = Tables::create(*parts.program, place, *parts.pool, options);
  if (!tables)
    return tables.status();
  held = std::move(*tables);
  return worker->upload();
}

std::unique_ptr<Context> Context::createForInput(const ContextParts &parts, int64_t rank) {
  return std::unique_ptr<Context>(new Context(parts, rank));
}

void Context::forgetResults() {
  lossReported = false;
  settledStep = 0;
  for (std::vector<float> &values : outputs)
    values.clear();
}

Status Context::run(SparsecEntry entry, const Batch &batch, int64_t step, Frame *frame) {
  Status status = start(entry, batch, step, frame);
  return status.ok() ? settle() : status;
}

Status Context::start(SparsecEntry entry, const Batch &batch, int64_t step, Frame *frame) {
  first = Status();
  together = false;
  if (!worker->underWay())
    forgetResults();
  if (!entry)
    return Status::error("the program has no such entry point");
  current = &batch;
  currentStep = step;
  currentFrame = frame;
  pooled.reset();
  int32_t result = guarded(self.get(), [](Context &context) { return context.engine().begin(); });
  if (result == 0)
    result = entry(self.get(), step);
  if (result != 0 && first.ok())
    fail(Status::error(fmt::format("step {} stopped with status {}", step, result)));
  if (!first.ok())
    settleEarlier();
  failOthers();
  transfers.clear(); // each waits, for its buffers' sake; after a failure at once
  if (guarded(self.get(), [](Context &context) { return context.engine().finish(); }) != 0)
    failOthers();
  if (first.ok() && !worker->underWay())
    settledStep = step;
  current = nullptr;
  currentFrame = nullptr;
  return first;
}

Status Context::settle() {
  if (!worker->underWay())
    return {};
  first = Status();
  together = false;
  if (guarded(self.get(), [](Context &context) { return context.engine().settle(); }) != 0)
    failOthers();
  return first;
}

/// A loss that was not finite is what stopped all, whatever went wrong with the step behind it.
void Context::settleEarlier() {
  if (!worker->underWay())
    return;
  Status mine = std::exchange(first, Status());
  bool all = std::exchange(together, false);
  guarded(self.get(), [](Context &context) { return context.engine().settle(); });
  if (together)
    return;
  first = std::move(mine);
  together = all;
}

void Context::failOthers() const {
  if (!first.ok() && !together)
    parts.communicators->world().fail(first.message());
}

Status Context::startDevice(const SparsecProgramImage &image) {
  if (!image.backend)
    return {};
  return image.backend(self.get(), &image) == 0 ? Status() : first;
}

void Context::setEngine(std::unique_ptr<Engine> engine) { worker = std::move(engine); }

int32_t Context::fail(Status status) {
  if (first.ok())
    first = std::move(status);
  return 1;
}

int32_t Context::failTogether(Status status) {
  first = std::move(status);
  together = true;
  return 1;
}

std::span<const float> Context::output(int64_t task) const {
  if (task < 0 || task >= int64_t(outputs.size()))
    return {};
  return outputs[task];
}

MemoryUse Context::memory() const {
  MemoryUse use;
  if (held) {
    use.tables = held->tableBytes();
    use.params = held->paramBytes();
  }
  use.ragged = pooled.highWater();
  use.raggedReserved = pooled.reserved();
  worker->addTo(use);
  return use;
}

void Context::setOutput(int64_t task, std::span<const float> values) {
  if (task >= 0 && task < int64_t(outputs.size()))
    outputs[task].assign(values.begin(), values.end());
}

void Context::setLoss(float loss) {
  lastLoss = loss;
  lossReported = true;
}

int64_t Context::addTransfer(Pending pending) {
  transfers.emplace(nextToken, std::move(pending));
  return nextToken++;
}

Status Context::waitFor(int64_t token) {
  auto node = transfers.extract(token);
  if (node.empty())
    return Status::error(fmt::format("no transfer {} to wait for", token));
  return node.mapped().wait();
}

} // namespace sparsec
