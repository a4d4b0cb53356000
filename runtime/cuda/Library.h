// A shared library opened while the program runs, and its functions by name.
#pragma once
#include "sparsec/Status.h"
#include <initializer_list>
#include <string>

namespace sparsec::cuda {

class Library {
public:
  Library() = default;
  /// Opens the first of `names` that there is: as the loader finds it, then in folders of the CUDA toolkit ($CUDA_HOME,
  /// /usr/local/cuda). It stays open until the process ends: CUDA's libraries do not unload well. The error is one line
  /// that says what for it was wanted.
  static Result<Library> open(std::initializer_list<const char *> names, const char *purpose);

  /// Looks a function up. The error names function and library.
  template <typename Function> Status get(const char *symbol, Function *&function) const {
    void *found = nullptr;
    Status status = find(symbol, &found);
    function = reinterpret_cast<Function *>(found);
    return status;
  }

private:
  Status find(const char *symbol, void **found) const;
  void *handle = nullptr;
  std::string name;
};

} // namespace sparsec::cuda
