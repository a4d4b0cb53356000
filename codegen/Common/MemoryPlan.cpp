// rec-memory-plan: no allocation in a step.
//
// Needs: bufferized entry points, one block each. Buffers whose size the batch bounds lie in one arena, fetched once:
// `sparsec_arena(context, bytes)`; those that are never alive together share bytes. The others come from the runtime's
// pool: `sparsec_ragged(context, bytes)`. The function's attribute `sparsec.arena_bytes` says what the arena takes.
#include "codegen/Common/ArenaLayout.h"
#include "codegen/Common/Bounds.h"
#include "codegen/Common/BufferLiveness.h"
#include "codegen/Common/Passes.h"
#include "codegen/Common/RuntimeCalls.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
constexpr int64_t alignment = 64;
constexpr StringLiteral arenaBytesAttr = "sparsec.arena_bytes";

struct MemoryPlanPass : PassWrapper<MemoryPlanPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemoryPlanPass)
  StringRef getArgument() const override { return "rec-memory-plan"; }
  StringRef getDescription() const override { return "buffers into one planned arena, or into the runtime's pool"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect, LLVM::LLVMDialect>();
  }
  LogicalResult plan(func::FuncOp entry);
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("rec.entry") && failed(plan(function)))
        return signalPassFailure();
  }
};
} // namespace

static int64_t elementBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// The most bytes the buffer can take.
static std::optional<int64_t> maxBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes *= extent;
  for (Value extent : alloc.getDynamicSizes()) {
    auto most = upperBound(extent);
    if (!most)
      return std::nullopt;
    bytes *= *most;
  }
  return bytes;
}

static Value runtimeBytes(ImplicitLocOpBuilder &b, memref::AllocOp alloc) {
  RuntimeCalls calls(b);
  MemRefType type = alloc.getType();
  int64_t fixed = elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      fixed *= extent;
  Value bytes = calls.constant64(fixed);
  for (Value extent : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(b, bytes, calls.asI64(extent));
  return bytes;
}

LogicalResult MemoryPlanPass::plan(func::FuncOp entry) {
  Block &block = entry.getBody().front();
  SmallVector<memref::AllocOp> planned, ragged;
  WalkResult walk = entry.walk([&](memref::AllocOp alloc) -> WalkResult {
    if (alloc->getBlock() != &block || !alloc.getType().getLayout().isIdentity())
      return alloc.emitError("expected a dense buffer in straight-line code, but got ") << alloc.getType();
    (maxBytes(alloc) ? planned : ragged).push_back(alloc);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  BufferLiveness liveness(block);
  SmallVector<BufferLife> lives;
  for (memref::AllocOp alloc : planned)
    lives.push_back({*maxBytes(alloc), liveness.position(alloc), liveness.lastUse(alloc)});
  ArenaLayout layout = layoutArena(lives, alignment);

  ImplicitLocOpBuilder b(entry.getLoc(), OpBuilder::atBlockBegin(&block));
  RuntimeCalls calls(b);
  entry->setAttr(arenaBytesAttr, b.getI64IntegerAttr(layout.bytes));
  if (!planned.empty()) {
    Value arena = calls.callChecked("sparsec_arena", calls.pointer(), {calls.constant64(layout.bytes)});
    Value bytes = calls.memrefAt(arena, MemRefType::get({layout.bytes}, b.getI8Type()), {});
    for (auto [alloc, offset] : llvm::zip(planned, layout.offsets)) {
      b.setInsertionPoint(alloc);
      Value at = arith::ConstantIndexOp::create(b, offset);
      Value view = memref::ViewOp::create(b, alloc.getType(), bytes, at, alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }
  for (memref::AllocOp alloc : ragged) {
    b.setInsertionPoint(alloc);
    Value memory = calls.callChecked("sparsec_ragged", calls.pointer(), {runtimeBytes(b, alloc)});
    alloc.replaceAllUsesWith(calls.memrefAt(memory, alloc.getType(), alloc.getDynamicSizes()));
    alloc.erase();
  }
  return success();
}

std::unique_ptr<Pass> codegen::createMemoryPlanPass() { return std::make_unique<MemoryPlanPass>(); }
