#include "emulate/AccessWatch.h"
#include <algorithm>
#include <cstring>

using namespace sparsec;
using namespace sparsec::emulate;

void AccessWatch::beginLaunch(int64_t blocks) {
  if (lastActor + blocks > mostBlocks) { // numbers have run out: nobody has touched anything
    memory.forgetAccesses();
    lastActor = 0;
  }
  firstBlock = lastActor + 1;
  lastActor += uint32_t(blocks);
}

void AccessWatch::beginBlock(int64_t number, int64_t bytes, int64_t count) {
  block = firstBlock + uint32_t(number);
  threads = count;
  firstThread = 1;
  sharedBytes = bytes;
  sharedCells.assign((bytes + 3) / 4, AccessCell());
  constexpr size_t alignment = 128;
  if (sharedBlock.size() < bytes + alignment)
    sharedBlock.resize(bytes + alignment);
  auto start = (reinterpret_cast<uintptr_t>(sharedBlock.data()) + alignment - 1) / alignment * alignment;
  sharedData = reinterpret_cast<unsigned char *>(start);
  std::memset(sharedData, 0xff, bytes); // every float of it is a NaN
}

void AccessWatch::passBarrier() {
  firstThread += uint32_t(threads);
  if (firstThread > mostBlocks - uint32_t(threads)) { // numbers have run out: what is written stays so, by nobody
    for (AccessCell &cell : sharedCells)
      cell = {cell.written() ? 1u : 0u, 0};
    firstThread = 2;
  }
}

Fault AccessWatch::touch(AccessCell *cells, int64_t words, int32_t access, uint32_t actor, uint32_t first) {
  for (int64_t i = 0; i < words; ++i)
    if (uint32_t other = access == SPARSEC_ACCESS_LOAD ? cells[i].read(actor, first)
                                                       : cells[i].write(actor, first, access == SPARSEC_ACCESS_ATOMIC))
      return {Fault::race, false, access, words * 4, other - first};
  return {};
}

Fault AccessWatch::checkShared(int64_t offset, int64_t bytes, int32_t access, int64_t thread) {
  AccessCell *cells = sharedCells.data() + offset / 4;
  int64_t words = (bytes + 3) / 4;
  if (access != SPARSEC_ACCESS_STORE)
    for (int64_t i = 0; i < words; ++i)
      if (!cells[i].written())
        return {Fault::uninitialised, true, access, bytes};
  Fault fault = touch(cells, words, access, firstThread + uint32_t(thread), firstThread);
  fault.shared = true;
  return fault;
}

Fault AccessWatch::check(const void *address, int64_t bytes, int32_t access, int64_t thread) {
  if (reinterpret_cast<uintptr_t>(address) & uintptr_t(bytes - 1))
    return {Fault::misaligned, false, access, bytes};
  auto *place = static_cast<const std::byte *>(address);
  int64_t offset = place - memory.data;
  if (offset >= 0 && offset < spaceBytes) {
    if (offset + bytes > memory.end[offset / granuleBytes])
      return {Fault::outside, false, access, bytes};
    return touch(memory.cells + offset / 4, (bytes + 3) / 4, access, block, firstBlock);
  }
  offset = place - reinterpret_cast<const std::byte *>(sharedData);
  if (offset < 0 || offset + bytes > sharedBytes)
    return {Fault::outside, false, access, bytes};
  return checkShared(offset, bytes, access, thread);
}
