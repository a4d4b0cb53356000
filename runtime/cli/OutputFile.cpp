#include "cli/OutputFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace sparsec::cli {

namespace fs = std::filesystem;

namespace {

/// A new file beside `path`, under a name that nothing had; with the rights of any new file. Null: errno says why.
std::FILE *openBeside(const std::string &path, std::string &name) {
  constexpr int mostTries = 1000;
  int file = -1;
  for (int i = 0; file < 0 && i < mostTries && (i == 0 || errno == EEXIST); ++i) {
    name = fmt::format("{}.new-{}-{}", path, getpid(), i);
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return file < 0 ? nullptr : ::fdopen(file, "w");
}

} // namespace

Status refuseToOverwrite(const std::string &path, const std::vector<std::string> &inputs) {
  std::error_code none; // what is not there is not overwritten
  for (const std::string &input : inputs) {
    bool same = fs::equivalent(path, input, none);
    if (fs::is_directory(input, none))
      for (const fs::directory_entry &entry : fs::directory_iterator(input, none))
        same = same || fs::equivalent(path, entry.path(), none);
    if (same)
      return Status::error(fmt::format("{}: would overwrite `{}`, which is read; write to another file", path, input));
  }
  return {};
}

Status OutputFile::open(const std::string &where) {
  path = where.empty() ? "stdout" : where;
  if (where.empty()) {
    file = stdout;
    return {};
  }
  std::error_code none;
  fs::file_status old = fs::status(where, none);
  if (fs::is_directory(old))
    return Status::error(fmt::format("{}: cannot write: it is a folder", path));
  if (!fs::exists(old) || fs::is_regular_file(old)) {
    path = fs::is_symlink(where, none) ? fs::canonical(where, none).string() : where;
    file = openBeside(path, fresh);
  } else {
    file = std::fopen(path.c_str(), "w");
  }
  return file ? Status() : failure("open for writing");
}

OutputFile::~OutputFile() {
  if (!file || file == stdout)
    return;
  std::fclose(file);
  if (!fresh.empty())
    ::unlink(fresh.c_str());
}

Status OutputFile::write(const std::string &text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() ? Status() : failure("write");
}

Status OutputFile::finish() {
  if (std::fflush(file) != 0)
    return failure("write");
  if (fresh.empty())
    return {};
  bool closed = std::fclose(std::exchange(file, nullptr)) == 0;
  if (closed && std::rename(fresh.c_str(), path.c_str()) == 0)
    return {};
  Status status = failure(closed ? "rename to" : "write");
  ::unlink(fresh.c_str());
  return status;
}

Status OutputFile::failure(const char *doing) const {
  return Status::error(fmt::format("{}: cannot {}: {}", path, doing, std::strerror(errno)));
}

} // namespace sparsec::cli
