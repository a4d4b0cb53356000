// NCCL by its binary interface (2.18 and later).
#pragma once
#include "Runtime.h"

namespace sparsec::cuda {

namespace nccl {
using Comm = struct OpaqueComm *;
struct UniqueId {
  char bytes[128];
};
enum : int { success = 0, inProgress = 7, float32 = 7, int8 = 0, sum = 0, noColor = -1 };
} // namespace nccl

/// The functions in use.
class Nccl {
public:
  static Result<Nccl> open();
  Status check(int code, const char *doing) const;

  int (*getVersion)(int *) = nullptr;
  int (*getUniqueId)(nccl::UniqueId *) = nullptr;
  int (*commInitRank)(nccl::Comm *, int ranks, nccl::UniqueId, int rank) = nullptr;
  int (*commSplit)(nccl::Comm, int color, int key, nccl::Comm *, void *config) = nullptr;
  int (*commDestroy)(nccl::Comm) = nullptr;
  int (*commAbort)(nccl::Comm) = nullptr;
  int (*commGetAsyncError)(nccl::Comm, int *) = nullptr;
  int (*groupStart)() = nullptr;
  int (*groupEnd)() = nullptr;
  int (*send)(const void *, size_t count, int type, int peer, nccl::Comm, Stream) = nullptr;
  int (*recv)(void *, size_t count, int type, int peer, nccl::Comm, Stream) = nullptr;
  int (*allReduce)(const void *, void *, size_t count, int type, int operation, nccl::Comm, Stream) = nullptr;
  int (*allGather)(const void *, void *, size_t sendCount, int type, nccl::Comm, Stream) = nullptr;
  int (*reduceScatter)(const void *, void *, size_t receiveCount, int type, int operation, nccl::Comm,
                       Stream) = nullptr;

private:
  const char *(*getErrorString)(int) = nullptr;
  Status load();
  Library library;
};

} // namespace sparsec::cuda
