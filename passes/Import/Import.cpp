#include "passes/Import/Import.h"
#include "mlir/IR/Verifier.h"
#include "passes/Import/Importer.h"

using namespace sparsec;
using mlir::OwningOpRef, mlir::ModuleOp, mlir::MLIRContext;

mlir::Location import::locationOf(MLIRContext &context, const description::Place &place) {
  if (!place)
    return mlir::UnknownLoc::get(&context);
  auto loc = mlir::FileLineColLoc::get(&context, place.fileName(), place.line, place.column);
  if (place.path)
    return mlir::NameLoc::get(mlir::StringAttr::get(&context, *place.path), loc);
  return loc;
}

mlir::FlatSymbolRefAttr import::symbol(MLIRContext &context, llvm::StringRef kind, llvm::StringRef name) {
  return mlir::FlatSymbolRefAttr::get(&context, (kind + "." + name).str());
}

OwningOpRef<ModuleOp> sparsec::importModel(MLIRContext &context, const description::Loaded &model) {
  context.loadDialect<rec::RecDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  auto loc = import::locationOf(context, model.places->value("name"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  auto builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  if (mlir::failed(import::importSymbols(builder, model)) || mlir::failed(import::importStep(builder, model)) ||
      mlir::failed(mlir::verify(*module)))
    return nullptr;
  return module;
}
