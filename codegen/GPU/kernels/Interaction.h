// What the dot interaction and its gradient share: the triangle of pairs, and matrices whose addresses are arguments.
#pragma once
#include "codegen/GPU/kernels/KernelBuilder.h"

namespace sparsec::codegen::device {

struct Triangle {
  int64_t inputs;
  bool self;

  int64_t pairs() const { return inputs * (inputs - 1) / 2 + (self ? inputs : 0); }
  /// Place of pair (i, 0).
  mlir::Value rowStart(KernelBuilder &b, mlir::Value i) const {
    mlir::Value twice = b.mul(i, self ? b.add(i, b.i64(1)) : b.sub(i, b.i64(1)));
    return mlir::arith::ShRUIOp::create(b, twice, b.i64(1));
  }
};

/// Arguments cannot be indexed: puts `count` of them, addresses from argument `first` on, into shared memory. A barrier
/// is due before they are read.
inline mlir::Value shareAddresses(KernelBuilder &b, unsigned first, int64_t count) {
  mlir::Value list = b.shared(count * 8);
  b.ifThen(b.equal(b.thread(), b.i64(0)), [&] {
    for (int64_t i = 0; i < count; ++i)
      b.store(b.argument(first + unsigned(i)), list, b.i64(i));
  });
  return list;
}

/// Row `sample` of matrix `input` of the list.
inline mlir::Value rowOf(KernelBuilder &b, mlir::Value list, mlir::Value input, mlir::Value sample, int64_t dim) {
  return b.floatAt(b.load(b.pointer(), list, input), b.mul(sample, b.i64(dim)));
}

} // namespace sparsec::codegen::device
