#include "codegen/GPU/Tuner.h"
#include "codegen/Common/Embedding/Expected.h"
#include "codegen/GPU/Launch.h"
#include "codegen/GPU/LookupCost.h"
#include "codegen/GPU/kernels/GpuKernels.h"
#include "dialect/Rec/Rec.h"
#include "runtime/tune/Tuning.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

static tune::TunedClass describeClass(const ExpectedLookups &lookups, const rec::Cluster &gpu) {
  tune::TunedClass result;
  result.dim = lookups.of.dim;
  result.weighted = lookups.of.weighted;
  result.element = nameOf(lookups.of.element);
  result.bagLength = lookups.of.bagLength;
  result.bags = lookups.bags;
  result.tables = lookups.tables;
  result.tableRows = int64_t(lookups.rows);
  for (const Schedule &s : schedulesOf(lookups.of))
    result.schedules.push_back(
        {describe(s), s.chunk, s.lanes, s.rows, s.threads, s.residentBlocks, 1e6 * lookupSeconds(lookups, s, gpu)});
  return result;
}

/// The constant by which a tuner's main finds the function that opens its device.
static void nameDevice(ModuleOp module, StringRef function) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToStart(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer});
  LLVM::LLVMFuncOp::create(b, function, type);
  auto global = LLVM::GlobalOp::create(b, pointer, /*isConstant=*/true, LLVM::Linkage::External, "sparsec_open_device",
                                       Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, LLVM::AddressOfOp::create(b, pointer, function).getResult());
}

OwningOpRef<ModuleOp> codegen::makeTuner(ModuleOp program, const Target &target, StringRef compiler) {
  tune::Tuning tuning;
  tuning.compiler = compiler;
  tuning.target = target.name();
  for (auto training : program.getOps<rec::TrainingOp>())
    tuning.model = training.getModel();
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  GpuKernels kernels(*module);
  SmallVector<LLVM::GlobalOp> records;
  rec::Cluster gpu = rec::readCluster(program);
  for (const ExpectedLookups &lookups : expectedLookups(program)) {
    tuning.lookups.push_back(describeClass(lookups, gpu));
    for (const Schedule &schedule : schedulesOf(lookups.of))
      records.push_back(kernels.lookup(lookups.of, schedule));
  }
  if (records.empty()) {
    program.emitError("the model has no lookups, so there is nothing to tune");
    return {};
  }
  listKernels(*module, records);
  nameDevice(*module, target.runtimeParts().open);
  (*module)->setAttr(programAttr, StringAttr::get(module->getContext(), tune::tuningText(tuning)));
  return module;
}
