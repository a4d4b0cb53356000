// How the lookups of one class are shared out among the threads of a device.
//
// Schedules by bag give the same bits, all of them: a bag's rows are added one by one, in order of positions. So do
// split ones with chunks of the same length.
#pragma once
#include "codegen/Common/Embedding/KernelSet.h"

namespace sparsec::codegen::device {

struct Schedule {
  int64_t chunk = 0;          // positions of a chunk of split bags; 0: by bag
  int64_t lanes = 32;         // of a team, which has one bag or chunk: a power of two, so that teams share warps
  int64_t rows = 4;           // that a lane has in flight, at most
  int32_t threads = 128;      // of a block
  int32_t residentBlocks = 1; // that a multiprocessor should hold at once; caps registers
  bool operator==(const Schedule &) const = default;
};

/// Bytes of one element of a row.
int64_t bytesOf(RowElement);
llvm::StringRef nameOf(RowElement);

/// A schedule of a class with as many resident blocks as its sums and rows in flight leave registers for.
Schedule makeSchedule(const LookupClass &, int64_t chunk, int64_t lanes, int64_t rows, int32_t threads = 128);
/// As many lanes as a row has vectors, 128 bytes of rows in flight: what kernel names do not mention.
Schedule usualSchedule(const LookupClass &, bool split);
/// All that a class may have, plain ones first.
llvm::SmallVector<Schedule> schedulesOf(const LookupClass &);

/// `lookup_sum_d16_weighted_split_c256`: the class, then what is not as usual.
std::string lookupName(const LookupClass &, const Schedule &);
/// For people: `by bag, 4 lanes a bag, 4 rows in flight, 128 threads, 12 blocks resident`.
std::string describe(const Schedule &);

} // namespace sparsec::codegen::device
