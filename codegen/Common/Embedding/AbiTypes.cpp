#include "codegen/Common/Embedding/AbiTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sparsec::codegen;

/// One letter a field: `p` pointer, `i` int32_t, `l` int64_t, `f` float.
static LLVM::LLVMStructType structOf(MLIRContext *context, StringRef fields) {
  Builder b(context);
  SmallVector<Type> types;
  for (char field : fields)
    types.push_back(field == 'p'   ? Type(LLVM::LLVMPointerType::get(context))
                    : field == 'i' ? Type(b.getI32Type())
                    : field == 'l' ? Type(b.getI64Type())
                                   : Type(b.getF32Type()));
  return LLVM::LLVMStructType::getLiteral(context, types);
}

LLVM::LLVMStructType layout::Jagged::type(MLIRContext *c) { return structOf(c, "lllppppp"); }
LLVM::LLVMStructType layout::Lookup::type(MLIRContext *c) { return structOf(c, "pppplp"); }
LLVM::LLVMStructType layout::LocalItem::type(MLIRContext *c) { return structOf(c, "piipp"); }
LLVM::LLVMStructType layout::Combine::type(MLIRContext *c) { return structOf(c, "pllp"); }
LLVM::LLVMStructType layout::Item::type(MLIRContext *c) { return structOf(c, "iiiiiiilpp"); }
LLVM::LLVMStructType layout::Segments::type(MLIRContext *c) { return structOf(c, "lppppppffl"); }
LLVM::LLVMStructType layout::Update::type(MLIRContext *c) { return structOf(c, "piiip"); }
