#include "passes/Import/Description/Readers.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/descriptor.h>

namespace sparsec::description {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::shared_ptr<const SourceFile> openFile(const std::string &path, int order, Diagnostics &diagnostics) {
  constexpr uintmax_t largest = 256 << 20;
  auto file = std::make_shared<SourceFile>();
  file->name = path;
  file->order = order;
  std::error_code code;
  auto status = std::filesystem::status(path, code);
  std::string problem;
  if (!std::filesystem::exists(status))
    problem = code && code != std::errc::no_such_file_or_directory ? code.message() : "no such file";
  else if (std::filesystem::is_directory(status))
    problem = "this is a folder";
  else {
    std::ifstream in(path, std::ios::binary);
    std::string chunk(1 << 16, '\0');
    while (in && file->text.size() <= largest) {
      in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      file->text.append(chunk, 0, static_cast<size_t>(in.gcount()));
    }
    if (file->text.size() > largest)
      problem = "a description has at most 256 MiB";
    else if (in.bad() || !in.eof())
      problem = "cannot read this file";
  }
  if (problem.empty())
    return file;
  file->text.clear();
  diagnostics.error({file, 0, 0, nullptr}, problem);
  return nullptr;
}

bool isBinaryName(std::string_view path) { return path.ends_with(".binpb") || path.ends_with(".pb"); }

bool readFile(const std::string &path, int order, Message &message, Node &places, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  auto file = openFile(path, order, diagnostics);
  if (!file)
    return false;
  (isBinaryName(path) ? readBinary : readText)(file, message, places, diagnostics);
  return diagnostics.errorCount() == before;
}

void mergeFile(Message &to, Node &toPlaces, const Message &from, const Node &fromPlaces, Diagnostics &diagnostics) {
  if (!toPlaces.place)
    toPlaces.place = fromPlaces.place;
  for (const Node::Field &field : fromPlaces.fields) {
    const FieldDescriptor *descriptor = to.GetDescriptor()->FindFieldByName(field.name);
    auto &elements = toPlaces.add(field.name);
    if (!descriptor->is_repeated() && !elements.empty()) {
      diagnostics.error(field.elements.front().name, fmt::format("`{}` is set by two files", field.name))
          .note(elements.front().name, "the first is here");
      continue;
    }
    elements.insert(elements.end(), field.elements.begin(), field.elements.end());
  }
  to.MergeFrom(from);
}

} // namespace sparsec::description
