// Ctrl-C and the signals of mpirun and batch systems: a wish to stop after the step, not a crash.
#pragma once
#include <csignal>
#include <iterator>

namespace sparsec::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGUSR1 is noted; a second one ends the process as usual. One at a
/// time. SIGUSR1 is what mpirun passes on to ranks without killing them a moment later.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;
  static bool requested();

private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGUSR1};
  struct sigaction before[std::size(signals)];
};

} // namespace sparsec::cli
