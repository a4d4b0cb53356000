#include "passes/Plan/Advice.h"
#include "passes/Import/Description/Words.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;
using llvm::formatv;

std::string sparsec::plan::gib(double bytes) { return formatv("{0:f2} GiB", bytes / double(1 << 30)).str(); }

namespace {

/// Tables times ranks, of all searches together, up to which every count is asked.
constexpr double cheapSearches = 1e6;

/// What is still ordered after a change, and the words for the change.
struct Relaxed {
  std::string words;
  Facts facts;
};

/// The least number of ranks on which all fits, or 0. More ranks need not fit where fewer do, as tables go where they
/// are fastest: counts are asked one by one while that is cheap. Then steps double, and halving finds a count that fits
/// after one that does not.
int64_t leastRanks(Facts facts) {
  std::vector<int64_t> counts;
  for (int64_t n = 1; n <= facts.machines.ranks; ++n)
    if (facts.machines.fillsHosts(n) && formsMesh(facts, n))
      counts.push_back(n);
  auto holds = [&](size_t i) {
    facts.cluster = facts.machines.taken(counts[i]);
    return fits(facts);
  };
  double asked = 0;
  size_t low = 0, high = 0, step = 1; // all asked before `low` do not fit
  for (;; low = high + 1) {
    if (low >= counts.size())
      return 0;
    high = std::min(low + step - 1, counts.size() - 1);
    if (holds(high))
      break;
    asked += double(counts[high]) * facts.tables.size();
    if (asked > cheapSearches)
      step *= 2;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return counts[high];
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
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
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

std::vector<Relaxed> relaxations(const Facts &facts, const Table &guilty) {
  std::vector<Relaxed> all;
  size_t ordered = llvm::count_if(facts.tables, [](const Table &table) { return table.strategy != nullptr; });
  if (guilty.strategy) {
    const char *words = guilty.together < 0 ? "leave its strategy open" : "leave it out of `together`";
    all.push_back({words, facts});
    leaveOpen(all.back().facts.tables[&guilty - facts.tables.data()]);
  }
  if (ordered > size_t(guilty.strategy != nullptr)) {
    all.push_back({"leave the strategies of all tables open", facts});
    llvm::for_each(all.back().facts.tables, leaveOpen);
  }
  return all;
}

} // namespace

void sparsec::plan::advise(const Facts &facts, const Table &guilty, int64_t groups, InFlightDiagnostic &diagnostic) {
  double all = 0;
  for (const Table &table : facts.tables)
    all += table.bytes();
  std::string held = groups > 1 ? formatv("every one of {0} groups holds all tables ({1})", groups, gib(all)).str()
                                : "all tables with their optimizer state need " + gib(all);
  if (std::string words = fewerGroups(facts, groups); !words.empty()) {
    diagnostic.attachNote(facts.place) << held << "; " << words;
    return;
  }
  std::vector<Relaxed> relaxed = relaxations(facts, guilty);
  for (Relaxed &change : relaxed) {
    if (!fits(change.facts))
      continue;
    Facts spread = facts;
    Table &table = spread.tables[&guilty - facts.tables.data()];
    leaveOpen(table);
    table.strategy = findStrategy("row_wise");
    bool orSpread = &change == &relaxed.front() && guilty.strategy && guilty.together < 0 && fits(spread);
    diagnostic.attachNote(guilty.place) << change.words << (orSpread ? ", or spread it with `row_wise`" : "");
    return;
  }
  if (int64_t ranks = leastRanks(facts)) {
    diagnostic.attachNote(facts.place) << held << "; " << description::counted(ranks, "rank") << " hold that";
    return;
  }
  if (facts.shards) {
    relaxed.push_back({"leave `shards` open", facts});
    relaxed.back().facts.shards.reset();
  }
  for (Relaxed &change : relaxed)
    if (int64_t ranks = leastRanks(change.facts)) {
      diagnostic.attachNote(guilty.place)
          << change.words << ": " << description::counted(ranks, "rank") << " hold that then";
      return;
    }
  std::string everywhere;
  if (facts.denseBytes > facts.cluster.memory)
    everywhere = "every rank holds the dense parameters with their optimizer state (" + gib(facts.denseBytes) + "); ";
  std::string most;
  if (facts.machines.ranks < rec::mostRanks)
    most = formatv(" up to the {0} of `{1}`", facts.machines.ranks, facts.machines.name).str();
  auto &note = diagnostic.attachNote(facts.place) << everywhere << "no number of ranks" << most << " holds that";
  if (int64_t memory = leastMemory(facts))
    note << ", but ranks with " << memory << " GiB would";
}
