#include "codegen/Targets.h"
#include "codegen/CPU/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct Entry {
  llvm::StringRef name;
  llvm::Expected<std::unique_ptr<Target>> (*make)(const TargetOptions &);
};
} // namespace

static llvm::Expected<std::unique_ptr<Target>> makeCPU(const TargetOptions &options) {
  if (!options.architectures.empty())
    return llvm::createStringError("`--arch` is for devices; for the instructions of this processor use --cpu");
  return makeCPUTarget();
}

static constexpr Entry entries[] = {{"cpu", makeCPU}};

llvm::ArrayRef<llvm::StringRef> codegen::targetNames() {
  static const auto names = llvm::map_to_vector(entries, [](const Entry &entry) { return entry.name; });
  return names;
}

llvm::Expected<std::unique_ptr<Target>> codegen::makeTarget(llvm::StringRef name, const TargetOptions &options) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.make(options);
  return llvm::createStringError("no target `" + name + "`; expected " + llvm::join(targetNames(), ", "));
}

void codegen::registerTargetPasses() { registerCodegenCPUPasses(); }
