// rec-dense-kernels: dense ops of a step run on a device.
//
// Needs: bufferized step entries, before their memory is planned (scratch memory is allocated here). Ensures:
// structured ops on buffers of floats, copies, and numbers that are loaded, worked on and stored are `gpu.func`s in
// `gpu.module @kernels`, launched by `sparsec_launch`; the host reads or writes no float of the device's memory. Input
// entries and buffers of integers are the host's and stay.
//
//   linalg.generic {... ["parallel", "parallel"]} ins(%x ...) outs(%y ...) { ... addf ... }
// becomes
//   %words = llvm.alloca ... ; addresses of %x and %y, their number of elements
//   %kernel = llvm.mlir.addressof @kernel.dense_elementwise_0
//   llvm.call @sparsec_launch(%context, %kernel, %blocks, %words) {sparsec.checked}
#include "codegen/Common/Passes.h"
#include "codegen/GPU/DenseFuse.h"
#include "codegen/GPU/DensePasses.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
struct DenseKernelsPass : PassWrapper<DenseKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DenseKernelsPass)
  StringRef getArgument() const override { return "rec-dense-kernels"; }
  StringRef getDescription() const override { return "dense ops of a step run on a device"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;
};
} // namespace

/// Copies and named ops as generic ones.
static LogicalResult generalize(Block &block) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    rewriter.setInsertionPoint(&op);
    linalg::LinalgOp structured = dyn_cast<linalg::LinalgOp>(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op); copy && isDeviceMemory(copy.getTarget().getType())) {
      structured = linalg::CopyOp::create(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    }
    if (structured && !isa<linalg::GenericOp>(structured.getOperation()) &&
        failed(linalg::generalizeNamedOp(rewriter, structured)))
      return structured.emitOpError("has no kernel");
  }
  return success();
}

/// An op that sets a whole buffer to 0.
static bool setsToZero(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  auto value = op.getRegion().front().getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &op.getRegion().front())
    value = op.getMatchingOpOperand(argument)->get();
  return matchPattern(value, m_AnyZeroFloat());
}

/// The op before `sum` that sets its result to 0, where nothing else touches it in between; null: there is none.
static linalg::GenericOp zeroBefore(const DenseMemory &memory, linalg::GenericOp sum) {
  Value out = sum.getDpsInits()[0];
  MemoryAccess access{memory.rootOf(out), true, out};
  for (Operation *op = sum->getPrevNode(); op; op = op->getPrevNode()) {
    if (!memory.conflict(access, memory.of(op)))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic && generic.getDpsInits()[0] == out && setsToZero(generic) ? generic : linalg::GenericOp();
  }
  return {};
}

/// Ops that become kernels, in order.
static SmallVector<DenseWork> collectWorks(Block &block, const DenseMemory &memory) {
  SmallVector<DenseWork> works;
  for (auto op : block.getOps<linalg::GenericOp>()) {
    DenseWork work;
    work.anchor = op;
    if (op.getNumReductionLoops() == 0) {
      work.points.push_back(op);
    } else {
      work.sum = op;
      if (linalg::GenericOp zero = zeroBefore(memory, op)) {
        work.startsAtZero = true;
        llvm::erase_if(works, [&](const DenseWork &other) { return other.anchor == zero; });
      }
    }
    works.push_back(std::move(work));
  }
  return works;
}

/// Ops of the entry that are done by kernels now, and what only they used.
static void eraseDone(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto store = dyn_cast<memref::StoreOp>(op);
    auto load = dyn_cast<memref::LoadOp>(op);
    if (isa<linalg::GenericOp>(op) || (store && isDeviceMemory(store.getMemRefType())) || (load && load->use_empty()) ||
        isOpTriviallyDead(&op))
      op.erase();
  }
}

/// Nothing is left that the host would do to the device's memory.
static LogicalResult checkHost(func::FuncOp entry) {
  WalkResult walk = entry.walk([](Operation *op) -> WalkResult {
    if (!isa<linalg::LinalgOp, memref::CopyOp, memref::LoadOp, memref::StoreOp>(op) ||
        llvm::none_of(op->getOperandTypes(), isDeviceMemory))
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError("touches the device's memory on the host");
    if (auto load = dyn_cast<memref::LoadOp>(op); load && !load->use_empty())
      error.attachNote(load->getUsers().begin()->getLoc())
          << "used here; what is made of it must be stored, by straight-line code";
    return error;
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult lowerEntry(func::FuncOp entry, DenseKernels &kernels) {
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("expected an entry point of one block");
  Block &block = entry.getBody().front();
  if (failed(generalize(block)))
    return failure();
  DenseMemory memory(block);
  SmallVector<DenseWork> works = collectWorks(block, memory);
  fuseWorks(block, memory, works);
  DenseLaunches launches;
  for (const DenseWork &work : works)
    if (failed(work.sum ? launchSum(memory, work, launches) : launchElementwise(memory, work, launches)))
      return failure();
  for (auto store : llvm::to_vector(block.getOps<memref::StoreOp>()))
    if (isDeviceMemory(store.getMemRefType()) && failed(launchScalars(memory, store, launches)))
      return failure();
  llvm::stable_sort(launches,
                    [](auto &x, auto &y) { return x->anchor != y->anchor && x->anchor->isBeforeInBlock(y->anchor); });
  for (const DenseGroup &members : mergeLaunches(memory, kernels, launches))
    kernels.launch(memory, members);
  eraseDone(block);
  return checkHost(entry);
}

void DenseKernelsPass::runOnOperation() {
  DenseKernels kernels(getOperation());
  llvm::StringSet<> inputs;
  for (auto entry : getOperation().getOps<func::FuncOp>())
    inputs.insert(rec::inputEntryName(entry.getName()));
  for (auto entry : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
    if (entry->hasAttr("rec.entry") && !inputs.contains(entry.getName()) && failed(lowerEntry(entry, kernels)))
      return signalPassFailure();
}

std::unique_ptr<Pass> codegen::createDenseKernelsPass() { return std::make_unique<DenseKernelsPass>(); }
void codegen::registerDensePasses() {
  registerPass([] { return createDenseKernelsPass(); });
  registerPass([] { return createGemmGradientsPass(); });
}
void codegen::buildDeviceMemory(OpPassManager &pm) {
  pm.addPass(createDenseKernelsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createMemoryPlanPass());
}
