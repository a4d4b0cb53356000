// Agreement and collectives of floats.
#include "Handle.h"
#include "HostEngine.h"
#include <fmt/format.h>
#include <string>

namespace sparsec {

namespace {

/// The bytes of float counts for each rank.
const int64_t *bytesOf(Context &context, const int64_t *floats, int ranks) {
  int64_t *bytes = context.scratch<int64_t>(ranks);
  for (int r = 0; r < ranks; ++r)
    bytes[r] = floats[r] * int64_t(sizeof(float));
  return bytes;
}

/// All ranks end with the message of the first that failed.
Status stopTogether(Context &context, Communicator &ranks, const Agreement &agreed) {
  constexpr size_t room = 2048;
  char text[room] = {};
  int root = 0;
  while (root + 1 < ranks.size() && ranks.programRank(root) != agreed.rank)
    ++root;
  if (ranks.rank() == root) {
    std::string message =
        context.status().ok() ? fmt::format("stopped with status {}", agreed.status) : context.status().message();
    message.copy(text, room - 1);
  }
  if (Status status = ranks.broadcast(text, room, root); !status)
    return status;
  std::string message = ranks.size() > 1 ? fmt::format("rank {}: {}", agreed.rank, text) : text;
  if (ranks.size() < context.program().mesh.ranks()) // others do not know yet
    return Status::error(std::move(message));
  context.failTogether(Status::error(std::move(message)));
  return context.status();
}

Status agree(Context &context, int32_t axes, int64_t status, int64_t size, int64_t *result) {
  Communicator &ranks = context.communicator(axes);
  Result<Agreement> agreed = ranks.agree(status, size);
  if (!agreed)
    return agreed.status();
  *result = agreed->total;
  return agreed->status == 0 ? Status() : stopTogether(context, ranks, *agreed);
}

Status started(Context &context, Result<Pending> pending, int64_t *token) {
  if (!pending)
    return pending.status();
  *token = context.addTransfer(std::move(*pending));
  return {};
}

} // namespace

Status HostEngine::allReduce(int32_t axes, float *data, int64_t n) {
  return context.communicator(axes).allReduceSum(data, n);
}

Result<Pending> HostEngine::allReduceStart(int32_t axes, float *data, int64_t n) {
  return context.communicator(axes).allReduceSumStart(data, n);
}

Result<Pending> HostEngine::exchangeStart(int32_t axes, const float *send, const int64_t *sendCounts, float *receive,
                                          const int64_t *receiveCounts) {
  Communicator &ranks = context.communicator(axes);
  return ranks.allToAllVStart(send, bytesOf(context, sendCounts, ranks.size()), receive,
                              bytesOf(context, receiveCounts, ranks.size()));
}

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_agree(SparsecContext *handle, int32_t axes, int64_t status, int64_t size, int64_t *result) {
  return guarded(handle, [&](Context &context) { return agree(context, axes, status, size, result); });
}

int32_t sparsec_all_reduce(SparsecContext *handle, int32_t axes, float *data, int64_t n) {
  return guarded(handle, [&](Context &context) { return context.engine().allReduce(axes, data, n); });
}

int32_t sparsec_exchange_start(SparsecContext *handle, int32_t axes, const float *send, const int64_t *sendCounts,
                               float *receive, const int64_t *receiveCounts, int64_t *token) {
  return guarded(handle, [&](Context &context) {
    return started(context, context.engine().exchangeStart(axes, send, sendCounts, receive, receiveCounts), token);
  });
}

int32_t sparsec_all_reduce_start(SparsecContext *handle, int32_t axes, float *data, int64_t n, int64_t *token) {
  return guarded(handle, [&](Context &context) {
    return started(context, context.engine().allReduceStart(axes, data, n), token);
  });
}

int32_t sparsec_wait(SparsecContext *handle, int64_t token) {
  return guarded(handle, [&](Context &context) { return context.waitFor(token); });
}

} // extern "C"
