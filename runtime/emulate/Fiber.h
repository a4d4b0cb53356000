// Switches between the stacks of threads. AddressSanitizer knows one stack for each thread of the host and must be told
// of every switch, or it takes a fiber's frames for overflows; without it nothing is left of that.
#pragma once
#include "emulate/FiberStacks.h"
#include <boost/context/detail/fcontext.hpp>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPARSEC_FIBERS_ARE_WATCHED
#endif
#endif
#ifdef SPARSEC_FIBERS_ARE_WATCHED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace sparsec::emulate {

/// What runs on a stack of its own, or (made by nobody) what entered the first fiber.
struct Fiber {
  boost::context::detail::fcontext_t place = nullptr; // where it goes on
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  const void *bottom = nullptr;
  size_t bytes = 0;
  void *frames = nullptr; // that the sanitizer keeps elsewhere
#endif
};

using FiberEntry = void (*)(boost::context::detail::transfer_t);

inline Fiber makeFiber(Stack stack, FiberEntry entry) {
  Fiber made{boost::context::detail::make_fcontext(stack.top, stack.bytes, entry)};
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  made.bottom = static_cast<std::byte *>(stack.top) - stack.bytes;
  made.bytes = stack.bytes;
  __asan_unpoison_memory_region(made.bottom, made.bytes); // a fiber that was left in the middle had frames here
#endif
  return made;
}

/// From `here`, which runs, to `there`, until `there` comes back.
inline void switchFiber([[maybe_unused]] Fiber &here, Fiber &there, void *data = nullptr) {
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  __sanitizer_start_switch_fiber(&here.frames, there.bottom, there.bytes);
#endif
  there.place = boost::context::detail::jump_fcontext(there.place, data).fctx;
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  __sanitizer_finish_switch_fiber(here.frames, &there.bottom, &there.bytes);
#endif
}

/// The first call of an entry: `starter` is who switched here.
inline void enterFiber(boost::context::detail::transfer_t from, Fiber &starter) {
  starter.place = from.fctx;
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  __sanitizer_finish_switch_fiber(nullptr, &starter.bottom, &starter.bytes);
#endif
}

/// To `there`, for good.
[[noreturn]] inline void leaveFiber(Fiber &there) {
#ifdef SPARSEC_FIBERS_ARE_WATCHED
  __sanitizer_start_switch_fiber(nullptr, there.bottom, there.bytes);
#endif
  boost::context::detail::jump_fcontext(there.place, nullptr);
  __builtin_unreachable(); // nobody resumes this fiber
}

} // namespace sparsec::emulate
