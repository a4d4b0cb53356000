#include "cli/MemoryNeed.h"
#include "checkpoint/AgreeStatus.h"
#include "sparsec/Tables.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <limits>
#include <unistd.h>

namespace sparsec::cli {

namespace {

int64_t fieldBytes(const OptimizerUse &optimizer, int64_t rows, int64_t columns, bool states) {
  int64_t bytes = rows * columns * 4;
  for (const StateField &state : optimizer.states)
    bytes += states ? rows * (state.perRow ? 1 : columns) * 4 : 0;
  return bytes;
}

int64_t paramBytes(const ParamInfo &p, bool states) {
  int64_t rows = p.shape.empty() ? 1 : p.shape[0], columns = 1;
  for (size_t i = 1; i < p.shape.size(); ++i)
    columns *= p.shape[i];
  return fieldBytes(p.optimizer, rows, columns, states);
}

constexpr int64_t unknown = std::numeric_limits<int64_t>::max();

/// The first number of a file; `max` and whatever else is none is unknown.
int64_t numberIn(const char *path) {
  int64_t value = unknown;
  std::ifstream file(path);
  return file >> value ? value : unknown;
}

int64_t availableInMeminfo() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (int64_t kilobytes; file >> key >> kilobytes; std::getline(file, unit))
    if (key == "MemAvailable:")
      return kilobytes * 1024;
  return unknown;
}

/// The machine and, by its name, the container on it. A name alone may be that of many machines (`localhost`).
uint64_t machineHere() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return std::hash<std::string>()(name + ('/' + boot));
}

/// The ranks whose processes share this one's machine, this one included.
Result<std::vector<int>> ranksHere(Communicator &world) {
  uint64_t mine = machineHere();
  std::vector<uint64_t> all(size_t(world.size()));
  if (Status s = world.allGather(&mine, all.data(), sizeof mine); !s)
    return s;
  std::vector<int> here;
  for (int r = 0; r < world.size(); ++r)
    if (all[size_t(r)] == mine)
      here.push_back(r);
  return here;
}

/// The table that takes most.
std::string largestTable(const Program &program, bool states) {
  auto bytes = [&](const TableInfo &t) { return fieldBytes(t.optimizer, t.rows, t.dim, states); };
  auto most = std::ranges::max_element(program.tables, {}, bytes);
  return most == program.tables.end()
             ? std::string()
             : fmt::format("; the largest table is `{}`, of {}", most->name, amount(bytes(*most)));
}

} // namespace

std::vector<int64_t> bytesOfRanks(const Program &program, bool states) {
  int64_t dense = 0;
  for (const ParamInfo &p : program.params)
    dense += paramBytes(p, states);
  std::vector<int64_t> bytes(size_t(program.mesh.ranks()), dense);
  int64_t group = program.mesh.groupSize();
  for (const TableInfo &t : program.tables)
    for (const TablePart &part : t.parts)
      for (int64_t r = 0; r < group; ++r)
        if (RowBlock block = rowBlock(t, part, r); block.held)
          for (int64_t g = 0; g < program.mesh.groups; ++g)
            bytes[size_t(g * group + r)] += fieldBytes(t.optimizer, block.rows, part.dim, states);
  return bytes;
}

std::string amount(int64_t bytes) {
  for (auto [unit, name] : {std::pair{1e12, "TB"}, std::pair{1e9, "GB"}, std::pair{1e6, "MB"}, std::pair{1e3, "kB"}})
    if (double(bytes) >= unit)
      return fmt::format("{:.3g} {}", double(bytes) / unit, name);
  return fmt::format("{} B", bytes);
}

int64_t freeMemory() {
  int64_t limit = numberIn("/sys/fs/cgroup/memory.max"), used = numberIn("/sys/fs/cgroup/memory.current");
  int64_t ofGroup = limit == unknown || used == unknown ? unknown : std::max<int64_t>(0, limit - used);
  return std::min(availableInMeminfo(), ofGroup);
}

Status checkMemory(const Program &program, Communicator &world, bool states) {
  Result<std::vector<int>> here = ranksHere(world);
  if (!here)
    return here.status();
  std::vector<int64_t> ofRanks = bytesOfRanks(program, states);
  int64_t need = 0, have = freeMemory();
  for (int r : *here)
    need += ofRanks[size_t(r)];
  Status status;
  if (need > have)
    status = Status::error(fmt::format("tables and weights of {} rank{} need {} here, but {} are free{}; use more "
                                       "machines, or a smaller model",
                                       here->size(), here->size() == 1 ? "" : "s", amount(need), amount(have),
                                       largestTable(program, states)));
  return agreeStatus(world, status);
}

} // namespace sparsec::cli
