// Threads that never wait run one after the other on a single fiber; a fiber all the same, since a fault leaves it in
// the middle of generated code and nothing returns there. Others take turns: each runs until it waits, then those whose
// partners have all come go on.
#include "emulate/BlockRun.h"
#include <numeric>

using namespace sparsec;
using namespace sparsec::emulate;
using namespace boost::context::detail;

static constexpr int64_t warp = 32;

Fault BlockRun::run(const Launch &of, int64_t block, const Order &order) {
  launch = &of;
  fault = {};
  int64_t count = of.kernel.threads;
  watch.beginBlock(block, of.kernel.shared, count);
  threads.resize(count);
  turns.resize(count);
  for (int64_t t = 0; t < count; ++t) {
    threads[t] = EmulatedThread{{t, block, count, of.blocks, watch.shared()}};
    threads[t].run = this;
  }
  start(order);
  if (fault.kind != Fault::none)
    fault.block = block;
  return fault;
}

void BlockRun::start(const Order &order) {
  std::iota(turns.begin(), turns.end(), 0);
  if (!launch->kernel.waits) {
    order(turns);
    Fiber all = makeFiber(stacks.get(0), runAllThreads);
    switchFiber(scheduler, all, this);
    return;
  }
  for (EmulatedThread &thread : threads)
    thread.fiber = makeFiber(stacks.get(thread.thread), runThread);
  for (size_t ended = 0; ended < threads.size();) {
    order(turns);
    bool moved = false;
    for (int32_t t : turns)
      if (threads[t].state == EmulatedThread::ready) {
        moved = true;
        resume(threads[t]);
        if (fault.kind != Fault::none)
          return;
        ended += threads[t].state == EmulatedThread::ended;
      }
    for (size_t first = 0; first < threads.size(); first += warp)
      moved |= releaseShuffle(first);
    moved |= releaseBarrier();
    if (!moved) {
      fault = findStuck();
      return;
    }
  }
}

void BlockRun::runThread(transfer_t from) {
  auto &thread = *static_cast<EmulatedThread *>(from.data);
  BlockRun &run = *thread.run;
  enterFiber(from, run.scheduler);
  run.launch->kernel.emulated(&thread, run.launch->arguments);
  thread.state = EmulatedThread::ended;
  leaveFiber(run.scheduler);
}

void BlockRun::runAllThreads(transfer_t from) {
  BlockRun &run = *static_cast<BlockRun *>(from.data);
  enterFiber(from, run.scheduler);
  for (int32_t t : run.turns)
    run.launch->kernel.emulated(&run.threads[t], run.launch->arguments);
  leaveFiber(run.scheduler);
}

void BlockRun::resume(EmulatedThread &thread) { switchFiber(scheduler, thread.fiber, &thread); }

void BlockRun::stop(EmulatedThread &thread, Fault what, const SparsecSite *site) {
  fault = what;
  fault.thread = thread.thread;
  fault.site = site;
  leaveFiber(scheduler);
}

void BlockRun::access(EmulatedThread &thread, const void *address, int64_t bytes, int32_t access,
                      const SparsecSite *site) {
  Fault found = watch.check(address, bytes, access, thread.thread);
  if (found.kind != Fault::none) [[unlikely]]
    stop(thread, found, site);
}

void BlockRun::wait(EmulatedThread &thread, EmulatedThread::State state, const SparsecSite *site) {
  if (!launch->kernel.waits)
    stop(thread, {Fault::unexpected}, site);
  thread.state = state;
  thread.site = site;
  switchFiber(thread.fiber, scheduler);
}

bool BlockRun::releaseBarrier() {
  for (const EmulatedThread &thread : threads)
    if (thread.state != EmulatedThread::atBarrier || thread.site != threads.front().site)
      return false;
  watch.passBarrier();
  for (EmulatedThread &thread : threads)
    thread.state = EmulatedThread::ready;
  return true;
}

static int64_t partnerOf(int64_t lane, int64_t operand, int32_t mode) {
  switch (mode) {
  case SPARSEC_SHUFFLE_XOR:
    return lane ^ operand;
  case SPARSEC_SHUFFLE_DOWN:
    return lane + operand;
  case SPARSEC_SHUFFLE_UP:
    return lane - operand;
  default:
    return operand;
  }
}

bool BlockRun::releaseShuffle(int64_t first) {
  int64_t words[warp];
  for (int64_t lane = 0; lane < warp; ++lane) {
    const EmulatedThread &thread = threads[first + lane];
    if (thread.state != EmulatedThread::atShuffle || thread.site != threads[first].site)
      return false;
    words[lane] = thread.word;
  }
  for (int64_t lane = 0; lane < warp; ++lane) {
    EmulatedThread &thread = threads[first + lane];
    int64_t partner = partnerOf(lane, thread.operand, thread.mode);
    if (partner >= 0 && partner < warp)
      thread.word = words[partner];
    thread.state = EmulatedThread::ready;
  }
  return true;
}

/// A thread that waits, and one that it waits for in vain.
Fault BlockRun::findStuck() const {
  for (const EmulatedThread &thread : threads) {
    if (thread.state == EmulatedThread::ended)
      continue;
    bool shuffles = thread.state == EmulatedThread::atShuffle;
    size_t first = shuffles ? thread.thread / warp * warp : 0, last = shuffles ? first + warp : threads.size();
    for (size_t t = first; t < last; ++t) {
      const EmulatedThread &other = threads[t];
      if (other.state == thread.state && other.site == thread.site)
        continue;
      Fault found{Fault::alone};
      found.other = other.thread;
      found.otherSite = other.state == EmulatedThread::ended ? nullptr : other.site;
      found.thread = thread.thread;
      found.site = thread.site;
      return found;
    }
  }
  return {};
}
