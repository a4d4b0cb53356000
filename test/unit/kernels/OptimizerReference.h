// The optimizers of tests as the compiler knows them.
#pragma once
#include "dialect/Rec/Rec.h"
#include "mlir/IR/Builders.h"
#include "test/unit/kernels/OptimizerFormulas.h"

namespace sparsec::codegen {

inline OptimizerAttrInterface optimizer(mlir::MLIRContext &context, const std::string &rule) {
  mlir::Builder b(&context);
  auto number = [&](double value) { return b.getF64FloatAttr(value); };
  if (rule == "sgd")
    return rec::SgdAttr::get(&context, number(0.1));
  if (rule == "adagrad")
    return rec::AdaGradAttr::get(&context, number(0.1), number(1e-4), number(0.5));
  if (rule == "row_wise_adagrad")
    return rec::RowWiseAdaGradAttr::get(&context, number(0.1), number(1e-4), number(0.5), {});
  if (rule == "moment_scaled")
    return rec::RowWiseAdaGradAttr::get(&context, number(0.1), number(1e-4), number(0.5), number(4));
  return rec::AdamAttr::get(&context, number(0.1), number(0.9), number(0.99), number(1e-4));
}

} // namespace sparsec::codegen
