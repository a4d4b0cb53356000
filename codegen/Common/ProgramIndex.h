// The numbers by which generated code and program description name the parts of a model.
//
// Tables, features, labels, parameters and tasks count in the order of their symbol ops in the module; input blocks in
// the order in which distinct lists of features first appear in `rec.input` ops. Build it while those ops are there.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace sparsec::codegen {

class ProgramIndex {
public:
  explicit ProgramIndex(mlir::ModuleOp module);

  // -1: no such symbol of that kind.
  int32_t table(mlir::FlatSymbolRefAttr name) const { return find(tables, name); }
  int32_t feature(mlir::FlatSymbolRefAttr name) const { return find(features, name); }
  int32_t label(mlir::FlatSymbolRefAttr name) const { return find(labels, name); }
  int32_t param(mlir::FlatSymbolRefAttr name) const { return find(params, name); }
  int32_t task(mlir::FlatSymbolRefAttr name) const { return find(tasks, name); }
  /// `features` as a `rec.input` lists them; -1: no such block.
  int32_t inputBlock(mlir::ArrayAttr features) const { return find(blockNumbers, features); }
  /// The lists of features, by block.
  llvm::ArrayRef<mlir::ArrayAttr> inputBlocks() const { return blocks; }

private:
  using Numbers = llvm::DenseMap<mlir::Attribute, int32_t>;
  static int32_t find(const Numbers &numbers, mlir::Attribute name) {
    auto found = numbers.find(name);
    return found == numbers.end() ? -1 : found->second;
  }
  Numbers tables, features, labels, params, tasks, blockNumbers;
  llvm::SmallVector<mlir::ArrayAttr> blocks;
};

} // namespace sparsec::codegen
