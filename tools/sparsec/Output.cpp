#include "tools/sparsec/Output.h"

using namespace sparsec;

int driver::fail(const llvm::Twine &text, const llvm::Twine &note) {
  llvm::errs() << "sparsec: error: " << text << "\n";
  if (!note.isTriviallyEmpty())
    llvm::errs() << "sparsec: note: " << note << "\n";
  return 1;
}

int driver::writeOutput(const std::string &path, const std::function<void(llvm::raw_ostream &)> &print) {
  auto finish = [](llvm::raw_fd_ostream &out) {
    out.flush();
    if (!out.has_error())
      return 0;
    std::string reason = out.error().message();
    out.clear_error();
    return fail("cannot write the result: " + reason);
  };
  if (path.empty()) {
    print(llvm::outs());
    return finish(llvm::outs());
  }
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return fail("cannot write `" + path + "`: " + error.message());
  print(file);
  return finish(file);
}
