#include "Conformance.h"
#include <thread>

using namespace sparsec;
using namespace std::chrono_literals;

namespace {

bool isLast(Communicator &comm) { return comm.rank() == comm.size() - 1; }

Status oneRankFails(Communicator &comm) {
  if (isLast(comm))
    comm.fail("disk full");
  float x[5000] = {};
  for (;;)
    if (Status done = comm.allReduceSum(x, 5000); !done)
      return done;
}

Status failsWhileOthersWait(Communicator &comm) {
  if (isLast(comm)) {
    std::this_thread::sleep_for(200ms);
    comm.fail("disk full");
  }
  return comm.barrier();
}

/// Those that wait in a group, for a rank that waits elsewhere, hear of it too.
Status failureReachesGroups(Communicator &comm) {
  auto group = comm.duplicate();
  if (!group)
    return group.status();
  if (isLast(comm)) {
    std::this_thread::sleep_for(100ms);
    comm.fail("disk full");
  }
  return (*group)->barrier();
}

Status outOfStep(Communicator &comm) {
  (void)comm.barrier();
  if (!isLast(comm))
    return comm.barrier();
  std::vector<int32_t> all(comm.size());
  int32_t mine = 0;
  return comm.allGather(&mine, all.data(), 4);
}

Status bytesDiffer(Communicator &comm) {
  std::vector<int64_t> send(comm.size(), isLast(comm) ? 12 : 8), receive(comm.size(), 8);
  receive.back() = isLast(comm) ? 12 : 8;
  std::vector<char> out(12 * comm.size()), in(12 * comm.size());
  Status done = comm.allToAllV(out.data(), send.data(), in.data(), receive.data());
  // A rank whose own messages are right may learn of it in the next collective.
  return done.ok() ? comm.barrier() : done;
}

Status oneRankIsAbsent(Communicator &comm) {
  if (isLast(comm)) {
    std::this_thread::sleep_for(3s); // the others have given up; the word of it may still be on its way
    Status first = comm.barrier();
    return first.ok() ? comm.barrier() : first;
  }
  return comm.barrier();
}

Status staysFailed(Communicator &comm) {
  Status first = oneRankFails(comm), second = comm.barrier();
  auto group = comm.duplicate();
  auto agreed = comm.agree(0, 1);
  if (second.ok() || group.ok() || agreed.ok())
    return Status::error("a failed communicator still works");
  return second;
}

} // namespace

std::string test::FailureCheck::judge(const Status &seen, int ranks) const {
  std::string wanted = expected;
  for (size_t at; (at = wanted.find("{last}")) != std::string::npos;)
    wanted.replace(at, 6, std::to_string(ranks - 1));
  if (seen.ok())
    return "expected `" + wanted + "`, but nothing failed";
  if (seen.message().find(wanted) == std::string::npos)
    return "expected `" + wanted + "`, but got `" + seen.message() + "`";
  return "";
}

const std::vector<test::FailureCheck> &test::failureChecks() {
  CommOptions usual{.timeout = 20s, .checkOrder = true}, brief{.timeout = 500ms, .checkOrder = true};
  static const std::vector<FailureCheck> checks{
      {"OneRankFails", usual, oneRankFails, "rank {last}: disk full"},
      {"FailsWhileOthersWait", usual, failsWhileOthersWait, "rank {last}: disk full"},
      {"FailureReachesGroups", usual, failureReachesGroups, "rank {last}: disk full"},
      {"OutOfStep", usual, outOfStep, "ranks are out of step: rank "},
      {"BytesDiffer", usual, bytesDiffer, "rank {last} sends "},
      {"OneRankIsAbsent", brief, oneRankIsAbsent, "in `barrier` (call 0) for rank {last};"},
      {"StaysFailed", usual, staysFailed, "rank {last}: disk full"}};
  return checks;
}
