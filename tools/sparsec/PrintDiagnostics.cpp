#include "tools/sparsec/PrintDiagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace sparsec;
using namespace mlir;

std::string driver::placeOf(Location loc) {
  std::string place = "sparsec";
  StringRef path;
  loc->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part))
      path = named.getName();
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = file.getFilename().str();
    if (file.getLine())
      place += ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn());
    else if (!path.empty())
      place += ": " + path.str();
    return WalkResult::interrupt();
  });
  return place;
}

static StringRef wordFor(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("a severity is one of four");
}

static void print(Diagnostic &diagnostic) {
  llvm::errs() << driver::placeOf(diagnostic.getLocation()) << ": " << wordFor(diagnostic.getSeverity()) << ": "
               << diagnostic << "\n";
}

driver::PrintDiagnostics::PrintDiagnostics(MLIRContext &context) : ScopedDiagnosticHandler(&context) {
  setHandler([](Diagnostic &diagnostic) {
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
  });
}
