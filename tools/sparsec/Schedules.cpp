#include "tools/sparsec/Schedules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sparsec;
using namespace sparsec::driver;

static codegen::LookupClass classOf(const TunedLookup &lookup) {
  static constexpr codegen::RowElement elements[] = {codegen::RowElement::f32, codegen::RowElement::f16,
                                                     codegen::RowElement::bf16};
  return {lookup.dim(), lookup.weighted(), lookup.bag_length(), elements[lookup.element()]};
}

static codegen::device::Schedule scheduleOf(const MeasuredSchedule &schedule) {
  return {schedule.chunk(), schedule.lanes(), schedule.rows(), int32_t(schedule.threads()),
          int32_t(schedule.resident_blocks())};
}

std::vector<codegen::TunedLookup> driver::bestSchedules(const description::LoadedSchedules &loaded,
                                                        const codegen::Target &target,
                                                        description::Diagnostics &diagnostics) {
  const std::string &measuredOn = loaded.schedules.architecture();
  if (std::vector<std::string> known = target.architectures(); !llvm::is_contained(known, measuredOn))
    diagnostics.warning(loaded.places->value("architecture"),
                        "measured on `" + measuredOn + "`, but the program is for " + llvm::join(known, ", "));
  std::vector<codegen::TunedLookup> best;
  for (int i = 0; i < loaded.schedules.lookup_size(); ++i) {
    const TunedLookup &lookup = loaded.schedules.lookup(i);
    codegen::TunedLookup tuned{classOf(lookup), {}};
    auto known = codegen::device::schedulesOf(tuned.of);
    double least = 0;
    for (int k = 0; k < lookup.schedule_size(); ++k) {
      const MeasuredSchedule &measured = lookup.schedule(k);
      codegen::device::Schedule schedule = scheduleOf(measured);
      if (!llvm::is_contained(known, schedule))
        diagnostics
            .error(loaded.places->child("lookup", i).child("schedule", k).place,
                   "no schedule `" + describe(schedule) + "` for lookups of " + std::to_string(lookup.dim()) +
                       " columns")
            .note("measure again with a tuner of this version of sparsec");
      if (k == 0 || measured.measured_us() < least) {
        tuned.schedule = schedule;
        least = measured.measured_us();
      }
    }
    best.push_back(tuned);
  }
  return best;
}
