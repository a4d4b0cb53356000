// Metrics over a data source.
#pragma once
#include "cli/Session.h"
#include "sparsec/Metrics.h"
#include <string>
#include <vector>

namespace sparsec::cli {

/// Of each task over all samples of all ranks; on other ranks than the first it is empty.
using Evaluation = std::vector<TaskMetrics>;

/// Runs the source to its end. Every rank calls it; all get the same status.
Result<Evaluation> evaluate(Session &, BatchSource &);

/// One line: the metrics themselves for one task; {"samples":.., "tasks":{NAME:{..}}} for several.
std::string evaluationJson(const Program &, const Evaluation &);
/// The same for a person.
std::string evaluationText(const Program &, const Evaluation &);

} // namespace sparsec::cli
