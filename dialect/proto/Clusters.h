// The built-in clusters: the files of clusters/, by their names without `.textproto`.
#pragma once
#include <span>
#include <string_view>

namespace sparsec::proto {

struct ClusterText {
  std::string_view name, text;
};
/// In alphabetical order.
std::span<const ClusterText> clusterTexts();

} // namespace sparsec::proto
