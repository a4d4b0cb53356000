#include "emulate/BlockRun.h"
#include "sparsec/Emulate.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

using namespace sparsec;
using namespace sparsec::emulate;

struct Emulator::Machine {
  EmulatedMemory memory;
  BlockRun run{memory};
  EmulationOrder order;
  std::mt19937_64 random;

  template <typename Number> void arrange(std::vector<Number> &turns) {
    if (order.kind == EmulationOrder::reversed && std::is_sorted(turns.begin(), turns.end()))
      std::reverse(turns.begin(), turns.end());
    else if (order.kind == EmulationOrder::random)
      std::shuffle(turns.begin(), turns.end(), random);
  }
};

Emulator::Emulator() : machine(std::make_unique<Machine>()) {}
Emulator::~Emulator() = default;

EmulatedMemory &Emulator::memory() { return machine->memory; }
void Emulator::setOrder(EmulationOrder order) {
  machine->order = order;
  machine->random.seed(order.seed);
}

static Status checkLaunch(const SparsecKernel &kernel, int64_t blocks) {
  if (!kernel.emulated)
    return Status::error(fmt::format("kernel `{}` has no form that the emulator runs", kernel.name));
  if (kernel.threads < 32 || kernel.threads > 1024 || kernel.threads % 32 != 0)
    return Status::error(fmt::format("kernel `{}` has blocks of {} threads: expected a multiple of 32 up to 1024",
                                     kernel.name, kernel.threads));
  if (blocks < 0 || blocks > AccessWatch::mostBlocks)
    return Status::error(fmt::format("kernel `{}` is launched with {} blocks: expected 0 to {}", kernel.name, blocks,
                                     AccessWatch::mostBlocks));
  return {};
}

Status Emulator::launch(const SparsecKernel &kernel, int64_t blocks, const int64_t *arguments) {
  if (Status status = checkLaunch(kernel, blocks); !status)
    return status;
  Machine &m = *machine;
  m.run.watch.beginLaunch(blocks);
  std::vector<int64_t> turns(blocks);
  std::iota(turns.begin(), turns.end(), 0);
  m.arrange(turns);
  BlockRun::Launch launch{kernel, blocks, arguments};
  BlockRun::Order order = [&m](std::vector<int32_t> &threads) { m.arrange(threads); };
  for (int64_t block : turns)
    if (Fault fault = m.run.run(launch, block, order); fault.kind != Fault::none)
      return Status::error(describe(fault, kernel));
  return {};
}
