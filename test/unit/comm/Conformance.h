// What every communicator backend must do. A check is run by all ranks at once, each with its own communicator.
#pragma once
#include "sparsec/Communicator.h"
#include <ostream>
#include <string>
#include <vector>

namespace sparsec::test {

struct Check {
  const char *name;
  void (*body)(Communicator &);
};
inline std::ostream &operator<<(std::ostream &out, const Check &check) { return out << check.name; }

/// Checks after which a communicator is as good as before.
const std::vector<Check> &collectiveChecks();
const std::vector<Check> &reductionChecks();
const std::vector<Check> &groupChecks();

/// Checks that leave it failed; at least two ranks. Those waiting wait at most options.timeout.
struct FailureCheck {
  const char *name;
  CommOptions options;
  /// Returns what went wrong on this rank.
  Status (*body)(Communicator &);
  /// Part of the message that every rank must see. `{last}` is the last rank.
  std::string expected;

  /// Empty, or how `seen` differs from what was expected.
  std::string judge(const Status &seen, int ranks) const;
};
inline std::ostream &operator<<(std::ostream &out, const FailureCheck &check) { return out << check.name; }
const std::vector<FailureCheck> &failureChecks();

} // namespace sparsec::test

/// In a check: a status must be fine.
#define EXPECT_FINE(...)                                                                                               \
  do {                                                                                                                 \
    ::sparsec::Status fineStatus = (__VA_ARGS__);                                                                      \
    EXPECT_TRUE(fineStatus.ok()) << fineStatus.message();                                                              \
  } while (false)
