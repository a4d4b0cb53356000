// A launch under construction: what the host passes, and the code of its kernel.
#pragma once
#include "codegen/Common/RuntimeCalls.h"
#include "codegen/Common/Work.h"
#include "codegen/GPU/DenseMemory.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include <functional>

namespace sparsec::codegen {

/// Threads of a block of every dense kernel.
inline constexpr int64_t denseThreads = 256;

/// Writes the code of a kernel. Sizes and places are i64.
class DenseBuilder : public device::KernelBuilder {
public:
  using device::KernelBuilder::KernelBuilder;
  /// Quotient and remainder of a number that is not negative by a power of two.
  mlir::Value quotient(mlir::Value x, int64_t powerOfTwo);
  mlir::Value remainder(mlir::Value x, int64_t powerOfTwo);
  /// A loop with a step that is known at run time only.
  Values loopBy(mlir::Value from, mlir::Value to, mlir::Value step, mlir::ValueRange carried, Body body);
};

struct DenseLaunch {
  DenseLaunch(mlir::Operation *anchor, llvm::StringRef kind) : anchor(anchor), kind(kind.str()) {}

  mlir::Operation *anchor;                  // the launch stands before it
  std::string kind;                         // for the kernel's name
  mlir::SmallVector<mlir::Value> words;     // of the host: !llvm.ptr, i64 or f32; what the kernel's arguments are
  mlir::SmallVector<mlir::Value> buffers;   // where a word is the address of one; null: it is not
  mlir::SmallVector<MemoryAccess> accesses; // of the whole launch
  mlir::Value blocks;                       // of the host: i64
  Work work;
  /// Writes the kernel's code for one block.
  std::function<void(DenseBuilder &, mlir::ValueRange words, mlir::Value block)> emit;

  /// Words are made before `anchor`; the result is the place of the word.
  size_t addWord(mlir::ImplicitLocOpBuilder &host, mlir::Value scalar);
  /// Address of the element `offset` elements behind what the buffer's descriptor points to.
  size_t addPointer(mlir::ImplicitLocOpBuilder &host, mlir::Value buffer, int64_t offset);
};

/// Arguments of the kernel that runs these launches as one.
size_t countArguments(llvm::ArrayRef<DenseLaunch *> members);
/// A kernel's word as the scalar of type `type` that addWord was given.
mlir::Value scalarOf(DenseBuilder &, mlir::Value word, mlir::Type type);

/// Kernels of a module: those with the same code are one.
class DenseKernels {
public:
  explicit DenseKernels(mlir::ModuleOp module) : module(module) {}
  /// What the kernel of this launch does, as text: launches with the same code may share a launch.
  std::string codeOf(const DenseMemory &, DenseLaunch &);
  /// One launch of what these launches do, which have the same code and do not conflict: the blocks of one behind those
  /// of the other. It stands at the last one's anchor.
  void launch(const DenseMemory &, llvm::ArrayRef<DenseLaunch *> members);

private:
  /// A kernel without a name of its own yet.
  mlir::gpu::GPUFuncOp build(const DenseMemory &, llvm::ArrayRef<DenseLaunch *> members);
  std::string kernelOf(const DenseMemory &, llvm::ArrayRef<DenseLaunch *> members);
  mlir::ModuleOp module;
  llvm::StringMap<std::string> byCode;
};

} // namespace sparsec::codegen
