// What an executable is, without running it.
#pragma once
#include "sparsec/Program.h"
#include <string>

namespace sparsec::cli {

std::string infoJson(const Program &);
std::string infoText(const Program &);

} // namespace sparsec::cli
