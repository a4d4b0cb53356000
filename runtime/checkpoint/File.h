// Files and directories, with errors that name them.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace sparsec::checkpoint {

/// An open file; closed when it goes.
class File {
public:
  File() = default;
  File(File &&) noexcept;
  File &operator=(File &&) noexcept;
  ~File();

  static Result<File> openToRead(const std::string &path);
  static Result<File> openToWrite(const std::string &path); // an existing file
  static Result<File> create(const std::string &path);      // new, or emptied

  Result<int64_t> size() const;
  /// Sets the size and reserves the space, so that a full disk shows now.
  Status reserve(int64_t bytes);
  Status readAt(void *data, int64_t bytes, int64_t offset) const;
  Status writeAt(const void *data, int64_t bytes, int64_t offset);
  Status sync();
  const std::string &path() const { return name; }

private:
  File(std::string path, int descriptor) : name(std::move(path)), fd(descriptor) {}
  Status failure(std::string_view doing) const;
  std::string name;
  int fd = -1;
};

Result<std::string> readWholeFile(const std::string &path, int64_t limit);
Status writeWholeFile(const std::string &path, std::string_view text); // synced
Status syncDirectory(const std::string &path);
std::string parentDirectory(const std::string &path);
/// Without slashes at its end; of a link, what it points to.
std::string plainPath(std::string path);

/// Beside the directory that a save replaces: where the new one is written, and where the old one may wait.
inline std::string freshPath(const std::string &target) { return target + ".new"; }
inline std::string oldPath(const std::string &target) { return target + ".old"; }

/// Puts the directory `fresh` in the place of `target` and removes what was there, and at oldPath(target): a save has
/// asked checkSaveDirectory first.
Status replaceDirectory(const std::string &fresh, const std::string &target);

} // namespace sparsec::checkpoint
