// Initial values and optimizers of the description as attributes of the dialect.
#include "passes/Import/Importer.h"
#include <cmath>

using namespace sparsec;
using mlir::Builder;

rec::InitAttr import::initAttr(Builder &builder, const Init &init, int64_t in, int64_t out) {
  auto attr = [&](llvm::StringRef kind, double value) {
    return rec::InitAttr::get(builder.getContext(), kind, builder.getF64FloatAttr(value), {});
  };
  if (init.values_size()) {
    auto values = builder.getDenseF64ArrayAttr(llvm::ArrayRef<double>(init.values().data(), init.values_size()));
    return rec::InitAttr::get(builder.getContext(), "values", builder.getF64FloatAttr(0), values);
  }
  switch (init.rule_case()) {
  case Init::kUniform:
    return attr("uniform", init.uniform());
  case Init::kNormal:
    return attr("normal", init.normal());
  case Init::kScaled: {
    double both = double(in) + double(out);
    switch (init.scaled()) {
    case Init::GLOROT_UNIFORM:
      return attr("uniform", std::sqrt(6 / both));
    case Init::GLOROT_NORMAL:
      return attr("normal", std::sqrt(2 / both));
    case Init::HE_UNIFORM:
      return attr("uniform", std::sqrt(6 / double(in)));
    case Init::HE_NORMAL:
      return attr("normal", std::sqrt(2 / double(in)));
    }
    [[fallthrough]];
  }
  case Init::kConstant:
  case Init::RULE_NOT_SET:
    return attr("constant", init.constant());
  }
  llvm_unreachable("all rules are listed");
}

OptimizerAttrInterface import::optimizerAttr(Builder &builder, const Optimizer &optimizer, mlir::Location loc) {
  auto *context = builder.getContext();
  auto number = [&](double value) { return builder.getF64FloatAttr(value); };
  if (optimizer.decay_case() != Optimizer::DECAY_NOT_SET) {
    mlir::emitError(loc, "weight decay is not supported");
    return {};
  }
  switch (optimizer.rule_case()) {
  case Optimizer::kSgd:
    return rec::SgdAttr::get(context, number(optimizer.sgd().lr()));
  case Optimizer::kAdagrad: {
    const AdaGrad &rule = optimizer.adagrad();
    return rec::AdaGradAttr::get(context, number(rule.lr()), number(rule.eps()), number(rule.start()));
  }
  case Optimizer::kRowWiseAdagrad: {
    const RowWiseAdaGrad &rule = optimizer.row_wise_adagrad();
    mlir::FloatAttr c =
        rule.has_moment_scale() && rule.moment_scale() != 1 ? number(rule.moment_scale()) : mlir::FloatAttr();
    return rec::RowWiseAdaGradAttr::get(context, number(rule.lr()), number(rule.eps()), number(rule.start()), c);
  }
  case Optimizer::kAdam: {
    const Adam &rule = optimizer.adam();
    return rec::AdamAttr::get(context, number(rule.lr()), number(rule.beta1()), number(rule.beta2()),
                              number(rule.eps()));
  }
  default:
    mlir::emitError(loc, "this optimizer is not supported");
    return {};
  }
}
