// Ranks as threads of one process. A rank posts where its data lies and goes on; the last to post checks that all agree
// and moves everything, so that waiting depends on the others' starts alone, never on their waits.
#include "sparsec/Communicator.h"
#include <condition_variable>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

using namespace sparsec;

namespace {

/// What all communicators that come from one makeInProcess share.
struct Family {
  std::mutex mutex;
  std::condition_variable changed;
  Status failure; // of the whole family; the first one
  CommOptions options;

  /// With the mutex held. Returns the family's first failure.
  const Status &fail(std::string message) {
    if (failure.ok())
      failure = Status::error(std::move(message));
    changed.notify_all();
    return failure;
  }
};

class InProcess : public Communicator {
public:
  /// The ranks of one communicator.
  struct Hub {
    struct Post {
      Tag tag;
      Transfer transfer;
    };
    struct Collective {
      std::vector<std::optional<Post>> posts;
      int posted = 0, finished = 0;
      bool moving = false, done = false;
    };
    Hub(std::shared_ptr<Family> family, int ranks) : family(std::move(family)), left(ranks) {}

    std::shared_ptr<Family> family;
    std::vector<bool> left; // ranks whose communicator is gone
    std::map<int64_t, Collective> calls;
    std::map<std::pair<int64_t, int>, std::pair<std::shared_ptr<Hub>, int>> groups; // and members that took it
  };

  InProcess(std::shared_ptr<Hub> hub, int rank, std::vector<int> programRanks)
      : Communicator(rank, std::move(programRanks)), hub(std::move(hub)) {}

  ~InProcess() override {
    std::lock_guard lock(hub->family->mutex);
    hub->left[rank()] = true;
    for (auto &[call, collective] : hub->calls)
      if (!collective.posts[rank()])
        for (auto &post : collective.posts)
          if (post)
            (void)hub->family->fail(hasLeft(rank(), post->tag));
  }

  void fail(const std::string &message) override {
    std::lock_guard lock(hub->family->mutex);
    (void)hub->family->fail(fmt::format("rank {}: {}", programRank(), message));
  }

protected:
  Result<Pending> start(const Tag &, Transfer) override;
  Result<std::unique_ptr<Communicator>> makeGroup(int64_t call, int color, const std::vector<int> &members,
                                                  int rank) override;

private:
  struct Wait;
  using Collective = Hub::Collective;

  std::string hasLeft(int gone, const Tag &tag) const {
    return fmt::format("rank {} has left, but the others need it in {}", programRank(gone), describe(tag));
  }
  Status check(const Tag &mine, const Collective &collective) const;
  Status checkBytes(const Collective &collective) const;
  static void move(const Collective &collective);
  Status finish(int64_t call);

  std::shared_ptr<Hub> hub;
};

struct InProcess::Wait : Pending::Operation {
  Wait(InProcess &comm, int64_t call) : comm(comm), call(call) {}
  Status wait() override { return comm.finish(call); }
  InProcess &comm;
  int64_t call;
};

/// Whether a rank may join a collective: those before it do the same, and nobody is missing for good.
Status InProcess::check(const Tag &mine, const Collective &collective) const {
  for (int r = 0; r < size(); ++r) {
    const auto &post = collective.posts[r];
    if (!post && hub->left[r])
      return Status::error(hasLeft(r, mine));
    if (post && (post->tag.kind != mine.kind || post->tag.detail != mine.detail))
      return Status::error(
          fmt::format("ranks are out of step: rank {} is in {}, rank {} in {}; all ranks must make the "
                      "same collectives in the same order",
                      programRank(r), describe(post->tag), programRank(), describe(mine)));
  }
  return {};
}

Status InProcess::checkBytes(const Collective &collective) const {
  for (int from = 0; from < size(); ++from)
    for (int to = 0; to < size(); ++to) {
      int64_t sent = collective.posts[from]->transfer.send[to].bytes;
      int64_t expected = collective.posts[to]->transfer.receive[from].bytes;
      if (sent != expected)
        return Status::error(fmt::format("rank {} sends {} bytes to rank {}, which expects {}, in {}",
                                         programRank(from), sent, programRank(to), expected,
                                         describe(collective.posts[from]->tag)));
    }
  return {};
}

void InProcess::move(const Collective &collective) {
  int ranks = static_cast<int>(collective.posts.size());
  for (int to = 0; to < ranks; ++to)
    for (int from = 0; from < ranks; ++from) {
      auto out = collective.posts[from]->transfer.send[to];
      auto in = collective.posts[to]->transfer.receive[from];
      if (out.bytes && in.data != out.data)
        std::memmove(in.data, out.data, out.bytes);
    }
}

Result<Pending> InProcess::start(const Tag &tag, Transfer transfer) {
  Family &family = *hub->family;
  std::unique_lock lock(family.mutex);
  if (!family.failure)
    return family.failure;
  Collective &collective = hub->calls[tag.call];
  collective.posts.resize(size());
  if (Status good = check(tag, collective); !good)
    return family.fail(good.message());
  collective.posts[rank()] = Hub::Post{tag, std::move(transfer)};
  if (++collective.posted == size()) {
    if (Status good = checkBytes(collective); !good)
      return family.fail(good.message());
    // Nobody touches a complete collective, and nobody leaves it while it is moving.
    collective.moving = true;
    lock.unlock();
    move(collective);
    lock.lock();
    collective.moving = false;
    collective.done = true;
    family.changed.notify_all();
  }
  return Pending(std::make_unique<Wait>(*this, tag.call));
}

Status InProcess::finish(int64_t call) {
  Family &family = *hub->family;
  std::unique_lock lock(family.mutex);
  Collective &collective = hub->calls[call];
  bool settled = family.changed.wait_for(lock, family.options.timeout,
                                         [&] { return collective.done || (!family.failure && !collective.moving); });
  if (!settled && !collective.moving) {
    std::string missing;
    for (int r = 0; r < size(); ++r)
      if (!collective.posts[r])
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", programRank(r));
    return family.fail(fmt::format("rank {} has waited {} s in {} for rank {}; see what that rank does, or allow more "
                                   "time",
                                   programRank(), family.options.timeout.count() / 1000.0,
                                   describe(collective.posts[rank()]->tag), missing));
  }
  family.changed.wait(lock, [&] { return !collective.moving; });
  if (!collective.done)
    return family.failure;
  if (++collective.finished == size())
    hub->calls.erase(call);
  return {};
}

Result<std::unique_ptr<Communicator>> InProcess::makeGroup(int64_t call, int color, const std::vector<int> &members,
                                                           int rank) {
  if (members.size() == 1)
    return makeLoopback(programRank());
  std::lock_guard lock(hub->family->mutex);
  auto &[group, taken] = hub->groups[{call, color}];
  if (!group)
    group = std::make_shared<Hub>(hub->family, static_cast<int>(members.size()));
  std::vector<int> ranks;
  for (int member : members)
    ranks.push_back(programRank(member));
  auto result = std::make_unique<InProcess>(group, rank, std::move(ranks));
  if (++taken == static_cast<int>(members.size()))
    hub->groups.erase({call, color});
  return std::unique_ptr<Communicator>(std::move(result));
}

} // namespace

std::vector<std::unique_ptr<Communicator>> sparsec::makeInProcess(int ranks, const CommOptions &options) {
  auto family = std::make_shared<Family>();
  family->options = options;
  auto hub = std::make_shared<InProcess::Hub>(family, ranks);
  std::vector<int> numbers;
  for (int r = 0; r < ranks; ++r)
    numbers.push_back(r);
  std::vector<std::unique_ptr<Communicator>> result;
  for (int r = 0; r < ranks; ++r)
    result.push_back(std::make_unique<InProcess>(hub, r, numbers));
  return result;
}

Status sparsec::runInProcess(int ranks, const std::function<Status(Communicator &)> &body, const CommOptions &options) {
  auto communicators = makeInProcess(ranks, options);
  std::mutex mutex;
  Status first;
  std::vector<std::thread> threads;
  auto fail = [&](Communicator &own, const Status &why) {
    std::lock_guard lock(mutex);
    if (first.ok())
      first = why;
    own.fail(why.message());
  };
  threads.reserve(communicators.size());
  for (auto &communicator : communicators) {
    try {
      threads.emplace_back([&] {
        if (Status result = body(*communicator); !result)
          fail(*communicator, result);
        communicator.reset();
      });
    } catch (const std::exception &error) {
      // Those that run need not wait for the others.
      fail(*communicator,
           Status::error(fmt::format("cannot start a thread for each of {} ranks: {}", ranks, error.what())));
      break;
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  return first;
}
