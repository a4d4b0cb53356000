// The optimizers once more, in double precision and by hand: independent of the formulas the compiler emits.
#pragma once
#include "reference/Reference.h"

namespace sparsec::reference {

/// Adds the states of `parameter`; `prefix` names them.
void addStates(States &states, const std::string &prefix, const Optimizer &optimizer, const Matrix &value);

/// One step with the gradient in `parameter`. `moves`: by row; the others stay as they are. `rate`: the schedule's
/// factor.
void update(Parameter &parameter, States &states, const std::string &prefix, const Optimizer &optimizer,
            const std::vector<char> &moves, int64_t step, double rate);

} // namespace sparsec::reference
