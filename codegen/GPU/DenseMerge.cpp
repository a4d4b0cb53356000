// Which launches are one. Launches stay in an order that gives what the given one gives: two may only change places
// where neither writes what the other touches.
#include "codegen/GPU/DenseFuse.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

/// 4 KiB of arguments are what every device takes.
static constexpr size_t mostWords = 4096 / 8;

/// Whether what this op does is not done by launches.
static bool isHostOp(Operation *op) { return !isa<linalg::GenericOp, memref::LoadOp, memref::StoreOp>(op); }

namespace {
struct Merger {
  const DenseMemory &memory;
  SmallVector<DenseLaunch *> order; // those of a group side by side

  bool join(DenseGroup &group, DenseLaunch *launch);
  SmallVector<MemoryAccess> accessesOf(const DenseGroup &) const;
  bool mayPass(ArrayRef<MemoryAccess>, DenseLaunch *from, DenseLaunch *to) const;
};
} // namespace

SmallVector<MemoryAccess> Merger::accessesOf(const DenseGroup &group) const {
  SmallVector<MemoryAccess> accesses;
  for (DenseLaunch *member : group)
    llvm::append_range(accesses, member->accesses);
  return accesses;
}

/// Whether nothing between two launches minds if something with these accesses runs earlier or later.
bool Merger::mayPass(ArrayRef<MemoryAccess> accesses, DenseLaunch *from, DenseLaunch *to) const {
  for (auto *at = llvm::find(order, from) + 1; *at != to; ++at)
    if (memory.conflict(accesses, (*at)->accesses))
      return false;
  for (Operation *op = from->anchor; op != to->anchor; op = op->getNextNode())
    if (isHostOp(op) && memory.conflict(accesses, memory.of(op)))
      return false;
  return true;
}

/// Moves what the launch's words are made of before `place`; false: that cannot be.
static bool moveWords(const DenseLaunch &launch, Operation *place) {
  SetVector<Operation *> ops;
  for (Value word : launch.words)
    if (!collectDefinitions(word, place, ops))
      return false;
  if (!collectDefinitions(launch.blocks, place, ops))
    return false;
  for (Operation *op : ops)
    op->moveBefore(place);
  return true;
}

/// The group waits for the launch, or the launch runs early, with the group.
bool Merger::join(DenseGroup &group, DenseLaunch *launch) {
  SmallVector<MemoryAccess> accesses = accessesOf(group);
  DenseGroup both = group;
  both.push_back(launch);
  if (countArguments(both) > mostWords || memory.conflict(accesses, launch->accesses))
    return false;
  if (mayPass(accesses, group.back(), launch)) {
    llvm::erase_if(order, [&](DenseLaunch *other) { return llvm::is_contained(group, other); });
    order.insert(llvm::find(order, launch), group.begin(), group.end());
  } else if (mayPass(launch->accesses, group.back(), launch) && moveWords(*launch, group.back()->anchor)) {
    llvm::erase(order, launch);
    order.insert(llvm::find(order, group.back()) + 1, launch);
    launch->anchor = group.back()->anchor;
  } else {
    return false;
  }
  group.push_back(launch);
  return true;
}

SmallVector<DenseGroup> codegen::mergeLaunches(const DenseMemory &memory, DenseKernels &kernels,
                                               const DenseLaunches &launches) {
  Merger merger{memory, llvm::map_to_vector(launches, [](const auto &launch) { return launch.get(); })};
  SmallVector<std::unique_ptr<DenseGroup>> groups;
  llvm::StringMap<DenseGroup *> open; // by code, the last group
  llvm::DenseMap<DenseLaunch *, DenseGroup *> groupOf;
  for (auto &launch : launches) {
    DenseGroup *&group = open[kernels.codeOf(memory, *launch)];
    if (!group || !merger.join(*group, launch.get())) {
      group = groups.emplace_back(std::make_unique<DenseGroup>()).get();
      group->push_back(launch.get());
    }
    groupOf[launch.get()] = group;
  }
  SmallVector<DenseGroup> result;
  for (DenseLaunch *launch : merger.order)
    if (DenseGroup &group = *groupOf[launch]; group.back() == launch)
      result.push_back(group);
  return result;
}
