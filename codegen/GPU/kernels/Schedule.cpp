#include "codegen/GPU/kernels/Schedule.h"
#include "codegen/GPU/kernels/LookupRows.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

int64_t device::bytesOf(RowElement element) { return element == RowElement::f32 ? 4 : 2; }
llvm::StringRef device::nameOf(RowElement element) {
  static const llvm::StringRef names[] = {"f32", "f16", "bf16"};
  return names[int(element)];
}

/// Floats of a lane's rows in flight: more do not fit beside its sums.
static constexpr int64_t mostFloatsInFlight = 32;

static int64_t usualRows(const RowTeam &team) { return std::clamp<int64_t>(32 / team.floatsAtOnce(), 1, 4); }

/// Blocks of 128 threads that fit with the registers that `ptxas` needs (test/codegen/gpu/kernel-budget.txt), by how
/// much a lane holds: by bag 40 or, weighted, 48, 64 and 128 registers; split, with more to remember, 72, 96 and 168.
static int32_t blocksThatFit(const LookupClass &of, bool split, const RowTeam &team, int64_t rows) {
  int64_t floats = team.floatsAtOnce();
  int tier = floats <= 4 ? 0 : floats <= 8 ? 1 : 2;
  if (rows > usualRows(team))
    tier = std::min(tier + 1, 2);
  static constexpr int32_t byBag[] = {12, 8, 4}, weighted[] = {10, 8, 4}, inChunks[] = {7, 5, 3};
  return (split ? inChunks : of.weighted ? weighted : byBag)[tier];
}

Schedule device::makeSchedule(const LookupClass &of, int64_t chunk, int64_t lanes, int64_t rows, int32_t threads) {
  RowTeam team(of.dim, lanes);
  int32_t resident = blocksThatFit(of, chunk > 0, team, rows) * 128 / threads;
  return {chunk, lanes, rows, threads, std::max(resident, 1)};
}

Schedule device::usualSchedule(const LookupClass &of, bool split) {
  RowTeam team(of.dim);
  return makeSchedule(of, split ? chunkPositions : 0, team.lanes, usualRows(team));
}

llvm::SmallVector<Schedule> device::schedulesOf(const LookupClass &of) {
  llvm::SmallVector<Schedule> found;
  auto add = [&](const Schedule &schedule) {
    if (!llvm::is_contained(found, schedule))
      found.push_back(schedule);
  };
  Schedule plain = usualSchedule(of, /*split=*/false);
  add(plain);
  for (int64_t rows : {plain.rows / 2, plain.rows * 2})
    if (rows > 0 && rows * RowTeam(of.dim).floatsAtOnce() <= mostFloatsInFlight)
      add(makeSchedule(of, 0, plain.lanes, rows));
  if (int64_t lanes = plain.lanes / 2)
    add(makeSchedule(of, 0, lanes, usualRows(RowTeam(of.dim, lanes))));
  add(makeSchedule(of, 0, plain.lanes, plain.rows, 256));
  Schedule split = usualSchedule(of, /*split=*/true);
  for (int64_t chunk : {split.chunk, split.chunk / 2, split.chunk * 2, split.chunk * 4})
    add(makeSchedule(of, chunk, split.lanes, split.rows));
  return found;
}

std::string device::lookupName(const LookupClass &of, const Schedule &schedule) {
  Schedule usual = usualSchedule(of, schedule.chunk > 0);
  std::string name = "lookup_sum";
  if (of.element != RowElement::f32)
    name += "_" + nameOf(of.element).str();
  name += "_d" + std::to_string(of.dim) + (of.weighted ? "_weighted" : "") + (schedule.chunk ? "_split" : "");
  auto tell = [&](char what, int64_t value, int64_t usually) {
    if (value != usually)
      name += std::string("_") + what + std::to_string(value);
  };
  tell('c', schedule.chunk, usual.chunk);
  tell('l', schedule.lanes, usual.lanes);
  tell('r', schedule.rows, usual.rows);
  tell('t', schedule.threads, usual.threads);
  Schedule derived = makeSchedule(of, schedule.chunk, schedule.lanes, schedule.rows, schedule.threads);
  tell('b', schedule.residentBlocks, derived.residentBlocks);
  return name;
}

std::string device::describe(const Schedule &schedule) {
  std::string what = schedule.chunk ? llvm::formatv("in chunks of {0}", schedule.chunk).str() : "by bag";
  return llvm::formatv("{0}, {1} lane{2} a {3}, {4} rows in flight, {5} threads, {6} blocks resident", what,
                       schedule.lanes, schedule.lanes == 1 ? "" : "s", schedule.chunk ? "chunk" : "bag", schedule.rows,
                       schedule.threads, schedule.residentBlocks);
}
