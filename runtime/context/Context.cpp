#include "Handle.h"
#include "sparsec/Batch.h"
#include <fmt/format.h>

namespace sparsec {

Context::Context(const ContextParts &parts, int64_t rank)
    : parts(parts), place(rank), self(new SparsecContext{this}), outputs(parts.program->tasks.size()) {}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::create(const ContextParts &parts, int64_t rank, const TableOptions &options) {
  int64_t ranks = parts.program->mesh.ranks();
  if (rank < 0 || rank >= ranks)
    return Status::error(fmt::format("rank {}: expected a rank below {}", rank, ranks));
  std::unique_ptr<Context> context(new Context(parts, rank));
  Result<std::unique_ptr<Tables>> tables = Tables::create(*parts.program, rank, *parts.pool, options);
  if (!tables)
    return tables.status();
  context->held = std::move(*tables);
  return context;
}

std::unique_ptr<Context> Context::createForInput(const ContextParts &parts, int64_t rank) {
  return std::unique_ptr<Context>(new Context(parts, rank));
}

Status Context::run(SparsecEntry entry, const Batch &batch, int64_t step, Frame *frame) {
  first = Status();
  together = lossReported = false;
  for (std::vector<float> &values : outputs)
    values.clear();
  if (!entry)
    return Status::error("the program has no such entry point");
  current = &batch;
  currentStep = step;
  currentFrame = frame;
  pooled.reset();
  int32_t result = entry(self.get(), step);
  if (result != 0 && first.ok())
    fail(Status::error(fmt::format("step {} stopped with status {}", step, result)));
  if (!first.ok() && !together)
    parts.communicators->world().fail(first.message());
  transfers.clear(); // each waits, for its buffers' sake; after a failure at once
  current = nullptr;
  currentFrame = nullptr;
  return first;
}

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
  use.arena = planned.bytes();
  use.ragged = pooled.highWater();
  use.raggedReserved = pooled.reserved();
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
