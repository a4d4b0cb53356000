#include "Library.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <vector>

namespace sparsec::cuda {

/// Folders in which a toolkit keeps its libraries, with a slash at the end; first "": as the loader searches.
static std::vector<std::string> folders() {
  std::vector<std::string> found = {""};
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    found.push_back(std::string(home) + "/lib64/");
  found.push_back("/usr/local/cuda/lib64/");
  return found;
}

Result<Library> Library::open(std::initializer_list<const char *> names, const char *purpose) {
  std::string why;
  for (const std::string &folder : folders())
    for (const char *name : names)
      if (void *handle = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        Library library;
        library.handle = handle;
        library.name = name;
        return library;
      } else if (why.empty()) {
        why = dlerror();
      }
  return Status::error(fmt::format("no library for {}: {}", purpose, why));
}

Status Library::find(const char *symbol, void **found) const {
  *found = dlsym(handle, symbol);
  return *found ? Status() : Status::error(fmt::format("`{}` has no function `{}`: another version?", name, symbol));
}

} // namespace sparsec::cuda
