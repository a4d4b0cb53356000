// What kernels of a device are written with: a gpu.func under construction.
//
// Memory ops and waits carry the place in the source that asked for them: the emulator names it when they go wrong, and
// so do the line tables of PTX.
#pragma once
#include "codegen/GPU/DeviceTypes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <source_location>

namespace sparsec::codegen::device {

/// Attributes on a gpu.func that its record is made of; see SparsecKernel.
inline constexpr llvm::StringLiteral unitsAttr = "sparsec.units", chunkAttr = "sparsec.chunk",
                                     thenAttr = "sparsec.then", scheduleAttr = "sparsec.schedule";

/// Where all kernels of a program are: `gpu.module @kernels` of its module.
mlir::gpu::GPUModuleOp kernelModule(mlir::ModuleOp);
/// The record of kernel `name`, whose address host code may take at once; rec-kernel-records fills it in.
mlir::LLVM::GlobalOp declareKernel(mlir::ModuleOp, llvm::StringRef name);

/// Whether memory stays as it is while the kernel runs (then loads may go through the read-only cache).
enum class Memory { changes, constant };

class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Here = std::source_location;

  /// `arguments`, a letter each: `p` pointer to global memory, `l` i64, `f` f32. `threads` of a block: a multiple
  /// of 32.
  KernelBuilder(mlir::ModuleOp, llvm::StringRef name, llvm::StringRef arguments, int32_t threads);
  /// Work of a block, where the runtime sizes the grid.
  void setUnits(int64_t units) { function->setAttr(unitsAttr, getI32IntegerAttr(int32_t(units))); }
  /// Segments longer than `chunk` are split; kernel `then` finishes them.
  void setSplit(int64_t chunk, llvm::StringRef then);
  /// How its work is shared out, in words, for who reads the module.
  void setSchedule(llvm::StringRef text) { function->setAttr(scheduleAttr, getStringAttr(text)); }
  /// How many blocks a multiprocessor should hold at once: caps registers at 65536 / (threads * blocks), in steps of 8.
  /// Without it the assembler chooses, and may spill a little to fit in more blocks.
  void setResidentBlocks(int32_t blocks) { function->setAttr("nvvm.minctasm", getI32IntegerAttr(blocks)); }
  mlir::gpu::GPUFuncOp finish();
  llvm::StringRef name() { return function.getName(); }

  mlir::Value argument(unsigned index) { return function.getArgument(index); }
  const int32_t threads;
  mlir::Value thread(); // in its block
  mlir::Value block();
  mlir::Value blocks(); // of the grid

  mlir::Type pointer() { return pointer(layout::globalMemory); }
  mlir::Type pointer(layout::AddressSpace space) { return mlir::LLVM::LLVMPointerType::get(getContext(), space); }
  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value f32(double value);
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(*this, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubIOp::create(*this, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulIOp::create(*this, x, y); }
  mlir::Value div(mlir::Value x, int64_t y) { return mlir::arith::DivUIOp::create(*this, x, i64(y)); }
  mlir::Value rem(mlir::Value x, int64_t y) { return mlir::arith::RemUIOp::create(*this, x, i64(y)); }
  mlir::Value minimum(mlir::Value x, mlir::Value y) { return mlir::arith::MinSIOp::create(*this, x, y); }
  mlir::Value maximum(mlir::Value x, mlir::Value y) { return mlir::arith::MaxSIOp::create(*this, x, y); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return mlir::arith::AndIOp::create(*this, x, y); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return mlir::arith::OrIOp::create(*this, x, y); }
  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(*this, how, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  mlir::Value equal(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(*this, condition, x, y);
  }
  mlir::Value isNull(mlir::Value pointer);
  /// Whether an address is a multiple of `bytes`.
  mlir::Value isAligned(mlir::Value pointer, int64_t bytes);

  /// base + index elements; the space is that of `base`.
  mlir::Value at(mlir::Value base, mlir::Type element, mlir::Value index);
  mlir::Value floatAt(mlir::Value base, mlir::Value index) { return at(base, getF32Type(), index); }
  /// Element `index` of `base`. The address is a multiple of the element's size, or so it must be.
  mlir::Value load(mlir::Type element, mlir::Value base, mlir::Value index, Memory = Memory::changes,
                   Here here = Here::current());
  mlir::Value load(mlir::Type element, mlir::Value address, Memory = Memory::changes, Here here = Here::current());
  mlir::Value loadI64(mlir::Value base, mlir::Value index, Memory memory = Memory::constant,
                      Here here = Here::current()) {
    return load(getI64Type(), base, index, memory, here);
  }
  void store(mlir::Value value, mlir::Value address, Here here = Here::current());
  void store(mlir::Value value, mlir::Value base, mlir::Value index, Here here = Here::current());
  /// Field `index` (element `element` of it) of the constant struct of type `type` at `base`.
  mlir::Value field(mlir::Value base, mlir::LLVM::LLVMStructType type, int32_t index, Here here = Here::current());
  mlir::Value field(mlir::Value base, mlir::LLVM::LLVMStructType type, int32_t index, int32_t element,
                    Here here = Here::current());

  /// Shared memory of the block: `bytes` more of it, at a multiple of 16.
  mlir::Value shared(int64_t bytes);
  /// All threads of the block meet; all of them must come.
  void barrier(Here here = Here::current());
  /// The value of lane (mine xor `mask`) of the warp; f32 or i32. All 32 lanes must come.
  mlir::Value shuffleXor(mlir::Value value, int32_t mask, Here here = Here::current());
  /// That of lane `lane` (i32).
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane, Here here = Here::current());

  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::Value index, mlir::ValueRange carried)>;
  Values loop(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange carried, Body body);
  void loop(mlir::Value from, mlir::Value to, int64_t step, llvm::function_ref<void(mlir::Value index)> body);
  using Branch = llvm::function_ref<Values()>;
  Values ifElse(mlir::Value condition, mlir::TypeRange results, Branch then, Branch otherwise);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  /// The last of [low, high) that `holds` is true of; `low` if there is none. What holds of an index holds of all
  /// below.
  mlir::Value last(mlir::Value low, mlir::Value high, llvm::function_ref<mlir::Value(mlir::Value index)> holds);

  /// The first of [low, high] that `holds` is false of; asked from `low` on, one after the other, and never of `high`.
  mlir::Value firstNot(mlir::Value low, mlir::Value high, llvm::function_ref<mlir::Value(mlir::Value index)> holds);
  /// Goes on with what `body` returns while `goesOn`.
  Values repeat(mlir::ValueRange start, llvm::function_ref<mlir::Value(mlir::ValueRange)> goesOn,
                llvm::function_ref<Values(mlir::ValueRange)> body);

private:
  void setPlace(const Here &);
  mlir::Value id(mlir::Value index);
  mlir::gpu::GPUFuncOp function;
  mlir::LLVM::GlobalOp sharedMemory;
};

} // namespace sparsec::codegen::device
