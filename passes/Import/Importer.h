// What the files of the import share. Protobuf names such as `Type` live in `sparsec`: MLIR's are written in full here.
#pragma once
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "passes/Import/Description/Model.h"
#include <map>
#include <vector>

namespace sparsec::import {

/// `file:line:column`; for a binary file its path, such as `feature[3]`, as the name of a place in line 0.
mlir::Location locationOf(mlir::MLIRContext &context, const description::Place &place);

/// `@kind.name`.
mlir::FlatSymbolRefAttr symbol(mlir::MLIRContext &context, llvm::StringRef kind, llvm::StringRef name);

/// Scaled rules become the numbers they stand for; `in` and `out` count the inputs and outputs of the linear map.
rec::InitAttr initAttr(mlir::Builder &builder, const Init &init, int64_t in, int64_t out);
/// Null, after an error at `loc`, for a rule the dialect does not have.
OptimizerAttrInterface optimizerAttr(mlir::Builder &builder, const Optimizer &optimizer, mlir::Location loc);

/// Dictionaries with the fields of the runtime's FeatureColumn, LabelColumn and DataFormat, under the same names:
/// bool, i64 (ui64 for a hash seed), f64, text, lists of these and of dictionaries. Fields at their default are absent.
mlir::DictionaryAttr featureReader(mlir::Builder &builder, const Feature &feature,
                                   const description::FeatureInfo &info);
mlir::DictionaryAttr labelReader(mlir::Builder &builder, const Label &label);
mlir::DictionaryAttr dataReader(mlir::Builder &builder, const Data &data);

/// Builds the symbols that mirror blocks one to one: all but the parameters.
mlir::LogicalResult importSymbols(mlir::OpBuilder &builder, const description::Loaded &model);

/// Builds `@train`, and before it the parameters of its layers.
mlir::LogicalResult importStep(mlir::OpBuilder &builder, const description::Loaded &model);

} // namespace sparsec::import
