#include "codegen/Targets.h"
#include "codegen/CPU/Target.h"
#include "codegen/Emulate/Passes.h"
#include "codegen/Emulate/Target.h"
#include "codegen/GPU/CudaTarget.h"
#include "codegen/GPU/DensePasses.h"
#include "codegen/GPU/Images.h"
#include "codegen/GPU/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct Entry {
  llvm::StringRef name;
  llvm::Expected<std::unique_ptr<Target>> (*make)(const TargetOptions &);
};
} // namespace

/// What else than fp32 is asked for, where only that is there.
static llvm::Error checkMatmul(llvm::StringRef target, const TargetOptions &options,
                               llvm::ArrayRef<llvm::StringRef> known) {
  if (options.matmul.empty() || llvm::is_contained(known, options.matmul))
    return llvm::Error::success();
  return llvm::createStringError("no `--matmul=" + options.matmul + "` for target `" + target + "`; expected " +
                                 llvm::join(known, ", "));
}

static llvm::Expected<std::unique_ptr<Target>> makeCPU(const TargetOptions &options) {
  if (!options.architectures.empty())
    return llvm::createStringError("`--arch` is for devices; for the instructions of this processor use --cpu");
  if (llvm::Error error = checkMatmul("cpu", options, {"fp32"}))
    return error;
  return makeCPUTarget();
}

/// `sm_90` as 90.
static llvm::Expected<llvm::SmallVector<int>> architecturesOf(const TargetOptions &options) {
  llvm::SmallVector<int> found;
  llvm::ArrayRef<int> known = device::knownArchitectures();
  for (llvm::StringRef name : options.architectures) {
    int number = 0;
    llvm::StringRef digits = name;
    if (!digits.consume_front("sm_") || digits.getAsInteger(10, number) || !llvm::is_contained(known, number)) {
      std::string names =
          llvm::join(llvm::map_range(known, [](int arch) { return "sm_" + std::to_string(arch); }), ", ");
      return llvm::createStringError("unknown architecture `" + name + "`; expected some of " + names);
    }
    if (!llvm::is_contained(found, number))
      found.push_back(number);
  }
  return found;
}

/// Machine code for data centres; what comes later runs the PTX of the newest.
static constexpr int usualArchitectures[] = {80, 90, 100};

static llvm::Expected<std::unique_ptr<Target>> makeCuda(const TargetOptions &options) {
  auto architectures = architecturesOf(options);
  if (!architectures)
    return architectures.takeError();
  if (llvm::Error error = checkMatmul("cuda", options, {"fp32", "tf32", "bf16"}))
    return error;
  return makeCudaTarget(architectures->empty() ? llvm::ArrayRef(usualArchitectures) : *architectures,
                        options.matmul.empty() ? "fp32" : options.matmul, options.schedules);
}

static llvm::Expected<std::unique_ptr<Target>> makeEmulated(const TargetOptions &options) {
  if (!options.architectures.empty())
    return llvm::createStringError("`--arch` is for devices; the emulated one has no architecture");
  if (llvm::Error error = checkMatmul("cuda-emulated", options, {"fp32"}))
    return error;
  return makeEmulatedTarget(options.schedules);
}

static constexpr Entry entries[] = {{"cpu", makeCPU}, {"cuda", makeCuda}, {"cuda-emulated", makeEmulated}};

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

void codegen::registerTargetPasses() {
  registerCodegenCPUPasses();
  registerDensePasses();
  device::registerKernelPasses();
  device::registerEmulatePasses();
}

void codegen::registerTargetDialects(mlir::DialectRegistry &registry) { device::registerDeviceTranslations(registry); }
