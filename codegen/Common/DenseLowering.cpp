#include "codegen/Common/DenseLowering.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

SmallVector<Value> codegen::dynamicExtents(ImplicitLocOpBuilder &b, Value tensor) {
  SmallVector<Value> extents;
  auto type = tensorType(tensor);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(tensor::DimOp::create(b, tensor, i));
  return extents;
}

Value codegen::emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type, Value like) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType(), dynamicExtents(b, like));
}

Value codegen::number(ImplicitLocOpBuilder &b, double value, Type type) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value codegen::elementwise(ImplicitLocOpBuilder &b, ValueRange inputs, RankedTensorType type, ElementBody body,
                           ArrayRef<AffineMap> maps) {
  auto identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> all(maps);
  all.resize(inputs.size(), identity);
  all.push_back(identity);
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value out = emptyLike(b, type, inputs[0]);
  auto generic = linalg::GenericOp::create(b, TypeRange{type}, inputs, ValueRange{out}, all, iterators,
                                           [&](OpBuilder &inner, Location loc, ValueRange arguments) {
                                             ImplicitLocOpBuilder ib(loc, inner);
                                             Value result = body(ib, arguments.drop_back());
                                             linalg::YieldOp::create(ib, result);
                                           });
  return generic.getResult(0);
}

Value codegen::sumInDouble(ImplicitLocOpBuilder &b, ValueRange inputs, int dimension, ElementBody body) {
  auto type = tensorType(inputs[0]);
  auto f64 = b.getF64Type();
  SmallVector<int64_t> shape;
  SmallVector<Value> extents;
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::reduction);
  for (int i = 0; i < 2; ++i) {
    if (dimension < 0 || dimension == i)
      continue;
    shape.push_back(type.getDimSize(i));
    kept.push_back(b.getAffineDimExpr(i));
    iterators[i] = utils::IteratorType::parallel;
    if (type.isDynamicDim(i))
      extents.push_back(tensor::DimOp::create(b, inputs[0], i));
  }
  Value empty = tensor::EmptyOp::create(b, shape, f64, extents);
  Value start = linalg::FillOp::create(b, ValueRange{number(b, 0, f64)}, ValueRange{empty}).getResult(0);
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(2));
  maps.push_back(AffineMap::get(2, 0, kept, b.getContext()));
  auto generic = linalg::GenericOp::create(b, start.getType(), inputs, ValueRange{start}, maps, iterators,
                                           [&](OpBuilder &inner, Location loc, ValueRange arguments) {
                                             ImplicitLocOpBuilder ib(loc, inner);
                                             Value term = body(ib, arguments.drop_back());
                                             Value wide = arith::ExtFOp::create(ib, f64, term);
                                             Value sum = arith::AddFOp::create(ib, arguments.back(), wide);
                                             linalg::YieldOp::create(ib, sum);
                                           });
  return generic.getResult(0);
}
