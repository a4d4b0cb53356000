// The dense graph: every layer of the description as ops of the dialect, shorthands written out.
#pragma once
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Import/Importer.h"

namespace sparsec::import {

/// The inputs of a layer, made when it asks: one by one, or side by side as one tensor.
struct LayerInputs {
  llvm::function_ref<llvm::SmallVector<mlir::Value>()> alone;
  llvm::function_ref<mlir::Value()> joined;
};

/// What a layer's ops are built from. Widths were checked with the description.
class LayerImporter {
public:
  /// `symbols` is where parameters go, `builder` where ops go; its place is that of the current layer.
  LayerImporter(mlir::OpBuilder &symbols, mlir::ImplicitLocOpBuilder &builder, const Training &training)
      : symbols(symbols), b(builder), training(training) {}

  /// What `rec.dropout` reads.
  void setStep(mlir::Value step, mlir::Value firstSample) {
    this->step = step;
    this->firstSample = firstSample;
  }

  /// Null after an error.
  mlir::Value import(const Layer &layer, const LayerInputs &inputs);
  /// Whether a layer draws random numbers.
  static bool hasDropout(const Layer &layer);

  mlir::Value concat(mlir::ValueRange inputs);

private:
  struct Weights {
    std::string name; // of the parameters: layer/N[/i]
    const Init *weight = nullptr;
    const Init *bias = nullptr; // null: no bias
  };
  mlir::Value linear(mlir::Value x, int64_t units, Activation activation, const Weights &weights);
  mlir::Value mlp(mlir::Value x, const Mlp &mlp, const std::string &name);
  mlir::Value cross(mlir::Value x, const Cross &cross, const std::string &name);
  mlir::Value fm(mlir::ValueRange inputs);
  mlir::Value dot(mlir::ValueRange inputs, bool self);
  mlir::Value mean(mlir::Value x);
  mlir::Value slice(mlir::Value x, const Slice &slice);
  mlir::Value dropout(mlir::Value x, double rate, const std::string &stream);
  mlir::Value activate(mlir::Value x, Activation activation);
  mlir::Value add(mlir::ValueRange inputs);
  mlir::Value multiply(mlir::ValueRange inputs);
  mlir::Value rowSum(mlir::Value x);
  mlir::Value scale(mlir::Value x, double factor);

  mlir::Value parameter(const std::string &name, llvm::ArrayRef<int64_t> shape, rec::InitAttr init);
  mlir::RankedTensorType matrix(int64_t width);

  mlir::OpBuilder &symbols;
  mlir::ImplicitLocOpBuilder &b;
  const Training &training;
  mlir::Value step, firstSample;
};

} // namespace sparsec::import
