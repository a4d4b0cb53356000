#include "cpu/PackedPlan.h"

using namespace sparsec;
using namespace sparsec::gemm;

namespace {
using Layout = dnnl::memory::desc;
constexpr auto f32 = dnnl::memory::data_type::f32;

Layout strided(int64_t rows, int64_t columns, bool transposed, int64_t ld) {
  return {{rows, columns}, f32, transposed ? dnnl::memory::dims{1, ld} : dnnl::memory::dims{ld, 1}};
}
Layout dense(int64_t rows, int64_t columns) { return strided(rows, columns, false, columns); }

std::unique_ptr<const Primitive> reorder(const dnnl::engine &engine, const Layout &from, const Layout &to) {
  dnnl::reorder::primitive_desc desc(engine, from, engine, to, Primitive::attributes());
  return std::make_unique<Primitive>(engine, dnnl::reorder(desc),
                                     std::vector<Primitive::Argument>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
                                     desc.scratchpad_desc());
}

/// Rows [begin, begin + length) of a packed b, and where they begin: `first`
/// floats after it.
struct PartOfB {
  Layout layout;
  int64_t first;
  bool exists() const { return layout.data.ndims != 0; }

  PartOfB(const Layout &packed, int64_t begin, int64_t length)
      : layout(packed.submemory_desc({length, packed.dims()[1]}, {begin, 0},
                                     /*allow_empty=*/true)),
        first(layout.data.offset0) {
    layout.data.offset0 = 0;
  }
};
} // namespace

PackedStep::PackedStep(const dnnl::engine &engine, const Shape &shape, const PackedCut &cut, int64_t depth) {
  int64_t m = cut.m.each, n = cut.n.each;
  Layout any({depth, n}, f32, dnnl::memory::format_tag::any), a = dense(m, depth), sums = dense(m, n);
  dnnl::matmul::primitive_desc desc({a, any, sums}, Primitive::attributes(), engine);
  Layout packed = desc.weights_desc();
  std::vector<Primitive::Argument> arguments{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, sums}};
  product = std::make_unique<Primitive>(engine, dnnl::matmul(desc), arguments, desc.scratchpad_desc());
  if (depth < shape.k) {
    dnnl::primitive_attr adds = Primitive::attributes();
    dnnl::post_ops sum;
    sum.append_sum();
    adds.set_post_ops(sum);
    dnnl::matmul::primitive_desc adding({a, packed, sums}, adds, engine);
    accumulate = std::make_unique<Primitive>(engine, dnnl::matmul(adding), arguments, adding.scratchpad_desc());
  }
  if (cut.packsA(shape))
    packA = reorder(engine, strided(m, depth, shape.transposeA, shape.lda()), a);

  blockFloats = (packed.get_size() / sizeof(float) + 15) / 16 * 16;
  partsOfB = {depth, 128};
  int64_t lastBegin = (partsOfB.count() - 1) * partsOfB.each;
  if (!PartOfB(packed, 0, std::min(depth, partsOfB.each)).exists() ||
      !PartOfB(packed, lastBegin, depth - lastBegin).exists())
    partsOfB = {depth, depth}; // a layout that cannot be split there
  Range first = partsOfB[0], last = partsOfB[partsOfB.count() - 1];
  PartOfB equal(packed, 0, first.length()), tail(packed, last.begin, last.length());
  partFloats = partsOfB.count() > 1 ? PartOfB(packed, first.end, partsOfB[1].length()).first : 0;
  packB = reorder(engine, strided(first.length(), n, shape.transposeB, shape.ldb()), equal.layout);
  packLastB = reorder(engine, strided(last.length(), n, shape.transposeB, shape.ldb()), tail.layout);
}

PackedPlan::PackedPlan(const dnnl::engine &engine, const Shape &shape)
    : cut(PackedCut::of(shape)), equal(engine, shape, cut, cut.k.each) {
  int64_t depth = cut.k[cut.k.count() - 1].length();
  if (depth != cut.k.each)
    shorter = std::make_unique<PackedStep>(engine, shape, cut, depth);
}
