// What a tuner measures: the classes of a program's lookups, and every schedule that each may have. Written by the
// compiler as the program description of a tuner; its kernels stand in the program image in the same order.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::tune {

struct Candidate {
  std::string text; // the schedule, for people
  int64_t chunk = 0, lanes = 0, rows = 0, threads = 0, residentBlocks = 0;
  double predicted = 0; // microseconds, by the compiler's cost model
};

struct TunedClass {
  int64_t dim = 0;
  bool weighted = false;
  std::string element;
  double bagLength = 0;              // declared mean; 0: not known
  double bags = 0;                   // of a step, of all tables; 0: not known
  int64_t tables = 1, tableRows = 1; // how many lookups; rows of the largest
  std::vector<Candidate> schedules;
};

struct Tuning {
  std::string model, compiler, target;
  std::vector<TunedClass> lookups;
};

std::string tuningText(const Tuning &);
Result<Tuning> readTuning(std::string_view text);

} // namespace sparsec::tune
