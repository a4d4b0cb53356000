// A status: fine, or one message for a person. Every fallible call of the runtime returns one.
#pragma once
#include <string>
#include <utility>

namespace sparsec {

class [[nodiscard]] Status {
public:
  Status() = default;
  /// `message`: lower case, no final full stop, names the place (file:line:column, table, rank, id).
  static Status error(std::string message) {
    Status s;
    s.failed = true;
    s.text = std::move(message);
    return s;
  }
  bool ok() const { return !failed; }
  explicit operator bool() const { return ok(); }
  const std::string &message() const { return text; }

private:
  bool failed = false;
  std::string text;
};

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : why(std::move(status)) {}
  bool ok() const { return why.ok(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return why; }
  T &operator*() { return held; }
  const T &operator*() const { return held; }
  T *operator->() { return &held; }
  const T *operator->() const { return &held; }

private:
  T held{};
  Status why;
};

} // namespace sparsec
