#include "checkpoint/Safetensors.h"
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparsec::checkpoint {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

namespace {

constexpr int64_t maxHeaderBytes = 100'000'000; // the limit of the format's own reader

std::string headerText(const nlohmann::ordered_json &json) {
  std::string text = json.dump();
  while ((8 + text.size()) % 64) // the format allows spaces here; so the tensors begin aligned
    text += ' ';
  uint64_t length = text.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + text;
}

/// Whole numbers that are not negative, or nothing.
bool readCounts(const nlohmann::json &list, std::vector<int64_t> &counts) {
  if (!list.is_array())
    return false;
  for (const nlohmann::json &item : list) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > uint64_t(INT64_MAX))
      return false;
    counts.push_back(item.get<int64_t>());
  }
  return true;
}

/// shape's bytes, or -1 where that exceeds `limit`.
int64_t shapeBytes(const std::vector<int64_t> &shape, int64_t limit) {
  int64_t bytes = 4;
  for (int64_t extent : shape) {
    if (extent && bytes > limit / extent)
      return -1;
    bytes *= extent;
  }
  return bytes;
}

constexpr std::string_view filePrefix = "tensors-", fileSuffix = ".safetensors";

} // namespace

bool isLayoutFile(std::string_view name) { return name.starts_with(filePrefix) && name.ends_with(fileSuffix); }

Layout layOut(const std::vector<CheckpointTensor> &tensors, int64_t fileBytes) {
  Layout layout;
  nlohmann::ordered_json header;
  size_t first = 0;
  int64_t data = 0;
  auto closeFile = [&](size_t end) {
    FileLayout file;
    file.name = fmt::format("{}{:05}{}", filePrefix, layout.files.size(), fileSuffix);
    file.header = headerText(header);
    file.bytes = int64_t(file.header.size()) + data;
    for (size_t i = first; i < end; ++i)
      layout.places[i].offset += int64_t(file.header.size());
    layout.files.push_back(std::move(file));
    header = {}, first = end, data = 0;
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    int64_t end = data + tensors[i].bytes();
    header[tensors[i].name] = {{"dtype", "F32"}, {"shape", tensors[i].shape}, {"data_offsets", {data, end}}};
    layout.places.push_back({int64_t(layout.files.size()), data});
    data = end;
    if (data >= fileBytes)
      closeFile(i + 1);
  }
  if (first < tensors.size())
    closeFile(tensors.size());
  return layout;
}

Result<std::vector<StoredTensor>> readHeader(const File &file) {
  auto refuse = [&](std::string why) { return Status::error(fmt::format("{}: {}", file.path(), why)); };
  Result<int64_t> size = file.size();
  if (!size)
    return size.status();
  uint64_t length = 0;
  if (*size < 8)
    return refuse("expected a safetensors file, but it is shorter than 8 bytes");
  if (Status s = file.readAt(&length, 8, 0); !s)
    return s;
  if (length > uint64_t(maxHeaderBytes) || int64_t(length) > *size - 8)
    return refuse(fmt::format("expected a safetensors file, but its header would be {} bytes long", length));
  std::string text(length, '\0');
  if (Status s = file.readAt(text.data(), int64_t(length), 8); !s)
    return s;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return refuse("expected a safetensors file, but its header is not a JSON object");

  std::vector<StoredTensor> stored;
  int64_t begin = 8 + int64_t(length), room = *size - begin;
  for (const auto &[name, entry] : json.items()) {
    if (name == "__metadata__")
      continue;
    StoredTensor tensor{{name, {}}, 0};
    std::vector<int64_t> span;
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets") ||
        !readCounts(entry["shape"], tensor.tensor.shape) || !readCounts(entry["data_offsets"], span) ||
        span.size() != 2 || span[0] > span[1] || span[1] > room)
      return refuse(fmt::format("tensor `{}`: expected dtype, shape and data_offsets inside the file", name));
    if (entry["dtype"] != "F32")
      return refuse(fmt::format("tensor `{}`: expected dtype F32, but got {}", name, entry["dtype"].dump()));
    if (shapeBytes(tensor.tensor.shape, room) != span[1] - span[0])
      return refuse(fmt::format("tensor `{}`: its shape and its {} bytes disagree", name, span[1] - span[0]));
    tensor.offset = begin + span[0];
    stored.push_back(std::move(tensor));
  }
  return stored;
}

} // namespace sparsec::checkpoint
