// Cases, run.
#pragma once
#include "test/unit/gpu/cover/Family.h"
#include <map>

namespace sparsec::codegen::device::cover {

/// The kernels of some cases, compiled once.
class Cover {
public:
  explicit Cover(const std::vector<Case> &);
  /// Runs a case in every order of the emulator. What is wrong; empty: nothing.
  std::string check(const Case &);

private:
  /// Cases with one class of kernels have one of these.
  static std::array<int, 5> classOf(const Case &);
  GpuRunner runner;
  std::map<std::array<int, 5>, std::vector<std::string>> names; // of kernels
};

} // namespace sparsec::codegen::device::cover
