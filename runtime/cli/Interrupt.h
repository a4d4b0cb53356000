// Ctrl-C and the TERM that mpirun or a batch system sends: a wish to stop after the step, not a crash.
#pragma once
#include <csignal>

namespace sparsec::cli {

/// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the process as usual. One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;
  static bool requested();

private:
  struct sigaction before[2];
};

} // namespace sparsec::cli
