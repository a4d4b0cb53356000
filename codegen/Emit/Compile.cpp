#include "codegen/Emit/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

LogicalResult sparsec::codegen::lowerProgram(ModuleOp module, const CompileOptions &options) {
  if (failed(describeProgram(module, options.compiler, options.plan)))
    return failure();
  PassManager pm(module.getContext());
  buildCodegenPipeline(pm, options.pipeline);
  return pm.run(module);
}

static LogicalResult compileExecutable(ModuleOp module, const CompileOptions &options, StringRef path) {
  SmallString<128> object;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("sparsec", "o", object))
    return module.emitError("cannot make a temporary file: ") << error.message();
  auto remove = llvm::make_scope_exit([&] { llvm::sys::fs::remove(object); });
  if (failed(emitObject(module, options.emit, object)))
    return failure();
  return linkExecutable(module, options.link, object, path);
}

LogicalResult sparsec::codegen::compileProgram(ModuleOp module, const CompileOptions &options, StringRef path) {
  if (failed(lowerProgram(module, options)))
    return failure();
  switch (options.kind) {
  case OutputKind::executable:
    return compileExecutable(module, options, path);
  case OutputKind::object:
    return emitObject(module, options.emit, path);
  case OutputKind::assembly:
  case OutputKind::llvmText:
    break;
  }
  std::error_code error;
  llvm::ToolOutputFile out(path, error, llvm::sys::fs::OF_Text);
  if (error)
    return module.emitError("cannot write `") << path << "`: " << error.message();
  if (failed(emitText(module, options.emit, options.kind, out.os())))
    return failure();
  out.keep();
  return success();
}
