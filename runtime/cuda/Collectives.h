// NCCL's communicators of one rank, made when ranks first meet on a GPU.
#pragma once
#include "Nccl.h"
#include "sparsec/Communicator.h"
#include <map>

namespace sparsec::cuda {

/// Enqueues collectives of device memory. What a host communicator says of ranks holds; it also carries NCCL's id to
/// them.
class Collectives {
public:
  static Result<std::unique_ptr<Collectives>> open();
  ~Collectives();

  /// bytes for each rank, as Communicator's.
  Status allToAllV(Stream, Communicator &, const void *send, const int64_t *sendBytes, void *receive,
                   const int64_t *receiveBytes);
  Status allGatherV(Stream, Communicator &, const void *send, void *receive, const int64_t *bytes);
  Status allReduceSum(Stream, Communicator &, float *data, int64_t n);

  /// What has gone wrong on the network since; names the collective that was asked for last.
  Status check() const;
  /// Ends what is under way, so that no stream waits for a rank that is gone.
  void abort();
  /// The collective that was asked for last, for messages.
  const std::string &last() const { return lastAsked; }

private:
  explicit Collectives(Nccl &&library) : nccl(std::move(library)) {}
  Result<nccl::Comm> groupOf(Communicator &);
  void note(const char *what, const Communicator &ranks);
  Nccl nccl;
  std::map<Communicator *, nccl::Comm> groups;
  std::string lastAsked = "no collective";
};

} // namespace sparsec::cuda
