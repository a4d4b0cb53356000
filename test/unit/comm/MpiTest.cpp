// The conformance suite as one rank of an MPI job: `test-comm-mpi [--largest=BYTES] [--check-order]`, or one failure
// check: `test-comm-mpi --failure=NAME`. run-mpi.sh starts it.
#include "Conformance.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace sparsec;
using namespace sparsec::test;

namespace {

class MpiConformance : public testing::Test {
public:
  MpiConformance(Communicator &world, Check check) : world(world), check(check) {}
  void TestBody() override {
    check.body(world);
    EXPECT_FINE(world.barrier());
  }

private:
  Communicator &world;
  Check check;
};

/// A failed job is not finalised, and mpirun ends all ranks when the first leaves like that: say what was seen, wait.
int runFailure(const FailureCheck &check) {
  auto world = makeMpi(check.options);
  if (!world) {
    std::printf("%s\n", world.status().message().c_str());
    return 1;
  }
  Status seen = check.body(**world);
  std::string wrong = check.judge(seen, (*world)->size());
  std::printf("rank %d: %s\n", (*world)->rank(),
              wrong.empty() ? ("as expected: " + seen.message()).c_str() : wrong.c_str());
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::seconds(8));
  return 1;
}

/// Rank 0 is busy while another fails: the others must learn that it has not told, and later that it has.
int runBusyFirst() {
  using namespace std::chrono_literals;
  auto made = makeMpi();
  if (!made)
    return 1;
  Communicator &world = **made;
  bool right = true;
  if (world.rank() == 0) {
    std::this_thread::sleep_for(4s);
    world.fail("too late"); // so that it ends as the others do, without the end of a job that is well
    right = world.awaitFirst(0s);
  } else {
    if (world.rank() == world.size() - 1)
      world.fail("disk full");
    else
      right = !world.barrier().ok();
    right &= !world.awaitFirst(100ms);
    right &= world.awaitFirst(20s);
  }
  std::printf("rank %d: %s\n", world.rank(), right ? "as expected" : "wrong word of what rank 0 has told");
  std::fflush(stdout);
  std::this_thread::sleep_for(1s); // the first to leave ends all
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  CommOptions options{.timeout = std::chrono::seconds(60)};
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with("--largest="))
      options.largestMessage = std::atoll(argument.c_str() + 10);
    if (argument == "--check-order")
      options.checkOrder = true;
    if (argument == "--failure=BusyFirst")
      return runBusyFirst();
    for (const FailureCheck &check : failureChecks())
      if (argument == std::string("--failure=") + check.name)
        return runFailure(check);
  }
  auto world = makeMpi(options);
  if (!world) {
    std::printf("%s\n", world.status().message().c_str());
    return 1;
  }
  for (auto *checks : {&collectiveChecks(), &reductionChecks(), &groupChecks()})
    for (const Check &check : *checks)
      testing::RegisterTest("Mpi", check.name, nullptr, nullptr, __FILE__, __LINE__,
                            [&]() -> testing::Test * { return new MpiConformance(**world, check); });
  return RUN_ALL_TESTS();
}
