#include "codegen/GPU/kernels/RowTeam.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

RowTeam::RowTeam(int64_t dim, int64_t lanes) : RowTeam(dim) { this->lanes = lanes; }
RowTeam::RowTeam(int64_t dim)
    : dim(dim), width(dim % 4 == 0   ? 4
                      : dim % 2 == 0 ? 2
                                     : 1),
      vectors(dim / width), lanes(std::min<int64_t>(32, int64_t(llvm::PowerOf2Ceil(uint64_t(vectors))))) {}

Type LaneColumns::type() const {
  return team.width == 1 ? Type(b.getF32Type()) : VectorType::get({team.width}, b.getF32Type());
}
Value LaneColumns::zero() const { return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type()))); }
Value LaneColumns::spread(Value scalar) const {
  return team.width == 1 ? scalar : vector::BroadcastOp::create(b, cast<VectorType>(type()), scalar).getResult();
}

Value LaneColumns::place(Value row, int64_t piece, Type element) const {
  Value vector = b.add(first, b.i64(piece * team.lanes));
  return b.at(row, element ? element : b.getF32Type(), b.mul(vector, b.i64(team.width)));
}
Value LaneColumns::isInside(int64_t piece) const {
  return b.less(b.add(first, b.i64(piece * team.lanes)), b.i64(team.vectors));
}

Value LaneColumns::loadVector(Value from, Value aligned, Memory memory, Here here) const {
  if (!aligned || team.width == 1)
    return b.load(type(), from, memory, here);
  auto whole = [&] { return KernelBuilder::Values{b.load(type(), from, memory, here)}; };
  auto floats = [&] {
    Value vector = zero();
    for (int64_t i = 0; i < team.width; ++i)
      vector = vector::InsertOp::create(b, b.load(b.getF32Type(), from, b.i64(i), memory, here), vector, i);
    return KernelBuilder::Values{vector};
  };
  return b.ifElse(aligned, type(), whole, floats).front();
}

void LaneColumns::storeVector(Value value, Value to, Value aligned, Here here) const {
  if (!aligned || team.width == 1)
    return b.store(value, to, here);
  auto whole = [&] {
    b.store(value, to, here);
    return KernelBuilder::Values();
  };
  auto floats = [&] {
    for (int64_t i = 0; i < team.width; ++i)
      b.store(vector::ExtractOp::create(b, value, i), to, b.i64(i), here);
    return KernelBuilder::Values();
  };
  b.ifElse(aligned, {}, whole, floats);
}

KernelBuilder::Values LaneColumns::load(Value row, Value aligned, Memory memory, Here here) const {
  KernelBuilder::Values values;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto get = [&] { return KernelBuilder::Values{loadVector(place(row, piece), aligned, memory, here)}; };
    auto none = [&] { return KernelBuilder::Values{zero()}; };
    values.push_back(isPartial(piece) ? b.ifElse(isInside(piece), type(), get, none).front() : get().front());
  }
  return values;
}
KernelBuilder::Values LaneColumns::load(Value row, Memory memory, Here here) const {
  return load(row, Value(), memory, here);
}

KernelBuilder::Values LaneColumns::loadAs(Type element, Value row, Memory memory, Here here) const {
  if (element == b.getF32Type())
    return load(row, memory, here);
  Type narrow = team.width == 1 ? element : VectorType::get({team.width}, element);
  KernelBuilder::Values values;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto get = [&] {
      Value loaded = b.load(narrow, place(row, piece, element), memory, here);
      return KernelBuilder::Values{arith::ExtFOp::create(b, type(), loaded)};
    };
    auto none = [&] { return KernelBuilder::Values{zero()}; };
    values.push_back(isPartial(piece) ? b.ifElse(isInside(piece), type(), get, none).front() : get().front());
  }
  return values;
}

void LaneColumns::store(ValueRange values, Value row, Value aligned, Here here) const {
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto put = [&] { storeVector(values[piece], place(row, piece), aligned, here); };
    if (isPartial(piece))
      b.ifThen(isInside(piece), put);
    else
      put();
  }
}

KernelBuilder::Values device::forEachBlock(KernelBuilder &b, const RowTeam &team, Value lane, ValueRange carried,
                                           ColumnsBody body) {
  int64_t each = (team.vectors + team.lanes - 1) / team.lanes, most = team.piecesAtOnce();
  int64_t looped = (each - 1) / most, rest = each - looped * most;
  bool partial = team.vectors % team.lanes != 0;
  KernelBuilder::Values state(carried);
  auto columns = [&](int64_t pieces, Value block, bool last) {
    Value first = b.add(lane, b.mul(block, b.i64(most * team.lanes)));
    return LaneColumns(b, team, pieces, first, last && partial);
  };
  if (looped > 0)
    state = b.loop(b.i64(0), b.i64(looped), 1, carried,
                   [&](Value block, ValueRange inner) { return body(columns(most, block, false), inner); });
  return body(columns(rest, b.i64(looped), true), state);
}
void device::forEachBlock(KernelBuilder &b, const RowTeam &team, Value lane,
                          llvm::function_ref<void(const LaneColumns &)> body) {
  forEachBlock(b, team, lane, ValueRange(), [&](const LaneColumns &columns, ValueRange) {
    body(columns);
    return KernelBuilder::Values();
  });
}

Value device::sumOfTeam(KernelBuilder &b, const RowTeam &team, Value value) {
  for (int32_t mask = 1; mask < team.lanes; mask *= 2)
    value = arith::AddFOp::create(b, value, b.shuffleXor(value, mask));
  return value;
}
Value device::sumOfVector(KernelBuilder &b, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  Value sum = vector::ExtractOp::create(b, vector, 0);
  for (int64_t i = 1; i < type.getNumElements(); ++i)
    sum = arith::AddFOp::create(b, sum, vector::ExtractOp::create(b, vector, i));
  return sum;
}

TeamUnit::TeamUnit(KernelBuilder &b, const RowTeam &team) {
  Value thread = b.thread();
  lane = b.rem(thread, team.lanes);
  unit = b.add(b.mul(b.block(), b.i64(team.teamsOf(b.threads))), b.div(thread, team.lanes));
  b.setUnits(team.teamsOf(b.threads));
}

Value device::entryOf(KernelBuilder &b, LLVM::LLVMStructType entry, Value list, Value n, Value unit,
                      int32_t firstField) {
  Value index = b.last(b.i64(0), n, [&](Value middle) {
    return b.compare(arith::CmpIPredicate::sle, b.field(b.at(list, entry, middle), entry, firstField), unit);
  });
  return b.at(list, entry, index);
}

Value device::hasUnit(KernelBuilder &b, LLVM::LLVMStructType entry, Value list, Value n, Value unit,
                      int32_t firstField) {
  return b.less(unit, b.field(b.at(list, entry, n), entry, firstField));
}
