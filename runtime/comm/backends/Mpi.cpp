// Ranks as processes of an MPI job. A transfer is plain sends and receives, tagged with kind and number of the
// collective: lengths are 64 bit, a missing rank is known by its receive, and a rank out of step by its tag.
#include "comm/backends/MpiLibrary.h"
#include "sparsec/Communicator.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

using namespace sparsec;
using namespace sparsec::mpi;

namespace {

using Clock = std::chrono::steady_clock;

/// Tags of words on Job::news.
constexpr int failureTag = 0, toldTag = 1;
/// So that a rank which knows a failure at first hand tells before those that heard of it.
constexpr std::chrono::seconds hearsay{2};

/// What the communicators of one makeMpi share.
struct Job {
  ~Job() {
    if (news && !mpi->broken)
      mpi->commFree(&news);
  }

  std::shared_ptr<Library> mpi;
  CommOptions options;
  Comm news = nullptr; // a copy of the world, for words of failure alone
  int rank = 0, ranks = 1;
  std::mutex mutex; // guards the rest
  Status failure;
  std::string notice; // what the sends of failure read
  bool heard = false; // another rank's failure

  Status failed() {
    std::lock_guard lock(mutex);
    return failure;
  }
  /// Keeps the first failure and tells the other ranks of it. Returns it.
  Status fail(const std::string &message);
  /// Whether another rank has sent word of its failure.
  Status listen();
  bool awaitFirst(std::chrono::milliseconds longest);
};

Status Job::fail(const std::string &message) {
  std::lock_guard lock(mutex);
  if (!failure)
    return failure;
  failure = Status::error(message);
  mpi->broken = true;
  notice = message.substr(0, 4000); // short enough to leave at once
  for (int r = 0; r < ranks; ++r) {
    Request request;
    if (r != rank &&
        mpi->isend(notice.data(), static_cast<int>(notice.size()), mpi->byte, r, failureTag, news, &request) == success)
      mpi->requestFree(&request);
  }
  return failure;
}

Status Job::listen() {
  std::lock_guard lock(mutex);
  if (!failure)
    return failure;
  int there = 0;
  MpiStatus status{};
  mpi->iprobe(anySource, failureTag, news, &there, &status);
  if (!there)
    return {};
  std::string text(status.bytes, ' ');
  mpi->recv(text.data(), static_cast<int>(text.size()), mpi->byte, status.source, failureTag, news, &status);
  failure = Status::error(text);
  heard = true;
  mpi->broken = true;
  return failure;
}

bool Job::awaitFirst(std::chrono::milliseconds longest) {
  if (rank == 0) {
    for (int r = 1; r < ranks; ++r) {
      Request request;
      if (mpi->isend(nullptr, 0, mpi->byte, r, toldTag, news, &request) == success)
        mpi->requestFree(&request);
    }
    return true;
  }
  {
    std::lock_guard lock(mutex);
    if (heard)
      longest += hearsay;
  }
  int told = 0;
  MpiStatus status{};
  for (Clock::time_point deadline = Clock::now() + longest; !told && Clock::now() < deadline;) {
    mpi->iprobe(0, toldTag, news, &told, &status);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return told;
}

class Mpi : public Communicator {
public:
  Mpi(std::shared_ptr<Job> job, Comm comm, int rank, std::vector<int> programRanks)
      : Communicator(rank, std::move(programRanks)), job(std::move(job)), comm(comm) {}
  ~Mpi() override {
    if (!job->mpi->broken)
      job->mpi->commFree(&comm);
  }

  void fail(const std::string &message) override {
    (void)job->fail(fmt::format("rank {}: {}", programRank(), message));
  }
  bool awaitFirst(std::chrono::milliseconds longest) override { return job->awaitFirst(longest); }

protected:
  Result<Pending> start(const Tag &, Transfer) override;
  Result<std::unique_ptr<Communicator>> makeGroup(int64_t call, int color, const std::vector<int> &members,
                                                  int rank) override;

private:
  struct Wait;
  static constexpr int kindBits = 4;
  /// Kind and call number in 24 bits; Open MPI allows 31.
  static int wireTag(const Tag &tag) { return int(tag.call & 0xfffff) << kindBits | int(tag.kind); }

  std::shared_ptr<Job> job;
  Comm comm;
};

/// The messages of one transfer.
struct Mpi::Wait : Pending::Operation {
  struct Message {
    int peer;
    bool incoming;
    int64_t bytes;
  };
  Wait(Mpi &comm, const Tag &tag) : comm(comm), tag(tag) {}
  ~Wait() override { abandon(); }

  Status wait() override;
  Status post(bool incoming, int peer, char *data, int64_t bytes);

private:
  Status finish(int code, int place, const MpiStatus &);
  Status lookAround();
  Status outOfStep();
  Status tooLate();
  void abandon();

  Mpi &comm;
  Tag tag;
  std::vector<Request> requests; // of messages still under way
  std::vector<Message> messages;
  Clock::time_point deadline{};
};

Status Mpi::Wait::post(bool incoming, int peer, char *data, int64_t bytes) {
  const CommOptions &options = comm.job->options;
  Library &mpi = *comm.job->mpi;
  if (bytes == 0 && !options.checkOrder)
    return {};
  do {
    int length = static_cast<int>(std::min(bytes, options.largestMessage));
    Request request;
    int code = incoming ? mpi.irecv(data, length, mpi.byte, peer, wireTag(tag), comm.comm, &request)
                        : mpi.isend(data, length, mpi.byte, peer, wireTag(tag), comm.comm, &request);
    if (Status done = mpi.check(code, incoming ? "MPI_Irecv" : "MPI_Isend"); !done)
      return done;
    requests.push_back(request);
    messages.push_back({peer, incoming, length});
    data += length;
    bytes -= length;
  } while (bytes);
  return {};
}

/// A message has ended.
Status Mpi::Wait::finish(int code, int place, const MpiStatus &status) {
  const Message &message = messages[place];
  if (code == errorTruncated || (code == success && message.incoming && int64_t(status.bytes) != message.bytes))
    return Status::error(fmt::format("rank {} sends {} than the {} bytes that rank {} expects in {}",
                                     comm.programRank(message.peer), code == errorTruncated ? "more" : "fewer",
                                     message.bytes, comm.programRank(), comm.describe(tag)));
  if (Status done = comm.job->mpi->check(code, message.incoming ? "receive" : "send"); !done)
    return Status::error(fmt::format("rank {} in {} with rank {}: {}", comm.programRank(), comm.describe(tag),
                                     comm.programRank(message.peer), done.message()));
  return {};
}

Status Mpi::Wait::wait() {
  Library &mpi = *comm.job->mpi;
  std::vector<int> ended(requests.size());
  std::vector<MpiStatus> statuses(requests.size());
  if (Status failed = comm.job->failed(); !failed)
    return failed;
  for (int64_t idle = 0; !requests.empty();) {
    int count = 0;
    int code = mpi.testsome(static_cast<int>(requests.size()), requests.data(), &count, ended.data(), statuses.data());
    if (code != success && code != errorInStatus)
      return comm.job->fail(fmt::format("rank {}: {}", comm.programRank(), mpi.check(code, "MPI_Testsome").message()));
    if (count > 0) {
      idle = 0;
      for (int i = 0; i < count; ++i)
        if (Status done = finish(code == success ? success : statuses[i].error, ended[i], statuses[i]); !done)
          return comm.job->fail(done.message());
      size_t kept = 0;
      for (size_t i = 0; i < requests.size(); ++i)
        if (requests[i] != mpi.requestNull) {
          requests[kept] = requests[i];
          messages[kept++] = messages[i];
        }
      requests.resize(kept);
      messages.resize(kept);
    } else if (++idle % 64 == 0) {
      // Nothing for a while: others may need the core, or be in trouble.
      if (Status well = lookAround(); !well)
        return well;
      std::this_thread::yield();
    }
  }
  return {};
}

Status Mpi::Wait::lookAround() {
  if (Status word = comm.job->listen(); !word)
    return word;
  Clock::time_point now = Clock::now();
  if (deadline == Clock::time_point())
    deadline = now + comm.job->options.timeout;
  if (Status step = outOfStep(); !step)
    return comm.job->fail(step.message());
  return now < deadline ? Status() : comm.job->fail(tooLate().message());
}

/// A rank whose message is still missing here, but that sent one of another kind under the same number.
Status Mpi::Wait::outOfStep() {
  for (const Message &message : messages) {
    int there = 0;
    MpiStatus status{};
    if (message.incoming)
      comm.job->mpi->iprobe(message.peer, anyTag, comm.comm, &there, &status);
    auto kind = static_cast<CollectiveKind>(status.tag & ((1 << kindBits) - 1));
    if (there && status.tag >> kindBits == wireTag(tag) >> kindBits && kind != tag.kind)
      return Status::error(fmt::format(
          "ranks are out of step: rank {} is in {}, rank {} in {}; all ranks must make the "
          "same collectives in the same order",
          comm.programRank(message.peer), comm.describe({kind, tag.call, 0}), comm.programRank(), comm.describe(tag)));
  }
  return {};
}

Status Mpi::Wait::tooLate() {
  std::string missing;
  int last = -1;
  for (const Message &message : messages)
    if (message.incoming && message.peer != std::exchange(last, message.peer))
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", comm.programRank(message.peer));
  return Status::error(fmt::format("rank {} has waited {} s in {} for rank {}; see what that rank does, or allow more "
                                   "time",
                                   comm.programRank(), comm.job->options.timeout.count() / 1000.0, comm.describe(tag),
                                   missing.empty() ? "(unknown: nothing to receive)" : missing));
}

/// After a failure: what has not come need not come. (Sends cannot be taken back; MPI ends with the process.)
void Mpi::Wait::abandon() {
  Library &mpi = *comm.job->mpi;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == mpi.requestNull)
      continue;
    if (messages[i].incoming)
      mpi.cancel(&requests[i]);
    mpi.requestFree(&requests[i]);
  }
}

Result<Pending> Mpi::start(const Tag &tag, Transfer transfer) {
  if (Status word = job->listen(); !word)
    return word;
  auto messages = std::make_unique<Wait>(*this, tag);
  Status posted;
  for (int step = 1; step < size() && posted.ok(); ++step) {
    int from = (rank() + size() - step) % size();
    auto [data, bytes] = transfer.receive[from];
    posted = messages->post(true, from, static_cast<char *>(data), bytes);
  }
  for (int step = 1; step < size() && posted.ok(); ++step) {
    int to = (rank() + step) % size();
    auto [data, bytes] = transfer.send[to];
    posted = messages->post(false, to, static_cast<char *>(const_cast<void *>(data)), bytes);
  }
  auto [out, sent] = transfer.send[rank()];
  auto [in, expected] = transfer.receive[rank()];
  if (posted.ok() && sent != expected)
    posted =
        Status::error(fmt::format("sends {} bytes to itself, but expects {}, in {}", sent, expected, describe(tag)));
  if (!posted)
    return job->fail(fmt::format("rank {}: {}", programRank(), posted.message()));
  if (sent && in != out)
    std::memmove(in, out, sent);
  return Pending(std::move(messages));
}

Result<std::unique_ptr<Communicator>> Mpi::makeGroup(int64_t, int color, const std::vector<int> &members, int rank) {
  Comm group = nullptr;
  int code = job->mpi->commSplit(comm, members.size() == 1 ? undefinedColor : color, rank, &group);
  if (Status done = job->mpi->check(code, "MPI_Comm_split"); !done)
    return job->fail(fmt::format("rank {}: {}", programRank(), done.message()));
  if (members.size() == 1)
    return makeLoopback(programRank());
  std::vector<int> ranks;
  for (int member : members)
    ranks.push_back(programRank(member));
  return std::unique_ptr<Communicator>(std::make_unique<Mpi>(job, group, rank, std::move(ranks)));
}

} // namespace

Result<std::unique_ptr<Communicator>> sparsec::makeMpi(const CommOptions &options) {
  Result<std::shared_ptr<Library>> opened = Library::open();
  if (!opened)
    return opened.status();
  auto job = std::make_shared<Job>();
  Library &mpi = **opened;
  job->mpi = *opened;
  job->options = options;
  Comm comm = nullptr;
  for (Comm *copy : {&comm, &job->news}) {
    if (Status done = mpi.check(mpi.commDup(mpi.world, copy), "MPI_Comm_dup"); !done)
      return done;
    mpi.commSetErrhandler(*copy, mpi.errorsReturn);
  }
  mpi.commRank(comm, &job->rank);
  mpi.commSize(comm, &job->ranks);
  std::vector<int> numbers(job->ranks);
  std::iota(numbers.begin(), numbers.end(), 0);
  return std::unique_ptr<Communicator>(std::make_unique<Mpi>(job, comm, job->rank, std::move(numbers)));
}

bool sparsec::startedByMpi() {
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(variable))
      return true;
  return false;
}
