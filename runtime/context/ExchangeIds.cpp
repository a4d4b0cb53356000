// The all-to-all of bags. First each rank tells each owner how many bags and ids come; then lengths, ids and weights
// travel side by side, the ids straight from the routed form into the received one.
#include "Handle.h"
#include "Owners.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec {

namespace {

class IdExchange {
public:
  IdExchange(Context &context, int32_t axes, const Owners &owners, const SparsecJagged &routed)
      : context(context), ranks(context.communicator(axes)), owners(owners), routed(routed), size(ranks.size()) {}

  Status run(const SparsecJagged **result) {
    if (Status status = exchangeHeaders(); !status)
      return status;
    SparsecJagged *received = context.scratch<SparsecJagged>(1);
    layBags(*received);
    if (Status status = exchangeBags(*received); !status)
      return status;
    *result = received;
    return {};
  }

private:
  /// To each owner: {ids, 1 if weighted, bags of each of its items}.
  Status exchangeHeaders() {
    int64_t mine = owners.mine(), sendSize = 2 * size + owners.pairs(), receiveSize = (2 + mine) * size;
    int64_t *send = context.scratch<int64_t>(sendSize);
    header = context.scratch<int64_t>(receiveSize);
    int64_t *sendBytes = context.scratch<int64_t>(size), *receiveBytes = context.scratch<int64_t>(size);
    int64_t *to = send;
    for (int64_t r = 0; r < size; ++r) {
      *to++ = idsTo(r);
      *to++ = routed.weights != nullptr;
      for (int64_t p = owners.firstPair(r); p < owners.firstPair(r + 1); ++p)
        *to++ = routed.bag_start[p + 1] - routed.bag_start[p];
      sendBytes[r] = 8 * (2 + owners.firstPair(r + 1) - owners.firstPair(r));
      receiveBytes[r] = 8 * (2 + mine);
    }
    return ranks.allToAllV(send, sendBytes, header, receiveBytes);
  }

  const int64_t *headerFrom(int64_t r) const { return header + r * (2 + owners.mine()); }
  int64_t bagsTo(int64_t r) const {
    return routed.bag_start[owners.firstPair(r + 1)] - routed.bag_start[owners.firstPair(r)];
  }
  int64_t idsTo(int64_t r) const {
    return routed.offsets[routed.bag_start[owners.firstPair(r + 1)]] -
           routed.offsets[routed.bag_start[owners.firstPair(r)]];
  }

  void layBags(SparsecJagged &received) {
    int64_t mine = owners.mine(), ids = 0, bag = 0;
    int64_t *bagStart = context.scratch<int64_t>(size * mine + 1);
    bagStart[0] = 0;
    bool weighted = false; // the same on all ranks: each hears of every rank
    for (int64_t r = 0; r < size; ++r) {
      ids += headerFrom(r)[0];
      weighted |= headerFrom(r)[1] != 0;
      for (int64_t i = 0; i < mine; ++i, ++bag)
        bagStart[bag + 1] = bagStart[bag] + headerFrom(r)[2 + i];
    }
    int64_t bags = bagStart[size * mine];
    offsets = context.scratch<int64_t>(bags + 1);
    values = context.scratch<int64_t>(ids);
    weights = weighted ? context.scratch<float>(ids) : nullptr;
    received = {size, mine, bags, bagStart, offsets, values, weights, nullptr};
  }

  /// Starts one all-to-all; elements of `bytes` each.
  template <typename SendCount, typename ReceiveCount>
  Result<Pending> start(const void *send, void *receive, int64_t bytes, SendCount sendCount,
                        ReceiveCount receiveCount) {
    int64_t *sendBytes = context.scratch<int64_t>(size), *receiveBytes = context.scratch<int64_t>(size);
    for (int64_t r = 0; r < size; ++r) {
      sendBytes[r] = bytes * sendCount(r);
      receiveBytes[r] = bytes * receiveCount(r);
    }
    return ranks.allToAllVStart(send, sendBytes, receive, receiveBytes);
  }

  Status exchangeBags(const SparsecJagged &received) {
    uint32_t *sendLengths = context.scratch<uint32_t>(routed.bags);
    uint32_t *lengths = context.scratch<uint32_t>(received.bags);
    for (int64_t b = 0; b < routed.bags; ++b) {
      int64_t length = routed.offsets[b + 1] - routed.offsets[b];
      if (length > int64_t(UINT32_MAX))
        return Status::error(fmt::format("a bag of {} ids: expected fewer than 2^32", length));
      sendLengths[b] = uint32_t(length);
    }
    const float *sendWeights = routed.weights;
    if (weights && !sendWeights)
      sendWeights = ones(routed.offsets[routed.bags]);
    int64_t mine = owners.mine();
    auto bagsToRank = [&](int64_t r) { return bagsTo(r); };
    auto bagsFrom = [&](int64_t r) { return received.bag_start[(r + 1) * mine] - received.bag_start[r * mine]; };
    auto idsToRank = [&](int64_t r) { return idsTo(r); };
    auto idsFrom = [&](int64_t r) { return headerFrom(r)[0]; };
    Result<Pending> first = start(sendLengths, lengths, 4, bagsToRank, bagsFrom);
    if (!first)
      return first.status();
    Result<Pending> second = start(routed.values, values, 8, idsToRank, idsFrom);
    if (!second)
      return second.status();
    if (weights) {
      Result<Pending> third = start(sendWeights, weights, 4, idsToRank, idsFrom);
      if (!third)
        return third.status();
      if (Status status = third->wait(); !status)
        return status;
    }
    if (Status status = first->wait(); !status)
      return status;
    offsets[0] = 0;
    for (int64_t b = 0; b < received.bags; ++b)
      offsets[b + 1] = offsets[b] + lengths[b];
    return second->wait();
  }

  const float *ones(int64_t n) {
    float *all = context.scratch<float>(n);
    std::fill_n(all, n, 1.0f);
    return all;
  }

  Context &context;
  Communicator &ranks;
  const Owners &owners;
  const SparsecJagged &routed;
  int64_t size;
  int64_t *header = nullptr, *offsets = nullptr, *values = nullptr;
  float *weights = nullptr;
};

Status countRows(const Owners &owners, const SparsecJagged &routed, const SparsecJagged &received, int64_t *toAsker,
                 int64_t *fromOwner) {
  int64_t mine = owners.mine();
  for (int64_t r = 0; r < owners.ranks(); ++r) {
    toAsker[r] = fromOwner[r] = 0;
    for (int64_t i = 0; i < mine; ++i) {
      const int64_t *start = received.bag_start + r * mine + i;
      toAsker[r] += (start[1] - start[0]) * owners.myItem(i).dim;
    }
    for (int64_t p = owners.firstPair(r); p < owners.firstPair(r + 1); ++p)
      fromOwner[r] += (routed.bag_start[p + 1] - routed.bag_start[p]) * owners.item(p).dim;
  }
  return {};
}

} // namespace

} // namespace sparsec

using namespace sparsec;

extern "C" {

int32_t sparsec_exchange_ids(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                             const SparsecJagged *routed, const SparsecJagged **result) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count);
    return owners ? IdExchange(context, axes, *owners, *routed).run(result) : owners.status();
  });
}

int32_t sparsec_exchange_counts(SparsecContext *handle, int32_t axes, const SparsecItem *items, int64_t count,
                                const SparsecJagged *routed, const SparsecJagged *received, int64_t *toAsker,
                                int64_t *fromOwner) {
  return guarded(handle, [&](Context &context) -> Status {
    Result<Owners> owners = Owners::create(context, axes, items, count);
    return owners ? countRows(*owners, *routed, *received, toAsker, fromOwner) : owners.status();
  });
}

} // extern "C"
