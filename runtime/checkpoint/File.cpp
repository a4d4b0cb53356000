#include "checkpoint/File.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sparsec::checkpoint {

namespace fs = std::filesystem;

namespace {
Status systemError(const std::string &path, std::string_view doing, int code) {
  return Status::error(fmt::format("{}: cannot {}: {}", path, doing, std::strerror(code)));
}
} // namespace

File::File(File &&other) noexcept : name(std::move(other.name)), fd(std::exchange(other.fd, -1)) {}

File &File::operator=(File &&other) noexcept {
  std::swap(name, other.name);
  std::swap(fd, other.fd);
  return *this;
}

File::~File() {
  if (fd >= 0)
    ::close(fd);
}

Status File::failure(std::string_view doing) const { return systemError(name, doing, errno); }

Result<File> File::openToRead(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open", errno);
  return File(path, fd);
}

Result<File> File::openToWrite(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open for writing", errno);
  return File(path, fd);
}

Result<File> File::create(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return systemError(path, "create", errno);
  return File(path, fd);
}

Result<int64_t> File::size() const {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return failure("stat");
  if (!S_ISREG(info.st_mode))
    return Status::error(fmt::format("{}: expected a regular file", name));
  return int64_t(info.st_size);
}

Status File::reserve(int64_t bytes) {
  if (::ftruncate(fd, bytes) != 0)
    return failure(fmt::format("make it {} bytes long", bytes));
  // Some file systems cannot reserve; there a full disk shows when the bytes are written.
  if (int code = bytes ? ::posix_fallocate(fd, 0, bytes) : 0; code == ENOSPC || code == EDQUOT || code == EFBIG)
    return systemError(name, fmt::format("reserve {} bytes", bytes), code);
  return {};
}

Status File::readAt(void *data, int64_t bytes, int64_t offset) const {
  char *at = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t n = ::pread(fd, at, size_t(bytes), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failure("read");
    if (n == 0)
      return Status::error(fmt::format("{}: the file ends at byte {}, expected {} more", name, offset, bytes));
    at += n, offset += n, bytes -= n;
  }
  return {};
}

Status File::writeAt(const void *data, int64_t bytes, int64_t offset) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t n = ::pwrite(fd, at, size_t(bytes), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failure("write");
    at += n, offset += n, bytes -= n;
  }
  return {};
}

Status File::sync() { return ::fsync(fd) == 0 ? Status() : failure("flush to disk"); }

Result<std::string> readWholeFile(const std::string &path, int64_t limit) {
  Result<File> file = File::openToRead(path);
  if (!file)
    return file.status();
  Result<int64_t> size = file->size();
  if (!size)
    return size.status();
  if (*size > limit)
    return Status::error(fmt::format("{}: expected at most {} bytes, but got {}", path, limit, *size));
  std::string text(size_t(*size), '\0');
  if (Status s = file->readAt(text.data(), *size, 0); !s)
    return s;
  return text;
}

Status writeWholeFile(const std::string &path, std::string_view text) {
  Result<File> file = File::create(path);
  if (!file)
    return file.status();
  if (Status s = file->writeAt(text.data(), int64_t(text.size()), 0); !s)
    return s;
  return file->sync();
}

Status syncDirectory(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "open", errno);
  int code = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // Directories of some file systems cannot be flushed; renames there are durable or lost as a whole.
  return code == 0 || code == EINVAL ? Status() : systemError(path, "flush to disk", code);
}

std::string parentDirectory(const std::string &path) {
  std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string plainPath(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  std::error_code none;
  fs::path real = fs::is_symlink(path, none) ? fs::canonical(path, none) : fs::path();
  return real.empty() ? path : real.string();
}

Status replaceDirectory(const std::string &fresh, const std::string &target) {
  std::error_code ignored;
  if (::rename(fresh.c_str(), target.c_str()) == 0) // there was none, or an empty one
    return syncDirectory(parentDirectory(target));
  if (errno != ENOTEMPTY && errno != EEXIST)
    return systemError(fresh, fmt::format("rename to `{}`", target), errno);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
    Status status = syncDirectory(parentDirectory(target));
    fs::remove_all(fresh, ignored); // the old one, under the new one's name
    return status;
  }
  // No exchange on this file system: load knows that the old one may wait under `.old`.
  std::string old = oldPath(target);
  fs::remove_all(old, ignored);
  if (::rename(target.c_str(), old.c_str()) != 0)
    return systemError(target, fmt::format("rename to `{}`", old), errno);
  if (::rename(fresh.c_str(), target.c_str()) != 0)
    return systemError(fresh, fmt::format("rename to `{}`", target), errno);
  Status status = syncDirectory(parentDirectory(target));
  fs::remove_all(old, ignored);
  return status;
}

} // namespace sparsec::checkpoint
