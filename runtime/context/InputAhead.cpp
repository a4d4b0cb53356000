#include "sparsec/InputAhead.h"
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace sparsec {

//===- the thread ------------------------------------------------------------------------------------------------===//

InputThread::InputThread(const ContextParts &compute, int64_t rank, std::unique_ptr<Communicator> channel)
    : parts(compute), rank(rank), channel(std::move(channel)) {}

Result<std::unique_ptr<InputThread>> InputThread::create(const ContextParts &compute, int64_t rank) {
  Result<std::unique_ptr<Communicator>> channel = compute.communicators->world().duplicate();
  if (!channel)
    return channel.status();
  std::unique_ptr<InputThread> made(new InputThread(compute, rank, std::move(*channel)));
  Result<AxisCommunicators> axes = AxisCommunicators::create(*made->channel, compute.program->mesh);
  if (!axes)
    return axes.status();
  made->axes = std::move(*axes);
  made->parts.communicators = &made->axes;
  try {
    made->thread = std::thread([input = made.get()] { input->work(); });
  } catch (const std::exception &error) {
    return Status::error(fmt::format("rank {}: cannot start the thread for input: {}", rank, error.what()));
  }
  return made;
}

InputThread::~InputThread() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    ending = true;
  }
  changed.notify_one();
  thread.join();
}

void InputThread::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
  }
  changed.notify_one();
}

void InputThread::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return ending || !queue.empty(); });
    if (queue.empty())
      return;
    std::function<void()> next = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
}

//===- batches ---------------------------------------------------------------------------------------------------===//

InputAhead::InputAhead(InputThread &thread, BatchSource &source, SparsecEntry input, int64_t first, int64_t last)
    : thread(thread), source(source), input(input), step(first), last(last) {
  for (Slot &slot : slots)
    slot.context = thread.makeContext();
  start(first);
}

InputAhead::~InputAhead() {
  if (underWay)
    finish();
}

void InputAhead::start(int64_t next) {
  step = next;
  if (last && next > last)
    return;
  Slot &slot = slotOf(next);
  slot.ready = false;
  slot.prepared.step = next;
  underWay = true;
  thread.post([this, &slot] { prepare(slot); });
}

Status InputAhead::read(Slot &slot) try {
  PreparedBatch &prepared = slot.prepared;
  prepared.batch = source.next();
  prepared.after = source.position();
  return prepared.batch && input ? slot.context->run(input, *prepared.batch, prepared.step, &prepared.frame) : Status();
} catch (const std::exception &error) {
  return Status::error(fmt::format("step {}: cannot prepare its batch: {}", slot.prepared.step, error.what()));
}

void InputAhead::prepare(Slot &slot) {
  Status status = read(slot);
  std::lock_guard lock(mutex);
  slot.status = std::move(status);
  slot.ready = true;
  changed.notify_one();
}

void InputAhead::finish() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return slotOf(step).ready; });
  underWay = false;
}

Result<PreparedBatch *> InputAhead::next() {
  Slot &slot = slotOf(step);
  if (!underWay) { // past the last step
    slot.prepared.batch = nullptr;
    return &slot.prepared;
  }
  finish();
  if (!slot.status)
    return slot.status;
  if (slot.prepared.batch)
    start(step + 1);
  return &slot.prepared;
}

} // namespace sparsec
