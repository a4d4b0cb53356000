// The time of one lookup kernel on a device, on made-up bags.
#pragma once
#include "device/Device.h"
#include "sparsec/device.h"
#include "tune/Tuning.h"

namespace sparsec::tune {

struct MeasureOptions {
  int64_t repeats = 7;   // measured; the median counts
  int64_t launches = 20; // between two looks at the clock
  int64_t warmUps = 2;   // repeats that are not measured
  int64_t mostBags = 0;  // of a step; 0: as many as the program has
};

/// The bags, tables and results of a class, in the memory of a device.
class Lookups {
public:
  Lookups(Device &device, const TunedClass &of, const MeasureOptions &options)
      : device(device), of(of), options(options) {}
  Status make();
  /// Microseconds of all lookups of a step.
  Result<double> measure(const SparsecKernel &);
  int64_t bags() const { return allBags; }

private:
  void makeBags();
  Status makeList(const SparsecKernel &);
  Status launchOnce(const SparsecKernel &);
  template <typename T> Result<T *> upload(const std::vector<T> &);
  Result<void *> space(int64_t bytes);

  Device &device;
  const TunedClass &of;
  const MeasureOptions &options;
  int64_t allBags = 0, bagsOfTable = 0, rows = 0, chunks = 0;
  std::vector<std::vector<int64_t>> offsets, values; // by table
  std::vector<SparsecLookupEntry> entries;           // one for each table and one behind
  std::vector<Block> blocks;
  SparsecLookupEntry *list = nullptr;
  void *partial = nullptr;
};

} // namespace sparsec::tune
