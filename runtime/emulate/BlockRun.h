// The threads of one block of a launch, each on a fiber of its own where they wait for each other.
#pragma once
#include "emulate/AccessWatch.h"
#include "emulate/Fiber.h"
#include <functional>
#include <vector>

namespace sparsec {

class BlockRun;

/// What the emulator knows of a thread behind what kernels see of it.
struct EmulatedThread : SparsecThread {
  enum State { ready, atBarrier, atShuffle, ended };
  BlockRun *run = nullptr;
  State state = ready;
  emulate::Fiber fiber;
  const SparsecSite *site = nullptr; // where it waits
  int64_t word = 0, operand = 0;     // of a shuffle
  int32_t mode = 0;
};

class BlockRun {
public:
  explicit BlockRun(EmulatedMemory &memory) : watch(memory) {}

  struct Launch {
    const SparsecKernel &kernel;
    int64_t blocks;
    const int64_t *arguments;
  };
  /// Fills in the order in which threads [0, n) get their turn.
  using Order = std::function<void(std::vector<int32_t> &turns)>;
  /// Runs one block to its end or to the first fault.
  emulate::Fault run(const Launch &, int64_t block, const Order &);

  // Called on a thread's fiber.
  void access(EmulatedThread &, const void *address, int64_t bytes, int32_t access, const SparsecSite *);
  void wait(EmulatedThread &, EmulatedThread::State, const SparsecSite *);

  AccessWatch watch;

private:
  void start(const Order &);
  static void runThread(boost::context::detail::transfer_t);
  static void runAllThreads(boost::context::detail::transfer_t);
  void resume(EmulatedThread &);
  [[noreturn]] void stop(EmulatedThread &, emulate::Fault, const SparsecSite *);
  bool releaseBarrier();
  bool releaseShuffle(int64_t firstThread);
  emulate::Fault findStuck() const;

  const Launch *launch = nullptr;
  std::vector<EmulatedThread> threads;
  std::vector<int32_t> turns;
  emulate::FiberStacks stacks;
  emulate::Fiber scheduler;
  emulate::Fault fault;
};

} // namespace sparsec
