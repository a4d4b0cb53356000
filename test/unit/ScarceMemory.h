// A process with address space for some threads' stacks, but not for hundreds.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sparsec::test {

/// While it lives. Skip the test under sanitizers, which need the address space: SPARSEC_NEEDS_ADDRESS_SPACE.
class ScarceMemory {
public:
  ScarceMemory() {
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit scarce{rlim_t(1) << 30, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_AS, &scarce), 0);
  }
  ~ScarceMemory() { setrlimit(RLIMIT_AS, &before); }
  ScarceMemory(const ScarceMemory &) = delete;

private:
  rlimit before{};
};

} // namespace sparsec::test

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPARSEC_NEEDS_ADDRESS_SPACE
#endif
