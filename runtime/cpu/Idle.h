// What calls borrow and give back: there is as much of it as was ever needed at
// once, so a steady step allocates nothing.
#pragma once
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace sparsec {

template <typename T> class Idle {
public:
  /// Gives back at the end of its life.
  class Loan {
  public:
    Loan(Idle &owner, T object) : owner(owner), object(std::move(object)) {}
    ~Loan() {
      std::lock_guard lock(owner.mutex);
      owner.idle.push_back(std::move(object));
    }
    Loan(const Loan &) = delete;
    Loan &operator=(const Loan &) = delete;
    T *operator->() { return &object; }
    T &operator*() { return object; }

  private:
    Idle &owner;
    T object;
  };

  template <typename Make> Loan borrow(Make &&make) {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        T object = std::move(idle.back());
        idle.pop_back();
        return {*this, std::move(object)};
      }
    }
    return {*this, make()};
  }

private:
  std::mutex mutex;
  std::vector<T> idle;
};

/// Floats from the start of a cache line.
class Buffer {
public:
  float *atLeast(int64_t floats) {
    if (static_cast<int64_t>(lines.size()) * Line::floats < floats)
      lines.resize((floats + Line::floats - 1) / Line::floats);
    return lines.data()->x;
  }

private:
  struct alignas(64) Line {
    static constexpr int64_t floats = 16;
    float x[floats];
  };
  std::vector<Line> lines;
};

using Buffers = Idle<Buffer>;

} // namespace sparsec
