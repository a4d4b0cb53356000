#include "tune/Tuning.h"
#include <nlohmann/json.hpp>

namespace sparsec::tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Candidate, text, chunk, lanes, rows, threads, residentBlocks, predicted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TunedClass, dim, weighted, element, bagLength, bags, tables, tableRows, schedules)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Tuning, model, compiler, target, lookups)

std::string tuningText(const Tuning &tuning) {
  return nlohmann::json(tuning).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Tuning> readTuning(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<Tuning>();
  } catch (const nlohmann::json::exception &e) {
    return Status::error(std::string("the description of this tuner is broken: ") + e.what());
  }
}

} // namespace sparsec::tune
