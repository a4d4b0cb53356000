#include "InputFile.h"
#include "Decompress.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparsec::data {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};

Status unreadable(const std::string &path) {
  return Status::error(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
}

} // namespace

InputFile::InputFile(InputFile &&other) noexcept { *this = std::move(other); }

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(content, other.content);
  std::swap(mapped, other.mapped);
  std::swap(mappedSize, other.mappedSize);
  std::swap(inode, other.inode);
  std::swap(held, other.held);
  return *this;
}

InputFile::~InputFile() {
  if (mapped)
    munmap(mapped, mappedSize);
}

Result<InputFile> InputFile::open(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return unreadable(path);
  if (S_ISDIR(info.st_mode))
    return Status::error(fmt::format("{}: expected a file, but got a folder", path));
  if (!S_ISREG(info.st_mode)) // opening a pipe could wait for ever
    return Status::error(fmt::format("{}: expected a file, but got a pipe or a device; data is read more than once, so "
                                     "write it to a file first",
                                     path));
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.number < 0 || fstat(descriptor.number, &info) != 0)
    return unreadable(path);
  InputFile file;
  file.name = path;
  if (info.st_size == 0)
    return file;
  void *memory = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
  if (memory == MAP_FAILED)
    return unreadable(path);
  file.mapped = memory;
  file.mappedSize = info.st_size;
  file.inode = info.st_ino;
  file.content = {static_cast<const char *>(memory), file.mappedSize};
  return file;
}

Status InputFile::checkWhole() const {
  struct stat info;
  if (!mapped || stat(name.c_str(), &info) != 0 || info.st_ino != inode || size_t(info.st_size) >= mappedSize)
    return {}; // what was replaced or deleted stays mapped
  return Status::error(
      fmt::format("{}: the file has shrunk from {} to {} bytes since it was opened", name, mappedSize, info.st_size));
}

Result<InputFile> InputFile::openText(const std::string &path) {
  Result<InputFile> file = open(path);
  if (!file)
    return file;
  if (Compression c = compressionOf(file->content); c != Compression::None) {
    InputFile text;
    text.name = path;
    if (Status s = decompress(c, file->content, path, text.held); !s)
      return s;
    text.content = {text.held.data(), size_t(text.held.size())};
    *file = std::move(text);
  }
  if (file->content.starts_with("\xef\xbb\xbf"))
    file->content.remove_prefix(3);
  return file;
}

} // namespace sparsec::data
