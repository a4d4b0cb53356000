// How a device is asked for what a program needs, and how long it works on it.
#pragma once
#include <cstdint>
#include <string>

namespace sparsec {

/// How work was asked for: piece by piece, or as a graph of what came before.
struct GraphCounts {
  int64_t direct = 0, captured = 0, launched = 0; // pieces of work one by one; graphs made; graphs launched
};

/// All work of one kind: a kernel by its name, products of one shape (`gemm MxNxK`), `sort`, `runs`, and `copy`.
struct WorkTime {
  std::string name;
  int64_t calls = 0;
  double milliseconds = 0; // of all calls
  double bytes = 0;        // read and written by all calls, where the kind is a copy
  double flops = 0;        // of all calls, where the kind is a product
};

} // namespace sparsec
