#include "checkpoint/File.h"
#include "checkpoint/Manifest.h"
#include "checkpoint/Safetensors.h"
#include "sparsec/Checkpoint.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace sparsec {

using namespace checkpoint;
namespace fs = std::filesystem;

namespace {

bool isCheckpointFile(const fs::directory_entry &entry) {
  std::error_code code;
  std::string name = entry.path().filename().string();
  return entry.symlink_status(code).type() == fs::file_type::regular && (name == manifestName || isLayoutFile(name));
}

/// Absent, or a directory with files of a checkpoint alone. `whole`: where there are some, also the manifest.
Status checkContent(const std::string &path, bool whole) {
  std::error_code code;
  fs::file_status status = fs::symlink_status(path, code);
  if (!fs::exists(status))
    return {};
  if (!fs::is_directory(status))
    return Status::error(fmt::format("{}: expected a directory to save to, but it is a file", path));
  bool empty = true;
  std::string other;
  for (fs::directory_iterator entry(path, code), end; !code && entry != end; entry.increment(code)) {
    empty = false;
    if (!isCheckpointFile(*entry))
      other = entry->path().filename().string();
  }
  if (code)
    return Status::error(fmt::format("{}: cannot save here: {}", path, code.message()));
  bool unfinished = !empty && !fs::exists(path + "/" + manifestName, code);
  if (!other.empty() || (whole && unfinished))
    return Status::error(fmt::format("{}: expected no directory, an empty one or a checkpoint to replace, but it "
                                     "holds other files{}; move it away, or save elsewhere",
                                     path, other.empty() ? "" : fmt::format(", such as `{}`", other)));
  return {};
}

/// Whether `path`, which need not be there, lies in `directory` or is it.
bool isWithin(const fs::path &path, const fs::path &directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

/// Links followed, as far as the path is there.
fs::path realPath(const std::string &path) {
  std::error_code code;
  fs::path absolute = fs::absolute(plainPath(path), code), real = fs::weakly_canonical(absolute, code);
  return real.empty() ? absolute : real;
}

} // namespace

Status checkSaveDirectory(const std::string &directory, const std::string &loaded,
                          const std::vector<std::string> &inUse) {
  std::string target = plainPath(directory), fresh = freshPath(target), old = oldPath(target);
  auto spare = [&](const std::string &path, const std::string &removed) {
    if (path.empty() || !isWithin(realPath(path), realPath(removed)))
      return Status();
    return Status::error(
        fmt::format("{}: a save removes it, but `{}` is in use; save to another directory", removed, path));
  };
  for (const std::string &removed : {target, fresh, old}) {
    for (const std::string &path : inUse)
      if (Status s = spare(path, removed); !s)
        return s;
    if (Status s = removed == target ? Status() : spare(loaded, removed); !s)
      return s;
  }
  for (const std::string &path : {target, fresh, old})
    if (Status s = checkContent(path, /*whole=*/path == target); !s)
      return s;
  std::string parent = parentDirectory(target);
  std::error_code code;
  if (!fs::is_directory(parent, code))
    return Status::error(fmt::format("{}: cannot save here: there is no directory `{}`", target, parent));
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    return Status::error(fmt::format("{}: cannot save here: directory `{}` is not writable", target, parent));
  return {};
}

} // namespace sparsec
