// Gradient of the dot interaction: input i gets the sum over the other inputs j, in order, of gradient(i, j) * input j
// (twice with itself). A thread has a vector of columns of up to eight results.
//
// The triangle of gradients is spread out to a symmetric matrix in shared memory, row j with what input j is multiplied
// by for each result; lanes beside each other read the same of it. Vectors of the inputs are read by a few threads of
// the block each, so they come from the first cache but once.
#include "codegen/GPU/kernels/GpuKernels.h"
#include "codegen/GPU/kernels/Interaction.h"
#include "codegen/GPU/kernels/RowTeam.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// How a block divides its work. An item is a vector of columns of a group of results.
struct GroupPlan {
  GroupPlan(int64_t inputs, int64_t dim) : team(dim) {
    groups = (inputs + 7) / 8;
    results = (inputs + groups - 1) / groups;
    items = groups * team.vectors;
    others = std::min(inputs, mostFloats / rowFloats());
  }
  RowTeam team; // for the vectors of a row
  int64_t groups, results, items;
  int64_t others; // rows of the matrix of gradients that are staged at once

  static constexpr int64_t threads = 128, mostFloats = 8192; // of shared memory, 32 KiB
  /// Gradients of a group, read as vectors of four.
  int64_t groupFloats() const { return (results + 3) / 4 * 4; }
  int64_t rowFloats() const { return groups * groupFloats(); }
  int64_t slotFloats() const { return others * rowFloats() + 4; } // samples in different banks
  /// Samples of a block.
  int64_t slots() const { return std::max<int64_t>(1, std::min(threads / items, mostFloats / slotFloats())); }
  /// How often a block goes through its sample, where that has more items than the block has threads.
  int64_t rounds() const { return (items + threads - 1) / threads; }
};

/// Arguments: samples, gradient, inputs, results.
class DotInteractionGrad {
public:
  DotInteractionGrad(KernelBuilder &b, Triangle triangle, GroupPlan plan)
      : b(b), triangle(triangle), plan(plan), thread(b.thread()), samples(b.argument(0)),
        firstSample(b.mul(b.block(), b.i64(plan.slots()))), matrix(b.shared(plan.slots() * plan.slotFloats() * 4)),
        inputs(shareAddresses(b, 2, triangle.inputs)),
        results(shareAddresses(b, unsigned(2 + triangle.inputs), triangle.inputs)) {
    columns = plan.team.width == 1 ? Type(b.getF32Type()) : VectorType::get({plan.team.width}, b.getF32Type());
  }

  void gradients() {
    bool whole = plan.others == triangle.inputs;
    if (whole)
      stage(b.i64(0), plan.others);
    if (plan.rounds() == 1)
      return round(b.div(thread, plan.items), b.rem(thread, plan.items), whole);
    b.loop(b.i64(0), b.i64(plan.rounds()), 1,
           [&](Value n) { round(b.i64(0), b.add(thread, b.mul(n, b.i64(plan.threads))), whole); });
  }

private:
  using Values = KernelBuilder::Values;

  /// Threads beyond the last item do the work of another one, and write nothing.
  void round(Value ofSlot, Value ofItem, bool isStaged) {
    Value sample = b.add(firstSample, ofSlot);
    Value writes =
        b.both(b.both(b.less(ofSlot, b.i64(plan.slots())), b.less(ofItem, b.i64(plan.items))), b.less(sample, samples));
    Value slot = b.minimum(ofSlot, b.i64(plan.slots() - 1)), item = b.minimum(ofItem, b.i64(plan.items - 1));
    Value group = b.div(item, plan.team.vectors), vector = b.rem(item, plan.team.vectors);
    Value factors =
        b.floatAt(matrix, b.add(b.mul(slot, b.i64(plan.slotFloats())), b.mul(group, b.i64(plan.groupFloats()))));
    Value known = b.minimum(sample, b.sub(samples, b.i64(1)));
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(columns)));
    Values sums(plan.results, zero);
    auto add = [&](Value first, int64_t count, ValueRange before) {
      return addInputs(factors, known, vector, first, count, before);
    };
    if (isStaged) {
      sums = add(b.i64(0), plan.others, sums);
    } else {
      int64_t whole = triangle.inputs / plan.others, rest = triangle.inputs % plan.others;
      auto part = [&](Value number, int64_t count, ValueRange before) {
        Value first = b.mul(number, b.i64(plan.others));
        b.barrier();
        stage(first, count);
        return add(first, count, before);
      };
      sums = b.loop(b.i64(0), b.i64(whole), 1, sums,
                    [&](Value number, ValueRange before) { return part(number, plan.others, before); });
      if (rest > 0)
        sums = part(b.i64(whole), rest, sums);
    }
    b.ifThen(writes, [&] { write(sums, sample, group, vector); });
  }

  /// Rows [first, first + count) of the matrix, of each sample.
  void stage(Value first, int64_t count) {
    constexpr int64_t inFlight = 4;
    int64_t all = plan.slots() * count * plan.rowFloats();
    auto move = [&](Value begin, int64_t loads) {
      Values values, places;
      for (int64_t i = 0; i < loads; ++i) {
        Value at = b.minimum(b.add(begin, b.i64(i * plan.threads)), b.i64(all - 1));
        auto [value, place] = factor(at, first, count);
        values.push_back(value);
        places.push_back(place);
      }
      for (int64_t i = 0; i < loads; ++i)
        b.ifThen(b.less(b.add(begin, b.i64(i * plan.threads)), b.i64(all)),
                 [&] { b.store(values[i], matrix, places[i]); });
    };
    int64_t each = (all + plan.threads - 1) / plan.threads, whole = each / inFlight * inFlight * plan.threads;
    b.loop(b.i64(0), b.i64(whole), inFlight * plan.threads, [&](Value begin) { move(b.add(thread, begin), inFlight); });
    move(b.add(thread, b.i64(whole)), each % inFlight);
    b.barrier();
  }

  /// Element `at` of what is staged, what an input is multiplied by for a result, and its place; 0 where there is no
  /// such pair.
  std::pair<Value, Value> factor(Value at, Value first, int64_t count) {
    int64_t row = plan.rowFloats();
    Value inRow = b.rem(at, row), rest = b.div(at, row), ofInput = b.rem(rest, count), slot = b.div(rest, count);
    Value inGroup = b.rem(inRow, plan.groupFloats()), other = b.add(first, ofInput);
    Value result = b.add(b.mul(b.div(inRow, plan.groupFloats()), b.i64(plan.results)), inGroup);
    Value exists = b.both(b.less(inGroup, b.i64(plan.results)), b.less(result, b.i64(triangle.inputs)));
    if (!triangle.self)
      exists = b.both(exists, b.compare(arith::CmpIPredicate::ne, result, other));
    Value value = b.f32(0);
    if (triangle.pairs() > 0) { // pair 0 stands in for those that there are not
      Value sample = b.minimum(b.add(firstSample, slot), b.sub(samples, b.i64(1)));
      Value pair = b.add(triangle.rowStart(b, b.maximum(result, other)), b.minimum(result, other));
      Value place = b.add(b.mul(sample, b.i64(triangle.pairs())), b.select(exists, pair, b.i64(0)));
      Value g = b.load(b.getF32Type(), b.argument(1), place, Memory::constant);
      Value twice = arith::AddFOp::create(b, g, g);
      value = b.select(exists, triangle.self ? b.select(b.equal(result, other), twice, g) : g, value);
    }
    return {value, b.add(b.add(b.mul(slot, b.i64(plan.slotFloats())), b.mul(ofInput, b.i64(row))), inRow)};
  }

  /// Adds what inputs [first, first + count), which are staged, give to the sums; four of them are loaded together.
  Values addInputs(Value factors, Value sample, Value vector, Value first, int64_t count, ValueRange before) {
    constexpr int64_t inFlight = 4;
    auto together = [&](int64_t n) {
      return [&, n](Value other, ValueRange carried) {
        Values rows, sums(carried);
        for (int64_t i = 0; i < n; ++i) {
          Value row = rowOf(b, inputs, b.add(first, b.add(other, b.i64(i))), sample, plan.team.dim);
          rows.push_back(b.load(columns, row, vector, Memory::constant));
        }
        for (int64_t i = 0; i < n; ++i)
          addProducts(b.floatAt(factors, b.mul(b.add(other, b.i64(i)), b.i64(plan.rowFloats()))), rows[i], sums);
        return sums;
      };
    };
    int64_t whole = count / inFlight * inFlight;
    Values sums = b.loop(b.i64(0), b.i64(whole), inFlight, before, together(inFlight));
    return whole == count ? sums : together(count - whole)(b.i64(whole), sums);
  }

  void addProducts(Value factors, Value row, Values &sums) {
    auto four = VectorType::get({4}, b.getF32Type());
    Value loaded;
    for (int64_t r = 0; r < plan.results; ++r) {
      if (r % 4 == 0)
        loaded = b.load(four, factors, b.i64(r / 4));
      Value factor = vector::ExtractOp::create(b, loaded, r % 4);
      if (plan.team.width > 1)
        factor = vector::BroadcastOp::create(b, cast<VectorType>(columns), factor);
      sums[r] = math::FmaOp::create(b, factor, row, sums[r]);
    }
  }

  void write(ValueRange sums, Value sample, Value group, Value vector) {
    bool all = plan.groups * plan.results == triangle.inputs;
    for (int64_t r = 0; r < plan.results; ++r) {
      Value result = b.add(b.mul(group, b.i64(plan.results)), b.i64(r));
      auto put = [&] { b.store(sums[r], rowOf(b, results, result, sample, plan.team.dim), vector); };
      if (all)
        put();
      else
        b.ifThen(b.less(result, b.i64(triangle.inputs)), put);
    }
  }

  KernelBuilder &b;
  Triangle triangle;
  GroupPlan plan;
  Type columns; // a vector of them
  Value thread, samples, firstSample, matrix, inputs, results;
};

} // namespace

LLVM::GlobalOp GpuKernels::dotInteractionGrad(int64_t inputs, int64_t dim, bool self) {
  std::string name =
      "dot_interaction_grad_n" + std::to_string(inputs) + "_d" + std::to_string(dim) + (self ? "_self" : "");
  Triangle triangle{inputs, self};
  GroupPlan plan(inputs, dim);
  return get(name, {}, "lp" + std::string(2 * inputs, 'p'), GroupPlan::threads, [&](KernelBuilder &b) {
    b.setUnits(plan.slots());
    b.setResidentBlocks(plan.others == inputs ? 5 : 4); // 96 or 128 registers
    DotInteractionGrad(b, triangle, plan).gradients();
  });
}
