#include "device/WorkList.h"

namespace sparsec {

void WorkList::add(Kind kind, DeviceStream stream, std::initializer_list<int64_t> given, Words more, Words last) {
  words.insert(words.end(), {int64_t(3 + given.size() + more.size() + last.size()), kind, int64_t(stream)});
  for (Words part : {Words(given.begin(), given.size()), more, last})
    words.insert(words.end(), part.begin(), part.end());
}

bool WorkList::computes(Words one) {
  switch (one[1]) {
  case launch:
  case gemm:
  case copyToHost:
  case sortPairs:
  case runs:
    return one[2] == int64_t(DeviceStream::compute);
  default:
    return false;
  }
}

template <typename T> static T *at(int64_t word) { return reinterpret_cast<T *>(uintptr_t(word)); }

Status WorkList::ask(Device &device, Words one) {
  auto stream = DeviceStream(one[2]);
  const int64_t *w = one.data() + 3;
  switch (one[1]) {
  case launch:
    return device.launch(stream, *at<const SparsecKernel>(w[0]), w[1], w + 2);
  case gemm:
    return device.gemm(stream, int32_t(w[0]), w[1], w[2], w[3], at<const float>(w[4]), at<const float>(w[5]),
                       at<float>(w[6]), at<float>(w[7]));
  case copyToDevice:
    return device.copyToDevice(stream, at<void>(w[0]), at<const void>(w[1]), w[2]);
  case copyToHost:
    return device.copyToHost(stream, at<void>(w[0]), at<const void>(w[1]), w[2]);
  case sortPairs:
    return device
        .sortPairs(stream, at<uint64_t>(w[0]), at<uint32_t>(w[1]), w[2], int(w[3]), at<uint64_t>(w[4]),
                   at<uint32_t>(w[5]), at<void>(w[6]))
        .status();
  case runs:
    return device.runs(stream, at<const uint64_t>(w[0]), w[1], at<uint32_t>(w[2]), at<void>(w[3]));
  case record:
    return device.record(stream, *at<DeviceEvent>(w[0]));
  case wait:
    return device.wait(stream, *at<DeviceEvent>(w[0]));
  case allToAllV: {
    Communicator &ranks = *at<Communicator>(w[0]);
    return device.allToAllV(stream, ranks, at<const void>(w[1]), w + 3, at<void>(w[2]), w + 3 + ranks.size());
  }
  case allGatherV:
    return device.allGatherV(stream, *at<Communicator>(w[0]), at<const void>(w[1]), at<void>(w[2]), w + 3);
  default:
    return device.allReduceSum(stream, *at<Communicator>(w[0]), at<float>(w[1]), w[2]);
  }
}

} // namespace sparsec
