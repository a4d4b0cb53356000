#include "cli/Interrupt.h"

namespace sparsec::cli {

namespace {
volatile std::sig_atomic_t noted = 0; // a signal handler can reach nothing but a global
void note(int) { noted = 1; }
} // namespace

Interrupt::Interrupt() {
  noted = 0;
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

bool Interrupt::requested() { return noted != 0; }

} // namespace sparsec::cli
