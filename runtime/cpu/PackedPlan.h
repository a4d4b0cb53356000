// How one shape is computed with packed weights: the cut and the primitives,
// made once.
#pragma once
#include "cpu/OneDnn.h"
#include "cpu/PackedCut.h"
#include <memory>
#include <vector>

namespace sparsec::gemm {

/// What a step of k runs. May throw dnnl::error, as PackedPlan.
struct PackedStep {
  PackedStep(const dnnl::engine &engine, const Shape &shape, const PackedCut &cut, int64_t depth);

  // Sums [m.each, n.each], dense, of a [m.each, depth], dense, and a packed b.
  std::unique_ptr<const Primitive> product,
      accumulate;                         // written, or added to what is there (null: one step)
  std::unique_ptr<const Primitive> packA; // null: a lies as `product` wants it
  // The columns of one block are packed in parts of the depth, so that several
  // threads have something to do.
  Parts partsOfB;
  std::unique_ptr<const Primitive> packB,
      packLastB; // of equal parts, and of the last one
  int64_t partFloats,
      blockFloats; // packed: from part to part, from block to block
};

class PackedPlan {
public:
  PackedPlan(const dnnl::engine &engine, const Shape &shape);

  const PackedCut cut;
  const PackedStep &step(int64_t i) const { return i + 1 < cut.k.count() ? equal : last(); }

  /// Packed b, then packed a, of one step.
  int64_t floatsOfB() const { return equal.blockFloats * cut.n.count(); }
  int64_t floats() const { return floatsOfB() + (equal.packA ? cut.m.each * cut.k.each * cut.m.count() : 0); }
  int64_t tileFloats() const { return cut.m.each * cut.n.each; }

private:
  const PackedStep &last() const { return shorter ? *shorter : equal; }
  PackedStep equal;
  std::unique_ptr<const PackedStep> shorter; // null: the last step is as deep as the others
};

} // namespace sparsec::gemm
