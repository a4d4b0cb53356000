#include "codegen/Emit/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

LogicalResult sparsec::codegen::lowerProgram(ModuleOp module, const CompileOptions &options) {
  if (failed(describeProgram(module, options)))
    return failure();
  PassManager pm(module.getContext());
  buildCodegenPipeline(pm, *options.target);
  return pm.run(module);
}

LogicalResult sparsec::codegen::compileProgram(ModuleOp module, const CompileOptions &options, StringRef path) {
  return failed(lowerProgram(module, options)) ? failure() : emitProgram(module, options, path);
}

LogicalResult sparsec::codegen::emitProgram(ModuleOp module, const CompileOptions &options, StringRef path) {
  bool links = options.kind == OutputKind::executable;
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  if (failed(emitText(module, options.emit, links ? OutputKind::object : options.kind, out)))
    return failure();
  TemporaryFile object;
  if (links && failed(object.create(module, "sparsec", "o")))
    return failure();
  if (llvm::Error error = links ? object.write(bytes) : writeFile(path, bytes))
    return fileError(module, llvm::toString(std::move(error)));
  return links ? linkExecutable(module, options.link, options.target->runtimeParts(), object.path(), path) : success();
}
