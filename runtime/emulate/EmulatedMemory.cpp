// One reserved range of addresses for the device's memory and one for its access cells, so that a cell is found by
// arithmetic and an allocation by one look into a table.
#include "emulate/MemoryMap.h"
#include <cstring>
#include <sys/mman.h>

using namespace sparsec;
using namespace sparsec::emulate;

/// Address space without memory; null: there is none.
static void *reserve(int64_t bytes, bool usable) {
  int protection = usable ? PROT_READ | PROT_WRITE : PROT_NONE;
  void *place = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

EmulatedMemory::EmulatedMemory() {
  data = static_cast<std::byte *>(reserve(spaceBytes, false));
  cells = static_cast<AccessCell *>(reserve(spaceBytes / 4 * int64_t(sizeof(AccessCell)), true));
  end = static_cast<int64_t *>(reserve(granules * int64_t(sizeof(int64_t)), true));
  if (data && cells && end)
    vacant[1] = granules - 1; // the first granule stays unmapped, as one behind each allocation does
}

EmulatedMemory::~EmulatedMemory() {
  if (data)
    munmap(data, spaceBytes);
  if (cells)
    munmap(cells, spaceBytes / 4 * sizeof(AccessCell));
  if (end)
    munmap(end, granules * sizeof(int64_t));
}

void *EmulatedMemory::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > spaceBytes)
    return nullptr;
  int64_t mine = (std::max<int64_t>(bytes, 1) + granuleBytes - 1) / granuleBytes, wanted = mine + 1;
  auto place = vacant.begin();
  while (place != vacant.end() && place->second < wanted)
    ++place;
  if (place == vacant.end())
    return nullptr;
  auto [first, size] = *place;
  std::byte *result = data + first * granuleBytes;
  if (mprotect(result, mine * granuleBytes, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  vacant.erase(place);
  if (size > wanted)
    vacant[first + wanted] = size - wanted;
  live[first] = {bytes, wanted};
  for (int64_t granule = first; granule < first + mine; ++granule)
    end[granule] = first * granuleBytes + bytes;
  if (bytes <= poisonedBytes)
    std::memset(result, 0xff, bytes); // every float of it is a NaN
  held += bytes;
  return result;
}

void EmulatedMemory::free(void *address) {
  if (!address)
    return;
  int64_t first = (static_cast<std::byte *>(address) - data) / granuleBytes;
  auto found = live.find(first);
  if (found == live.end())
    return;
  auto [bytes, size] = found->second;
  live.erase(found);
  held -= bytes;
  std::memset(end + first, 0, size * sizeof(int64_t));
  std::byte *place = data + first * granuleBytes;
  madvise(place, size * granuleBytes, MADV_DONTNEED);
  mprotect(place, size * granuleBytes, PROT_NONE);
  madvise(cells + first * granuleBytes / 4, size * granuleBytes / 4 * sizeof(AccessCell), MADV_DONTNEED);
  // Neighbours that are vacant become one range.
  auto next = vacant.lower_bound(first);
  if (next != vacant.end() && next->first == first + size) {
    size += next->second;
    next = vacant.erase(next);
  }
  if (next != vacant.begin() && std::prev(next)->first + std::prev(next)->second == first)
    std::prev(next)->second += size;
  else
    vacant[first] = size;
}

bool EmulatedMemory::contains(const void *address, int64_t bytes) const {
  int64_t from = static_cast<const std::byte *>(address) - data;
  if (from < 0 || from >= spaceBytes || bytes < 0)
    return false;
  return end[from / granuleBytes] != 0 && from + bytes <= end[from / granuleBytes];
}

void EmulatedMemory::forgetAccesses() { madvise(cells, spaceBytes / 4 * sizeof(AccessCell), MADV_DONTNEED); }
