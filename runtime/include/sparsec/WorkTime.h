// How long a device works on what a program asks it for.
#pragma once
#include <cstdint>
#include <string>

namespace sparsec {

/// All work of one kind: a kernel by its name, products of one shape (`gemm MxNxK`), `sort`, `runs`, and `copy`.
struct WorkTime {
  std::string name;
  int64_t calls = 0;
  double milliseconds = 0; // of all calls
  double bytes = 0;        // read and written by all calls, where the kind is a copy
  double flops = 0;        // of all calls, where the kind is a product
};

} // namespace sparsec
