#include "codegen/CPU/AbiTypes.h"
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

LLVM::LLVMStructType abi::Jagged::type(MLIRContext *c) { return structOf(c, "lllppppp"); }
LLVM::LLVMStructType abi::Lookup::type(MLIRContext *c) { return structOf(c, "pppplp"); }
LLVM::LLVMStructType abi::LocalItem::type(MLIRContext *c) { return structOf(c, "piipp"); }
LLVM::LLVMStructType abi::Combine::type(MLIRContext *c) { return structOf(c, "pllp"); }
LLVM::LLVMStructType abi::Item::type(MLIRContext *c) { return structOf(c, "iiiiiiilpp"); }
LLVM::LLVMStructType abi::Segments::type(MLIRContext *c) { return structOf(c, "lppppppffl"); }
LLVM::LLVMStructType abi::Update::type(MLIRContext *c) { return structOf(c, "piiip"); }
