// Loaded into an executable before all else, it turns the steady clock into the CPU time of the calling thread: what
// the executable then tells of its steps does not count the time that other work had the core.
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec *time) noexcept {
  return int(syscall(SYS_clock_gettime, clock == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : clock, time));
}
