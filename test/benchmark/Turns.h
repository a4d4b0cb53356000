// Ours beside a peer that bounds it, timed in turns.
#pragma once
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <vector>

namespace sparsec::benchmarks {

/// CPU time of the calling thread: stands still while other work has the core.
inline double threadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <typename Run> double secondsOf(int64_t times, Run &&run) {
  double begin = threadSeconds();
  for (int64_t i = 0; i < times; ++i)
    run();
  return (threadSeconds() - begin) / static_cast<double>(times);
}

/// Of at least one number.
inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

/// One pair an iteration (UseManualTime), each side `times` in a row, so that what else the machine does falls on both.
/// Counters are medians over the pairs: `rate` and `plain`, the `work` of one run a second, of ours and of the peer;
/// `ratio`, the peer's time over ours.
template <typename Ours, typename Peer>
void inTurns(benchmark::State &state, const char *rate, double work, int64_t times, Ours &&ours, Peer &&peer) {
  ours();
  peer();
  std::vector<double> ourRates, peerRates, ratios;
  for (auto _ : state) {
    double ourSeconds = secondsOf(times, ours), peerSeconds = secondsOf(times, peer);
    ourRates.push_back(work / ourSeconds);
    peerRates.push_back(work / peerSeconds);
    ratios.push_back(peerSeconds / ourSeconds);
    state.SetIterationTime(ourSeconds);
  }
  if (ratios.empty())
    return;
  state.counters[rate] = median(ourRates);
  state.counters["plain"] = median(peerRates);
  state.counters["ratio"] = median(ratios);
}

} // namespace sparsec::benchmarks
