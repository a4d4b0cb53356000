// Work that was asked of a device, noted as numbers: what compares equal asks for the same.
#pragma once
#include "device/Device.h"
#include <span>
#include <vector>

namespace sparsec {

class WorkList {
public:
  enum Kind : int64_t {
    launch,
    gemm,
    copyToDevice,
    copyToHost,
    sortPairs,
    runs,
    record,
    wait,
    allToAllV,
    allGatherV,
    allReduceSum
  };
  using Words = std::span<const int64_t>;

  /// Addresses and numbers, then `more` behind them.
  void add(Kind, DeviceStream, std::initializer_list<int64_t> words, Words more = {}, Words last = {});
  void clear() { words.clear(); }
  bool empty() const { return words.empty(); }
  Words all() const { return words; }

  /// The first piece of work in `list`.
  static Words first(Words list) { return list.first(size_t(list[0])); }
  /// Whether it is work of the compute stream alone, which a graph can hold: neither an event nor a message.
  static bool computes(Words one);
  /// Asks for one piece of work.
  static Status ask(Device &, Words one);

  static int64_t word(const void *address) { return int64_t(reinterpret_cast<uintptr_t>(address)); }

private:
  std::vector<int64_t> words; // of each: how many words it has, kind, stream, and what it was given
};

} // namespace sparsec
