// What holds for a field by itself: it is there if it must be, and its number lies in range.
#pragma once
#include "passes/Import/Description/Diagnostics.h"
#include <google/protobuf/message.h>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec::description {

/// Checks one block and those inside it. `what` calls it in errors, in backticks where it is a word of the language:
/// "feature `C1`", "`adam`".
void checkFields(const google::protobuf::Message &message, const Node &places, const std::string &what,
                 Diagnostics &diagnostics);

/// Whether a number lies in its range. checkFields reports one that does not, so that no other rule need judge it.
bool inRange(const google::protobuf::Message &message, std::string_view field, int index = 0);

/// The fields of a whole file that are no blocks: `a description needs ...`. `what`: "description", "cluster", "plan".
/// The version of the language is checked too.
void checkFile(const google::protobuf::Message &message, const Node &places, const std::string &what,
               Diagnostics &diagnostics);

} // namespace sparsec::description
