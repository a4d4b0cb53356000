// What a structured op does at one point of its domain, as code of a kernel.
//
// A domain has rows i and columns j. The dimensions of an op are (j), or (i, j); a flat domain counts the elements of
// dense buffers as columns.
#pragma once
#include "codegen/GPU/DenseLaunch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sparsec::codegen {

/// Device memory that an op reads or writes: element (i, j) lies at word + i * rowStride + j * columnStride. A row
/// stride is a word, too: matrices of several widths then have the same code.
struct PointOperand {
  mlir::Value buffer;
  size_t word, rowStrideWord;
  mlir::Type element;
  int64_t rowStride, columnStride;
  bool isRead;
  int64_t align; // of what the word points to, in bytes
};

/// One op. Operands that are numbers and values from outside are words, too.
struct PointOp {
  mlir::linalg::GenericOp op;
  unsigned rank;                                           // of its domain
  mlir::SmallVector<std::optional<PointOperand>> operands; // by operand; none: a number
  mlir::SmallVector<std::pair<mlir::Value, size_t>> scalars;
};

enum class PointDomain {
  flat,    // all elements, as columns
  matrix,  // (i, j), or (j)
  reduced, // (i), the one dimension of a vector that is summed
};

/// Adds the op's words to the launch. Fails with an error where it reads otherwise than by rows and columns.
mlir::FailureOr<PointOp> describePoint(mlir::ImplicitLocOpBuilder &host, DenseLaunch &, mlir::linalg::GenericOp,
                                       PointDomain);

/// Whether the op's domain can be flat: all buffers dense and read in place, and no coordinates asked for.
bool isFlat(mlir::linalg::GenericOp);
/// Whether four neighbouring columns, the first a multiple of four, can be read and written as one vector each.
bool isVector(llvm::ArrayRef<PointOp>);

/// Ops at points, one behind the other; what one wrote to a buffer the next need not load.
class PointCode {
public:
  PointCode(DenseBuilder &b, mlir::ValueRange words) : b(b), words(words) {}
  /// At columns j ... j + lanes - 1 of row i; lanes is 1, or 4 for ops that are isVector. `sums` null: all results are
  /// stored. Else the op adds to one sum for each lane, which replaces them.
  void run(const PointOp &, mlir::Value i, mlir::Value j, int lanes,
           llvm::SmallVectorImpl<mlir::Value> *sums = nullptr);
  /// Lets later ops at this point read `buffer` as `lanes`.
  void forward(mlir::Value buffer, llvm::ArrayRef<mlir::Value> lanes);

private:
  llvm::SmallVector<mlir::Value> load(const PointOperand &, mlir::Value i, mlir::Value j, int lanes);
  void store(const PointOperand &, mlir::Value i, mlir::Value j, llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value place(const PointOperand &, mlir::Value i, mlir::Value j);
  llvm::SmallVector<mlir::Value> runBody(const PointOp &, mlir::Value i, mlir::Value j, mlir::ValueRange arguments);

  DenseBuilder &b;
  mlir::ValueRange words;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> known;
};

/// Number `dimension` of the op's domain, an i64 of the host.
mlir::Value extentOf(mlir::ImplicitLocOpBuilder &host, mlir::linalg::GenericOp, unsigned dimension);
/// The same where it is known; dynamic: it is not.
int64_t staticExtentOf(mlir::linalg::GenericOp, unsigned dimension);

} // namespace sparsec::codegen
