#include "cli/Interrupt.h"
#include <atomic>

namespace sparsec::cli {

namespace {
std::atomic<bool> noted = false; // a signal handler can reach nothing but a global; all ranks' threads read it
static_assert(decltype(noted)::is_always_lock_free);
void note(int) { noted = true; }
} // namespace

Interrupt::Interrupt() {
  noted = false;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &before[i]);
}

Interrupt::~Interrupt() {
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &before[i], nullptr);
}

bool Interrupt::requested() { return noted; }

} // namespace sparsec::cli
