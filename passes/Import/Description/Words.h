// Wording shared by all errors.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::description {

/// The candidate most like `word`, or "" where none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates);

/// `A`, `A or B`, `A, B or C`.
std::string oneOf(const std::vector<std::string_view> &words);

/// `1 name`, `26 names`.
std::string counted(int64_t number, std::string_view thing);

/// In backticks, on one line and not endless: control characters escaped, cut after 60 bytes.
std::string ticked(std::string_view text);

/// The shortest decimal that reads back as `number`.
std::string decimal(double number);

} // namespace sparsec::description
