#include "codegen/GPU/DeviceTypes.h"
#include "mlir/IR/Builders.h"
#include "sparsec/abi.h"

using namespace mlir;
using namespace sparsec::codegen;

/// One letter a field: `h` pointer of the host, `p` pointer to global memory, `i` int32_t, `l` int64_t, `r` float, `f`
/// the fields of a part.
static LLVM::LLVMStructType structOf(MLIRContext *context, StringRef fields) {
  Builder b(context);
  Type global = LLVM::LLVMPointerType::get(context, layout::globalMemory);
  SmallVector<Type> types;
  for (char field : fields)
    types.push_back(field == 'h'   ? Type(LLVM::LLVMPointerType::get(context))
                    : field == 'p' ? global
                    : field == 'i' ? Type(b.getI32Type())
                    : field == 'l' ? Type(b.getI64Type())
                    : field == 'r' ? Type(b.getF32Type())
                                   : Type(LLVM::LLVMArrayType::get(global, SPARSEC_MAX_FIELDS)));
  return LLVM::LLVMStructType::getLiteral(context, types);
}

LLVM::LLVMStructType layout::Kernel::type(MLIRContext *c) { return structOf(c, "hiiiiiihh"); }
LLVM::LLVMStructType layout::LookupEntry::type(MLIRContext *c) { return structOf(c, "llpppplp"); }
LLVM::LLVMStructType layout::CombineEntry::type(MLIRContext *c) { return structOf(c, "lpllp"); }
LLVM::LLVMStructType layout::CopyEntry::type(MLIRContext *c) { return structOf(c, "lpplll"); }
LLVM::LLVMStructType layout::Occurrences::type(MLIRContext *c) { return structOf(c, "llpppplll"); }
LLVM::LLVMStructType layout::Sorted::type(MLIRContext *c) { return structOf(c, "ppppll"); }
LLVM::LLVMStructType layout::Hyper::type(MLIRContext *c) { return structOf(c, "rrl"); }
LLVM::LLVMStructType layout::UpdateEntry::type(MLIRContext *c) { return structOf(c, "lllf"); }
LLVM::LLVMStructType layout::SumEntry::type(MLIRContext *c) { return structOf(c, "lllpp"); }
LLVM::LLVMStructType layout::Thread::type(MLIRContext *c) { return structOf(c, "llllh"); }
LLVM::LLVMStructType layout::Site::type(MLIRContext *c) { return structOf(c, "hii"); }
