#include "codegen/GPU/DenseFuse.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// 4 KiB of arguments are what every device takes.
static constexpr size_t mostWords = 4096 / 8;

/// Whether what runs for launches is not this op itself.
static bool isHostOp(Operation *op) { return !isa<linalg::GenericOp, memref::LoadOp, memref::StoreOp>(op); }

namespace {
struct Group {
  SmallVector<size_t> members; // places of launches
  SmallVector<MemoryAccess> accesses;
};
} // namespace

/// Whether the group may wait for launch `at` and run with it.
static bool canJoin(const DenseMemory &memory, const DenseLaunches &launches, const Group &group, size_t at) {
  const DenseLaunch &launch = *launches[at];
  if ((launch.words.size() + 1) * (group.members.size() + 1) > mostWords ||
      memory.conflict(group.accesses, launch.accesses))
    return false;
  size_t last = group.members.back();
  for (size_t between = last + 1; between < at; ++between)
    if (memory.conflict(group.accesses, launches[between]->accesses))
      return false;
  for (Operation *op = launches[last]->anchor; op != launch.anchor; op = op->getNextNode())
    if (isHostOp(op) && memory.conflict(group.accesses, memory.of(op)))
      return false;
  return true;
}

SmallVector<SmallVector<DenseLaunch *>> codegen::mergeLaunches(const DenseMemory &memory, DenseKernels &kernels,
                                                               const DenseLaunches &launches) {
  SmallVector<Group> groups;
  llvm::StringMap<size_t> open; // by code, the last group
  for (size_t at = 0; at < launches.size(); ++at) {
    auto [place, isNew] = open.try_emplace(kernels.codeOf(memory, *launches[at]), groups.size());
    if (!isNew && !canJoin(memory, launches, groups[place->second], at))
      place->second = groups.size();
    if (place->second == groups.size())
      groups.emplace_back();
    groups[place->second].members.push_back(at);
    llvm::append_range(groups[place->second].accesses, launches[at]->accesses);
  }
  llvm::stable_sort(groups, [](const Group &x, const Group &y) { return x.members.back() < y.members.back(); });
  SmallVector<SmallVector<DenseLaunch *>> result;
  for (const Group &group : groups)
    result.push_back(llvm::map_to_vector(group.members, [&](size_t at) { return launches[at].get(); }));
  return result;
}
