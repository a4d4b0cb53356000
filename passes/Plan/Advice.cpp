#include "passes/Plan/Advice.h"
#include "passes/Import/Description/Words.h"
#include "passes/Plan/strategies/Strategies.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;
using llvm::formatv;

std::string sparsec::plan::amount(double bytes) {
  for (auto [unit, name] : {std::pair{0x1p30, "GiB"}, std::pair{0x1p20, "MiB"}, std::pair{0x1p10, "KiB"}})
    if (bytes >= unit)
      return formatv("{0:f2} {1}", bytes / unit, name).str();
  return description::counted(std::llround(bytes), "byte");
}

namespace {

/// Tables, and one for the rest, times ranks, of all searches together, up to which every count is asked.
constexpr double cheapSearches = 1e6;

/// What is still ordered after a change, and the words for the change.
struct Relaxed {
  std::string words;
  Facts facts;
};

/// The first number from `low` on that holds, found by halving; `high` if none below it is seen to.
int64_t firstThat(llvm::function_ref<bool(int64_t)> holds, int64_t low, int64_t high) {
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

/// The least number of ranks on which all fits, or 0. More ranks need not fit where fewer do, as tables go where they
/// are fastest: counts are asked one by one while that is cheap. Then steps double, and halving finds a count that fits
/// after one that does not.
int64_t leastRanks(Facts facts) {
  std::vector<int64_t> counts;
  for (int64_t n = 1; n <= facts.machines.ranks; ++n)
    if (facts.machines.fillsHosts(n) && formsMesh(facts, n))
      counts.push_back(n);
  auto holds = [&](int64_t i) {
    facts.cluster = facts.machines.taken(counts[size_t(i)]);
    return fits(facts);
  };
  double asked = 0;
  const int64_t count = int64_t(counts.size());
  int64_t low = 0, high = 0, step = 1; // all asked before `low` do not fit
  for (;; low = high + 1) {
    if (low >= count)
      return 0;
    high = std::min(low + step - 1, count - 1);
    if (holds(high))
      break;
    asked += double(counts[size_t(high)]) * double(facts.tables.size() + 1);
    if (asked > cheapSearches)
      step *= 2;
  }
  return counts[size_t(firstThat(holds, low, high))];
}

/// The least memory of a rank, in whole GiB, with which all fits on the ranks there are, or 0.
int64_t leastMemory(Facts facts) {
  auto holds = [&](int64_t n) {
    facts.cluster.memory = double(n) * double(1 << 30);
    return fits(facts);
  };
  int64_t low = 1, high = 1;
  for (; !holds(high); high *= 2) {
    if (high > int64_t(1) << 40)
      return 0;
    low = high + 1;
  }
  return firstThat(holds, low, high);
}

/// The largest number below `limit` that holds, if 1 does and halving finds it, or 0.
int64_t largestBelow(int64_t limit, llvm::function_ref<bool(int64_t)> holds) {
  return firstThat([&](int64_t n) { return !holds(n); }, 1, limit) - 1;
}

void leaveOpen(Table &table) {
  table.strategy = nullptr;
  table.choice.reset();
  table.together = -1;
}

/// The words for the largest number of groups below `groups` that fits, or nothing.
std::string fewerGroups(const Facts &facts, int64_t groups) {
  int64_t ranks = facts.cluster.ranks;
  for (int64_t fewer = groups - 1; fewer >= 1 && (facts.groups || facts.shards); --fewer) {
    if (ranks % fewer)
      continue;
    Facts changed = facts;
    if (facts.groups)
      changed.groups = fewer;
    if (facts.shards)
      changed.shards = ranks / fewer;
    if (!fits(changed))
      continue;
    std::string words;
    if (facts.groups)
      words = formatv(facts.groupsInPlan ? "order `groups: {0}`" : "try --groups={0}", fewer).str();
    if (facts.shards)
      words += formatv("{0}order `shards: {1}`", words.empty() ? "" : " and ", ranks / fewer).str();
    return words;
  }
  return "";
}

std::vector<Relaxed> relaxations(const Facts &facts, const Table *guilty) {
  std::vector<Relaxed> all;
  size_t ordered = llvm::count_if(facts.tables, [](const Table &table) { return table.strategy != nullptr; });
  bool isOrdered = guilty && guilty->strategy;
  if (isOrdered) {
    const char *words = guilty->together < 0 ? "leave its strategy open" : "leave it out of `together`";
    all.push_back({words, facts});
    leaveOpen(all.back().facts.tables[guilty - facts.tables.data()]);
  }
  if (ordered > size_t(isOrdered)) {
    all.push_back({"leave the strategies of all tables open", facts});
    llvm::for_each(all.back().facts.tables, leaveOpen);
  }
  return all;
}

enum class Cause { Tables, Dense, Batch };

Cause causeOf(const Need &need) {
  if (need.tables >= std::max(need.dense, need.activations))
    return Cause::Tables;
  return need.dense >= need.activations ? Cause::Dense : Cause::Batch;
}

/// The error, at what takes most.
InFlightDiagnostic refuse(const Facts &facts, const Table *guilty, const Need &need, Cause cause) {
  std::string total =
      amount(need.all()) + ", but a rank of `" + facts.cluster.name + "` has " + amount(facts.cluster.memory);
  if (cause == Cause::Dense)
    return emitError(facts.largest->getLoc())
           << "the dense parameters do not fit: with their optimizer state they take " << amount(need.dense)
           << " of each rank, and the fullest would need " << total;
  if (cause == Cause::Batch)
    return emitError(facts.training ? facts.training->getLoc() : facts.place)
           << "a batch of " << description::counted(facts.batch, "sample")
           << " does not fit: its activations and their gradients take " << amount(need.activations)
           << " of each rank, and the fullest would need " << total;
  return emitError(guilty->place) << "table `" << guilty->name << "` does not fit: the fullest rank would need "
                                  << total;
}

/// Notes how large the layers may be for all to fit.
void adviseLayers(const Facts &facts, InFlightDiagnostic &diagnostic) {
  int64_t bytes = largestBelow(std::llround(std::min(facts.denseBytes, 0x1p62)), [&](int64_t bytes) {
    Facts changed = facts;
    changed.denseBytes = double(bytes);
    return fits(changed);
  });
  rec::ParamOp largest = facts.largest;
  auto &note = diagnostic.attachNote(largest.getLoc())
               << "every rank holds all of them, and `" << largest.getName() << "` is " << amount(bytesOf(largest));
  if (bytes)
    note << "; make layers smaller: " << amount(double(bytes)) << " would fit";
}

/// Notes the largest batch with which all fits.
void adviseBatch(const Facts &facts, InFlightDiagnostic &diagnostic) {
  int64_t batch = largestBelow(facts.batch, [&](int64_t batch) {
    Facts changed = facts;
    changed.batch = batch;
    return fits(changed);
  });
  if (batch)
    diagnostic.attachNote(facts.training ? facts.training->getLoc() : facts.place)
        << "take a smaller batch: `batch_size: " << batch << "` fits";
}

void adviseMore(const Facts &facts, const Table *guilty, int64_t groups, Cause cause, InFlightDiagnostic &diagnostic) {
  double all = 0;
  for (const Table &table : facts.tables)
    all += table.bytes();
  std::string of = cause == Cause::Tables || !guilty ? "" : "table `" + guilty->name + "`: ";
  Location place = guilty ? guilty->place : facts.place;
  std::string held = groups > 1 ? formatv("every one of {0} groups holds all tables ({1})", groups, amount(all)).str()
                                : "all tables with their optimizer state need " + amount(all);
  if (std::string words = fewerGroups(facts, groups); !words.empty()) {
    diagnostic.attachNote(facts.place) << held << "; " << words;
    return;
  }
  std::vector<Relaxed> relaxed = relaxations(facts, guilty);
  for (Relaxed &change : relaxed) {
    if (!fits(change.facts))
      continue;
    Facts spread = facts;
    Table &table = spread.tables[guilty - facts.tables.data()];
    leaveOpen(table);
    table.strategy = &rowWise();
    bool orSpread = &change == &relaxed.front() && guilty->strategy && guilty->together < 0 && fits(spread);
    diagnostic.attachNote(place) << of << change.words << (orSpread ? ", or spread it with `row_wise`" : "");
    return;
  }
  if (int64_t ranks = leastRanks(facts)) {
    diagnostic.attachNote(facts.place) << (cause == Cause::Batch || !guilty ? "ranks share the batch" : held) << "; "
                                       << description::counted(ranks, "rank") << " hold that";
    return;
  }
  if (facts.shards) {
    relaxed.push_back({"leave `shards` open", facts});
    relaxed.back().facts.shards.reset();
  }
  for (Relaxed &change : relaxed)
    if (int64_t ranks = leastRanks(change.facts)) {
      diagnostic.attachNote(place) << of << change.words << ": " << description::counted(ranks, "rank")
                                   << " hold that then";
      return;
    }
  std::string everywhere;
  if (cause != Cause::Dense && facts.denseBytes > facts.cluster.memory)
    everywhere =
        "every rank holds the dense parameters with their optimizer state (" + amount(facts.denseBytes) + "); ";
  std::string most;
  if (facts.machines.ranks < rec::mostRanks)
    most = formatv(" up to the {0} of `{1}`", facts.machines.ranks, facts.machines.name).str();
  auto &note = diagnostic.attachNote(facts.place) << everywhere << "no number of ranks" << most << " holds that";
  if (int64_t memory = leastMemory(facts))
    note << ", but ranks with " << memory << " GiB would";
}

} // namespace

void sparsec::plan::explainMemory(const Facts &facts, const Table *guilty, int64_t groups, const Need &need) {
  Cause cause = causeOf(need);
  InFlightDiagnostic diagnostic = refuse(facts, guilty, need, cause);
  if (cause == Cause::Dense)
    adviseLayers(facts, diagnostic);
  if (cause == Cause::Batch)
    adviseBatch(facts, diagnostic);
  adviseMore(facts, guilty, groups, cause, diagnostic);
}
