// Collectives between the ranks of one program. One interface; a backend moves bytes (runtime/comm/backends/), and
// everything else is built on that here, so that every backend gives the same bits.
//
// Ranks make the same collectives in the same order. Each carries a tag (kind, call number); ranks that disagree get an
// error naming both, not corrupt data. After an error a communicator and all its relatives stay failed: every later
// call returns the first message. One thread at a time uses a communicator; relatives are independent (see
// duplicate()).
#pragma once
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sparsec {

struct CommOptions {
  /// How long a rank waits for the others in one collective.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// MPI: also send empty messages, so that every rank hears of every rank in each collective. Ranks out of step are
  /// then always named. In-process ranks are always checked.
  bool checkOrder = false;
  /// MPI: longer messages are cut into several (its counts are int).
  int64_t largestMessage = int64_t(1) << 30;
};

/// A collective under way. Its buffers belong to it until wait() returns. Destroying it waits.
class Pending {
public:
  struct Operation {
    virtual ~Operation() = default;
    virtual Status wait() = 0;
  };

  Pending() = default;
  explicit Pending(std::unique_ptr<Operation> operation) : operation(std::move(operation)) {}
  Pending(Pending &&) = default;
  Pending &operator=(Pending &&other) {
    (void)wait();
    operation = std::move(other.operation);
    return *this;
  }
  ~Pending() { (void)wait(); }

  /// Finishes the collective. A second call does nothing.
  Status wait() {
    std::unique_ptr<Operation> finished = std::move(operation);
    return finished ? finished->wait() : Status();
  }

private:
  std::unique_ptr<Operation> operation;
};

/// What ranks agreed on: see Communicator::agree.
struct Agreement {
  int64_t status = 0; // 0, or the status of `rank`
  int rank = -1;      // the lowest rank (of the whole program) whose status is not 0
  int64_t total = 0;  // sum of sizes
  int64_t before = 0; // sum of sizes of lower ranks
};

enum class CollectiveKind {
  Barrier,
  AllToAll,
  AllGather,
  Broadcast,
  AllReduce,
  AllReduceGather,
  ReduceScatter,
  Agree,
  Split
};
const char *name(CollectiveKind);

class Communicator {
public:
  virtual ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  int rank() const { return myRank; }
  int size() const { return static_cast<int>(programRanks.size()); }
  /// The number that rank `i` of this communicator has in the whole program.
  int programRank(int i) const { return programRanks[i]; }
  int programRank() const { return programRanks[myRank]; }

  /// Bytes for each rank lie one after another in `send`, those from each rank in `receive`; counts are in bytes, one
  /// for each rank. sendBytes[j] on rank i must equal receiveBytes[i] on rank j. Count arrays may go after start.
  Status allToAllV(const void *send, const int64_t *sendBytes, void *receive, const int64_t *receiveBytes);
  Result<Pending> allToAllVStart(const void *send, const int64_t *sendBytes, void *receive,
                                 const int64_t *receiveBytes);
  /// `bytes` to and from each rank.
  Status allToAll(const void *send, void *receive, int64_t bytes);

  /// `bytes` [ranks], the same on all ranks; `send` may be this rank's place in `receive`.
  Status allGatherV(const void *send, void *receive, const int64_t *bytes);
  Result<Pending> allGatherVStart(const void *send, void *receive, const int64_t *bytes);
  Status allGather(const void *send, void *receive, int64_t bytes);

  Status broadcast(void *data, int64_t bytes, int root);
  Status barrier();

  /// Sums over ranks, element by element, added in the order of ranks: the same bits on every rank and backend.
  /// T: float, double, int64_t. In place.
  template <typename T> Status allReduceSum(T *data, int64_t n);
  /// Ranks must wait for started reductions in the same order.
  template <typename T> Result<Pending> allReduceSumStart(T *data, int64_t n);
  /// `send` holds counts[r] elements for each rank r in turn; rank r receives the sum of its piece.
  template <typename T> Status reduceScatterSum(const T *send, const int64_t *counts, T *receive);

  /// One message that settles whether to go on: all ranks get the same agreement (`before` apart).
  Result<Agreement> agree(int64_t status, int64_t size);

  /// Ranks of one colour become a communicator, ordered by (key, rank). A group of one is a loopback.
  Result<std::unique_ptr<Communicator>> split(int color, int key);
  /// The same ranks again, independent of this one: for another thread.
  Result<std::unique_ptr<Communicator>> duplicate() { return split(0, rank()); }

  /// Fails this communicator and its relatives on all ranks: whoever waits gets `message` with this rank's number.
  virtual void fail(const std::string &message) = 0;

  /// Before processes end badly: rank 0 calls this when it has told the user why, and the others wait for that, for
  /// `longest`, and where they only heard of the failure for two seconds more. A launcher ends all processes of a job
  /// with the first that fails. False: rank 0 has not told by then, so this rank should.
  virtual bool awaitFirst(std::chrono::milliseconds longest = std::chrono::seconds(5)) { return true; }

protected:
  struct Tag {
    CollectiveKind kind;
    int64_t call;   // number of the collective on this communicator
    int64_t detail; // must be equal on all ranks
  };
  /// What to send to, and receive from, each rank. Pieces may be empty; a rank's piece for itself is copied.
  struct Transfer {
    struct Out {
      const void *data;
      int64_t bytes;
    };
    struct In {
      void *data;
      int64_t bytes;
    };
    std::vector<Out> send;
    std::vector<In> receive;
  };

  Communicator(int rank, std::vector<int> programRanks) : myRank(rank), programRanks(std::move(programRanks)) {}

  /// The one thing a backend must do. It may not wait for another rank.
  virtual Result<Pending> start(const Tag &, Transfer) = 0;
  /// A communicator of `members` (ranks here, in order), of which this rank is members[rank]; a loopback if it is
  /// alone. All ranks call it, with the same `call`.
  virtual Result<std::unique_ptr<Communicator>> makeGroup(int64_t call, int color, const std::vector<int> &members,
                                                          int rank) = 0;

  std::string describe(const Tag &) const;

private:
  template <typename T> class Reduction;
  Tag nextTag(CollectiveKind kind, int64_t detail = 0) { return {kind, calls++, detail}; }
  Transfer gather(const void *send, void *receive, const int64_t *bytes) const;
  Status startAndWait(const Tag &, Transfer);

  int myRank;
  std::vector<int> programRanks;
  int64_t calls = 0;
};

/// One rank, no messages.
std::unique_ptr<Communicator> makeLoopback(int programRank = 0);

/// `ranks` communicators for as many threads of this process. Destroying one means that its rank has left: others that
/// need it fail.
std::vector<std::unique_ptr<Communicator>> makeInProcess(int ranks, const CommOptions & = {});
/// Runs body as each rank, in a thread of its own. A failing rank, or one whose thread cannot be started, fails the
/// others; returns the first failure. Body must not throw.
Status runInProcess(int ranks, const std::function<Status(Communicator &)> &body, const CommOptions & = {});

/// All ranks of the MPI job. Opens libmpi (Open MPI 4 or 5) at run time. Initialises MPI unless the process did, and
/// then also finalises it, with the last relative. After a failure it does not: the process should end, not zero.
Result<std::unique_ptr<Communicator>> makeMpi(const CommOptions & = {});
/// True if a launcher (mpirun, srun) started this process as one rank of several.
bool startedByMpi();

/// The communicators of a mesh: one for each mask of axes (abi.h). All are made at once, in a fixed order.
class AxisCommunicators {
public:
  AxisCommunicators() = default;
  /// `world` must have mesh.ranks() ranks and outlive the result.
  static Result<AxisCommunicators> create(Communicator &world, const Mesh &mesh);

  /// The ranks that differ from this one only in `axes`, in the order of their numbers.
  Communicator &get(int32_t axes) const { return *byMask[axes & 7]; }
  Communicator &world() const { return get(7); }

private:
  Communicator *byMask[8] = {};
  std::vector<std::unique_ptr<Communicator>> owned;
};

} // namespace sparsec
