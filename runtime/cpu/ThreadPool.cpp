#include "sparsec/ThreadPool.h"
#include <atomic>
#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace sparsec;

struct ThreadPool::State {
  struct Job {
    int64_t n = 0, length = 1;
    void *argument = nullptr;
    Call call = nullptr;
  };

  std::atomic<bool> busy = false;
  std::mutex mutex;
  std::condition_variable wake, idle;
  Job job;
  std::atomic<int64_t> next = 0; // first element of the next range
  bool open = false, stop = false;
  int64_t number = 0; // of jobs so far
  int working = 0;
  std::exception_ptr thrown; // by a range of this job; the first one
  std::vector<std::thread> workers;

  void runRanges() {
    try {
      for (;;) {
        int64_t begin = next.fetch_add(job.length, std::memory_order_relaxed);
        if (begin >= job.n)
          return;
        job.call(job.argument, begin, std::min(begin + job.length, job.n));
      }
    } catch (...) {
      next.store(job.n, std::memory_order_relaxed); // the rest need not begin
      std::lock_guard lock(mutex);
      if (!thrown)
        thrown = std::current_exception();
    }
  }

  void stopAll() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread &worker : workers)
      worker.join();
    workers.clear();
  }

  void work() {
    int64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stop || (open && number != seen); });
      if (stop)
        return;
      seen = number;
      ++working;
      lock.unlock();
      runRanges();
      lock.lock();
      if (--working == 0)
        idle.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : count(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  if (count == 1)
    return;
  state = std::make_unique<State>();
  try {
    state->workers.reserve(count - 1);
    for (int i = 1; i < count; ++i)
      state->workers.emplace_back([s = state.get()] { s->work(); });
  } catch (const std::exception &error) {
    state->stopAll(); // whoever else starts threads now has their memory
    state.reset();
    start = Status::error(fmt::format("cannot start {} threads: {}", count, error.what()));
    count = 1;
  }
}

ThreadPool::~ThreadPool() {
  if (state)
    state->stopAll();
}

void ThreadPool::dispatch(int64_t n, int64_t length, void *argument, Call call) {
  if (state->busy.exchange(true, std::memory_order_acquire)) {
    for (int64_t begin = 0; begin < n; begin += length)
      call(argument, begin, std::min(begin + length, n));
    return;
  }
  int64_t helpers = std::min<int64_t>(count, (n + length - 1) / length) - 1;
  {
    std::lock_guard lock(state->mutex);
    state->job = {n, length, argument, call};
    state->next.store(0, std::memory_order_relaxed);
    state->open = true;
    ++state->number;
  }
  if (helpers >= count - 1)
    state->wake.notify_all();
  else
    for (int64_t i = 0; i < helpers; ++i)
      state->wake.notify_one();
  state->runRanges();
  std::exception_ptr thrown;
  {
    // Late wakers find the job closed; those inside finish their range.
    std::unique_lock lock(state->mutex);
    state->open = false;
    state->idle.wait(lock, [&] { return state->working == 0; });
    thrown = std::exchange(state->thrown, nullptr);
  }
  state->busy.store(false, std::memory_order_release);
  if (thrown)
    std::rethrow_exception(thrown);
}
