#include "codegen/GPU/Launch.h"
#include "codegen/Common/RuntimeCalls.h"
#include "codegen/Common/Target.h"

using namespace mlir;
using namespace sparsec::codegen;

LLVM::CallOp device::launch(ImplicitLocOpBuilder &b, LLVM::GlobalOp record, Value blocks, ValueRange words) {
  RuntimeCalls calls(b);
  Value arguments = calls.onStack(b.getI64Type(), words.size());
  for (auto [i, word] : llvm::enumerate(words))
    calls.store(word.getType().isIndex() ? calls.asI64(word) : word, arguments, b.getI64Type(), {int32_t(i)});
  return calls.check("sparsec_launch", {LLVM::AddressOfOp::create(b, record), calls.asI64(blocks), arguments});
}

Value device::wordOnDevice(ImplicitLocOpBuilder &b, Value word) {
  RuntimeCalls calls(b);
  if (word.getType().isF32())
    word = arith::ExtUIOp::create(b, b.getI64Type(), arith::BitcastOp::create(b, b.getI32Type(), word));
  return calls.callChecked("sparsec_word_on_device", calls.pointer(), {word});
}

Value device::ceilDiv(ImplicitLocOpBuilder &b, Value n, int64_t by) {
  RuntimeCalls calls(b);
  Value more = arith::AddIOp::create(b, calls.asI64(n), calls.constant64(by - 1));
  return arith::DivUIOp::create(b, more, calls.constant64(by));
}

void device::listKernels(ModuleOp module, ArrayRef<LLVM::GlobalOp> records) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(LLVM::LLVMPointerType::get(b.getContext()), records.size());
  auto global =
      LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, kernelsGlobal, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value list = LLVM::UndefOp::create(b, type);
  for (auto [i, record] : llvm::enumerate(records))
    list = LLVM::InsertValueOp::create(b, list, LLVM::AddressOfOp::create(b, record), int64_t(i));
  LLVM::ReturnOp::create(b, list);
}
