#pragma once
#include "passes/Import/Description/Model.h"

namespace sparsec::reference {

/// A checked and supported model from its text. Throws std::runtime_error with the diagnostics.
description::Loaded loadText(const std::string &text);

} // namespace sparsec::reference
