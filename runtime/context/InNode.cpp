// The step inside a node of an exchange in two: partial sums of its ranks meet, their gradients go to all of them.
#include "Handle.h"
#include "HostEngine.h"
#include "Owners.h"
#include "SourceSums.h"
#include "sparsec/ThreadPool.h"
#include <cstring>

namespace sparsec {

namespace {

Status count(Context &context, int32_t axes, const int64_t *toAsker, const int64_t *fromOwner, int64_t *insideSend,
             int64_t *insideReceive, int64_t *acrossSend, int64_t *acrossReceive) {
  const Mesh &mesh = context.program().mesh;
  if (Status status = Owners::checkGroup(context, axes); !status)
    return status;
  int64_t myShard = context.communicator(axes).rank() % mesh.shards, sums = 0;
  for (int64_t n = 0; n < mesh.nodes; ++n) {
    sums += acrossSend[n] = toAsker[n * mesh.shards + myShard];
    acrossReceive[n] = fromOwner[n * mesh.shards]; // each rank of a node serves me as much
  }
  for (int64_t s = 0; s < mesh.shards; ++s) {
    insideReceive[s] = sums; // what I gather is as long at each rank of my node
    insideSend[s] = 0;
    for (int64_t n = 0; n < mesh.nodes; ++n)
      insideSend[s] += toAsker[n * mesh.shards + s];
  }
  return {};
}

} // namespace

Status HostEngine::sumInNode(const Owners &owners, const SparsecJagged &received, const float *rows, float *out) {
  return addSources(context, nodeSums(context, owners, received, rows, out).sums);
}

Status HostEngine::copyInNode(const float *gradient, int64_t floats, float *rows) {
  int64_t shards = context.program().mesh.shards;
  context.pool().parallel(floats, 1 + 8192 / shards, [&](int64_t begin, int64_t end) {
    for (int64_t owner = 0; owner < shards; ++owner)
      std::memcpy(rows + owner * floats + begin, gradient + begin, size_t(end - begin) * sizeof(float));
  });
  return {};
}

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_node_counts(SparsecContext *handle, int32_t axes, const int64_t *toAsker, const int64_t *fromOwner,
                            int64_t *insideSend, int64_t *insideReceive, int64_t *acrossSend, int64_t *acrossReceive) {
  return guarded(handle, [&](Context &context) {
    return count(context, axes, toAsker, fromOwner, insideSend, insideReceive, acrossSend, acrossReceive);
  });
}

int32_t sparsec_sum_in_node(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                            const SparsecJagged *received, const float *rows, float *out) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count, /*inNode=*/true);
    return owners ? context.engine().sumInNode(*owners, *received, rows, out) : owners.status();
  });
}

int32_t sparsec_copy_in_node(SparsecContext *handle, const float *gradient, int64_t floats, float *rows) {
  return guarded(handle, [&](Context &context) { return context.engine().copyInNode(gradient, floats, rows); });
}

} // extern "C"
