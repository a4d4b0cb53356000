// A lookup waits for memory. Each of these takes its time, and the longest counts:
//
//   bytes     rows in whole sectors, ids, offsets and results, at the rates of the cluster
//   latency   a team's trips to memory, one after the other, times how often the device is filled with blocks; a block
//             is done when its longest team is. Rows in flight make trips fewer, teams of few lanes more of them at
//             once
//   issue     instructions of warps, whose lanes beyond a row's vectors do nothing
//
// At the end there is a tail: when so few teams are left that their bytes in flight are less than bandwidth
// times latency, the longest of them is waited for. Chunks are shorter than the longest bags.
//
// Lengths of bags are declared by their mean alone. Of features with several ids they are taken as geometric, the
// distribution of a mean alone with the least assumed (largest entropy): what is left of a bag is as long as a bag, and
// k of them have an expected maximum of about the mean times the k-th harmonic number.
#include "codegen/GPU/LookupCost.h"
#include "codegen/GPU/kernels/RowTeam.h"
#include <cmath>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Of an H100 SXM; an A100 has 108, a B200 148 (vendor's figures).
constexpr double multiprocessors = 132;
/// A row from memory and an id from a cache, seconds: microbenchmarks of A100 and H100 find some 500 and 250 cycles
/// (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024); the former grows under load.
constexpr double rowLatency = 600e-9, hitLatency = 150e-9;
/// Four schedulers that issue an instruction of a warp each cycle, at 1.4 GHz.
constexpr double issueRate = multiprocessors * 4 * 1.4e9;
/// Instructions of a warp for a row: its id and address, and for each vector a load and four sums (of the PTX).
constexpr double instructionsOfRow = 8, instructionsOfVector = 5;
/// Memory moves in sectors.
constexpr double sector = 32;
/// Bags of a step where the program does not say.
constexpr double usualBags = 4096;
/// What a schedule must gain to take the place of the usual one: less than that the model cannot tell.
constexpr double worthwhile = 0.95;

double harmonic(double k) { return k <= 1 ? k : std::log(k) + 0.5772 + 1 / (2 * k); }
double sectors(double bytes) { return std::ceil(bytes / sector) * sector; }

/// One class under one schedule.
struct Estimate {
  const ExpectedLookups &lookups;
  const Schedule &schedule;
  RowTeam team;
  double bags, tables, mean; // ids of a bag

  Estimate(const ExpectedLookups &lookups, const Schedule &schedule)
      : lookups(lookups), schedule(schedule), team(lookups.of.dim, schedule.lanes),
        bags(lookups.bags > 0 ? lookups.bags : usualBags), tables(std::max<double>(double(lookups.tables), 1)),
        mean(lookups.of.bagLength > 0 ? lookups.of.bagLength : 1) {}

  bool varies() const { return mean > 1; }
  double longest() const { return varies() ? mean * harmonic(bags) : mean; }
  double rowBytes() const { return double(lookups.of.dim * bytesOf(lookups.of.element)); }
  double vectorsOfLane() const { return double((team.vectors + team.lanes - 1) / team.lanes); }
  /// How often a bag is gone through, as many columns at once as registers hold.
  double passes() const { return std::ceil(vectorsOfLane() / double(team.piecesAtOnce())); }
  double trip() const { return passes() * (rowLatency + hitLatency); }
  /// Which entry a team's unit is of, and its fields.
  double start() const { return (std::log2(tables + 1) + 3) * hitLatency; }

  /// Trips for so many ids: the whole groups in flight together, the rest one by one.
  double tripsFor(double ids) const {
    double rows = double(schedule.rows);
    return ids < rows ? ids : ids / rows + (rows - 1) / 2;
  }
  /// Units in blocks that fill the device again and again.
  double rounds(double units) const {
    double blocks = std::ceil(units / double(team.teamsOf(schedule.threads)));
    return std::max(1.0, blocks / (multiprocessors * schedule.residentBlocks));
  }
  /// Warps go through the ids of their longest team.
  double issue(double units, double ids) const {
    double teams = double(team.teamsOf(32));
    double perRow = passes() * instructionsOfRow + vectorsOfLane() * instructionsOfVector;
    return std::ceil(units / teams) * ids * perRow / issueRate;
  }
  double readSeconds(const rec::Cluster &gpu) const {
    double ids = bags * mean, weights = lookups.of.weighted ? 4 : 0;
    return ids * sectors(rowBytes()) / gpu.gatherRate +
           (ids * passes() * (8 + weights) + bags * (4.0 * double(lookups.of.dim) + 16)) / gpu.copyRate;
  }

  double atOnce() const { return multiprocessors * schedule.residentBlocks * double(team.teamsOf(schedule.threads)); }
  /// Teams whose rows in flight fill the memory's pipe.
  double teamsThatFill(const rec::Cluster &gpu) const {
    return gpu.gatherRate * trip() / (double(schedule.rows) * sectors(rowBytes()));
  }

  double byBag(const rec::Cluster &gpu) const {
    auto inTeams = [&](double teams) { return varies() ? mean * harmonic(teams) : mean; };
    double perBlock = double(team.teamsOf(schedule.threads)), perWarp = double(team.teamsOf(32));
    double latency = rounds(bags) * (start() + trip() * tripsFor(inTeams(perBlock)));
    double work = std::max({readSeconds(gpu), latency, issue(bags, inTeams(perWarp))});
    if (!varies())
      return work + gpu.launchLatency;
    double last = std::min({bags, atOnce(), teamsThatFill(gpu)});
    double tail = start() + trip() * tripsFor(inTeams(last));
    return work * (1 - last / bags) + tail + gpu.launchLatency;
  }

  double inChunks(const rec::Cluster &gpu) const {
    double ids = bags * mean, chunks = std::ceil(ids / double(schedule.chunk)) + tables;
    double positions = std::min(double(schedule.chunk), std::max(ids / tables, 1.0)); // of a full chunk
    double pieces = positions / mean + 1; // bags that have a piece of a chunk
    double rows = double(schedule.rows);
    // Each piece has its own rest of rows, and is found and stored.
    double inChunk = positions / rows + std::min(pieces * (rows - 1) / 2, positions);
    double find = std::log2(bags / tables + 2) * hitLatency + pieces * 3 * hitLatency;
    double oneChunk = start() + find + trip() * inChunk, latency = rounds(chunks) * oneChunk;
    double kept = 2 * chunks * 4.0 * double(lookups.of.dim);
    double work = std::max({readSeconds(gpu) + kept / gpu.copyRate, latency, issue(chunks, positions + pieces)});
    // Chunks are alike: what is left of those at work is spread evenly, half of it in the mean.
    double atWork = std::min(chunks, atOnce()), last = std::min(atWork, teamsThatFill(gpu));
    double share = last / atWork, sums = work * (1 - share * last / (2 * chunks)) + oneChunk * share;
    double finish = std::max((kept + bags * 16) / gpu.copyRate,
                             start() + rounds(bags) * 2 * hitLatency + longest() / positions * hitLatency);
    return sums + finish + 2 * gpu.launchLatency;
  }
};

} // namespace

double device::lookupSeconds(const ExpectedLookups &lookups, const Schedule &schedule, const rec::Cluster &gpu) {
  Estimate estimate(lookups, schedule);
  return schedule.chunk ? estimate.inChunks(gpu) : estimate.byBag(gpu);
}

Schedule device::cheapestSchedule(const ExpectedLookups &lookups, const rec::Cluster &gpu, bool sharesLaunch) {
  Schedule usual = usualSchedule(lookups.of, /*split=*/false), best = usual;
  double seconds = lookupSeconds(lookups, usual, gpu), least = seconds;
  for (const Schedule &schedule : schedulesOf(lookups.of))
    if (double other = lookupSeconds(lookups, schedule, gpu); other < least) {
      best = schedule;
      least = other;
    }
  bool gains = least < seconds * worthwhile && (!sharesLaunch || least < seconds - gpu.launchLatency);
  return gains ? best : usual;
}
