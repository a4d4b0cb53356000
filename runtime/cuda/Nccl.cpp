#include "Nccl.h"
#include <fmt/format.h>

namespace sparsec::cuda {

Result<Nccl> Nccl::open() {
  Result<Library> library = Library::open({"libnccl.so.2"}, "collectives of GPUs (NCCL)");
  if (!library)
    return library.status();
  Nccl made;
  made.library = std::move(*library);
  if (Status status = made.load(); !status)
    return status;
  constexpr int needed = 21800; // ncclCommSplit
  int version = 0;
  if (made.getVersion(&version) != nccl::success || version < needed)
    return Status::error(fmt::format("NCCL {}.{}.{} is too old: expected 2.18 or later", version / 10000,
                                     version / 100 % 100, version % 100));
  return made;
}

Status Nccl::load() {
  Status status;
  auto get = [&](const char *name, auto *&function) {
    if (status.ok())
      status = library.get(name, function);
  };
  get("ncclGetVersion", getVersion);
  get("ncclGetErrorString", getErrorString);
  get("ncclGetUniqueId", getUniqueId);
  get("ncclCommInitRank", commInitRank);
  get("ncclCommSplit", commSplit);
  get("ncclCommDestroy", commDestroy);
  get("ncclCommAbort", commAbort);
  get("ncclCommGetAsyncError", commGetAsyncError);
  get("ncclGroupStart", groupStart);
  get("ncclGroupEnd", groupEnd);
  get("ncclSend", send);
  get("ncclRecv", recv);
  get("ncclAllReduce", allReduce);
  get("ncclAllGather", allGather);
  get("ncclReduceScatter", reduceScatter);
  return status;
}

Status Nccl::check(int code, const char *doing) const {
  return code == nccl::success
             ? Status()
             : Status::error(fmt::format("{}: {} (NCCL error {})", doing, getErrorString(code), code));
}

} // namespace sparsec::cuda
