// What was measured, as a table for people and as a file for `sparsec --schedules`.
#pragma once
#include "tune/Tuning.h"

namespace sparsec::tune {

struct Measured {
  int64_t bags = 0;          // of a step, as measured
  std::vector<double> times; // microseconds, by schedule
};

std::string tableOf(const TunedClass &, const Measured &);
/// Text of dialect/proto/schedules.proto.
std::string fileOf(const Tuning &, const std::string &architecture, const std::vector<Measured> &);

} // namespace sparsec::tune
