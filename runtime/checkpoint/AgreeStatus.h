// One status for all ranks.
#pragma once
#include "sparsec/Communicator.h"
#include "sparsec/Status.h"

namespace sparsec {

/// Fine if it is fine on every rank; else all ranks return the message of the lowest rank that failed, with that
/// rank's number where others did not fail. Every rank must call it.
Status agreeStatus(Communicator &, const Status &);

} // namespace sparsec
