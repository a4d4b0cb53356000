#include "emulate/Fault.h"
#include <fmt/format.h>

using namespace sparsec::emulate;

static std::string placeOf(const SparsecSite *site) {
  return site ? fmt::format("{}:{}:{}", site->file, site->line, site->column) : "unknown place";
}

static std::string what(const Fault &f) {
  const char *does = f.access == SPARSEC_ACCESS_LOAD    ? "reads"
                     : f.access == SPARSEC_ACCESS_STORE ? "writes"
                                                        : "atomically changes";
  switch (f.kind) {
  case Fault::outside:
    return fmt::format("{} {} bytes outside of the device's memory", does, f.bytes);
  case Fault::misaligned:
    return fmt::format("{} {} bytes at an address that is no multiple of {}", does, f.bytes, f.bytes);
  case Fault::uninitialised:
    return "reads shared memory that no thread of its block has written";
  case Fault::race:
    return f.shared ? fmt::format("{} shared memory that thread {} touches between the same barriers", does, f.other)
                    : fmt::format("{} memory that block {} of the same launch touches", does, f.other);
  case Fault::alone:
    if (!f.otherSite)
      return fmt::format("waits for thread {}, which has ended", f.other);
    return fmt::format("waits for thread {}, which waits at {}", f.other, placeOf(f.otherSite));
  case Fault::unexpected:
    return "waits for other threads, which its record says it never does";
  case Fault::none:
    break;
  }
  return "does nothing wrong";
}

std::string sparsec::emulate::describe(const Fault &f, const SparsecKernel &kernel) {
  return fmt::format("{}: kernel `{}`, block {}, thread {}: {}", placeOf(f.site), kernel.name, f.block, f.thread,
                     what(f));
}
