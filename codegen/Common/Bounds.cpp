#include "codegen/Common/Bounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

std::optional<int64_t> sparsec::codegen::upperBound(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto of = [&](unsigned i) { return upperBound(op->getOperand(i)); };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return of(0);
  if (isa<arith::MinUIOp, arith::MinSIOp>(op)) {
    auto left = of(0), right = of(1);
    return left && right ? std::min(*left, *right) : left ? left : right;
  }
  llvm::APInt divisor;
  if (isa<arith::DivUIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) && !divisor.isZero()) {
    auto left = of(0);
    return left ? std::optional(*left / divisor.getSExtValue()) : std::nullopt;
  }
  if (isa<arith::MulIOp, arith::AddIOp, arith::MaxSIOp, arith::MaxUIOp>(op)) {
    auto left = of(0), right = of(1);
    if (!left || !right)
      return std::nullopt;
    return isa<arith::MulIOp>(op) ? *left * *right : isa<arith::AddIOp>(op) ? *left + *right : std::max(*left, *right);
  }
  return std::nullopt;
}
