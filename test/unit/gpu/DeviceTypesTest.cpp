// The LLVM types of device.h's structs have the C compiler's offsets.
#include "codegen/GPU/DeviceTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sparsec/device.h"
#include "sparsec/emulated_thread.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include <cstddef>
#include <gtest/gtest.h>

using namespace sparsec::codegen;

/// Both data layouts: the host writes these structs, the device reads them.
template <typename Struct>
static void expectLayout(size_t size, std::initializer_list<std::pair<int32_t, size_t>> fields) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  llvm::LLVMContext llvmContext;
  mlir::LLVM::TypeToLLVMIRTranslator translator(llvmContext);
  auto *type = llvm::cast<llvm::StructType>(translator.translateType(Struct::type(&context)));
  for (const char *name : {"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
                           "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"}) {
    llvm::DataLayout target(name);
    const llvm::StructLayout *places = target.getStructLayout(type);
    EXPECT_EQ(places->getSizeInBytes(), size);
    EXPECT_EQ(type->getNumElements(), fields.size());
    for (auto [field, offset] : fields)
      EXPECT_EQ(places->getElementOffset(field).getFixedValue(), offset) << "field " << field;
  }
}
#define AT(Mine, Struct, mine, theirs)                                                                                 \
  { layout::Mine::mine, offsetof(Struct, theirs) }

TEST(DeviceTypes, Kernel) {
  expectLayout<layout::Kernel>(sizeof(SparsecKernel),
                               {AT(Kernel, SparsecKernel, name, name), AT(Kernel, SparsecKernel, arguments, arguments),
                                AT(Kernel, SparsecKernel, threads, threads), AT(Kernel, SparsecKernel, shared, shared),
                                AT(Kernel, SparsecKernel, waits, waits), AT(Kernel, SparsecKernel, units, units),
                                AT(Kernel, SparsecKernel, chunk, chunk), AT(Kernel, SparsecKernel, then, then),
                                AT(Kernel, SparsecKernel, emulated, emulated)});
}
TEST(DeviceTypes, LookupEntry) {
  using S = SparsecLookupEntry;
  expectLayout<layout::LookupEntry>(sizeof(S),
                                    {AT(LookupEntry, S, first, first), AT(LookupEntry, S, firstChunk, first_chunk),
                                     AT(LookupEntry, S, offsets, offsets), AT(LookupEntry, S, values, values),
                                     AT(LookupEntry, S, weights, weights), AT(LookupEntry, S, table, table),
                                     AT(LookupEntry, S, row0, row0), AT(LookupEntry, S, out, out)});
}
TEST(DeviceTypes, CombineEntry) {
  using S = SparsecCombineEntry;
  expectLayout<layout::CombineEntry>(sizeof(S), {AT(CombineEntry, S, first, first), AT(CombineEntry, S, source, source),
                                                 AT(CombineEntry, S, sources, sources),
                                                 AT(CombineEntry, S, stride, stride), AT(CombineEntry, S, out, out)});
}
TEST(DeviceTypes, CopyEntry) {
  using S = SparsecCopyEntry;
  expectLayout<layout::CopyEntry>(sizeof(S),
                                  {AT(CopyEntry, S, first, first), AT(CopyEntry, S, from, from),
                                   AT(CopyEntry, S, to, to), AT(CopyEntry, S, dim, dim),
                                   AT(CopyEntry, S, fromStride, from_stride), AT(CopyEntry, S, toStride, to_stride)});
}
TEST(DeviceTypes, Occurrences) {
  using S = SparsecOccurrences;
  expectLayout<layout::Occurrences>(
      sizeof(S),
      {AT(Occurrences, S, first, first), AT(Occurrences, S, bags, bags), AT(Occurrences, S, offsets, offsets),
       AT(Occurrences, S, values, values), AT(Occurrences, S, weights, weights), AT(Occurrences, S, gradient, gradient),
       AT(Occurrences, S, dim, dim), AT(Occurrences, S, row0, row0), AT(Occurrences, S, key, key)});
}
TEST(DeviceTypes, Sorted) {
  using S = SparsecSorted;
  expectLayout<layout::Sorted>(sizeof(S), {AT(Sorted, S, keys, keys), AT(Sorted, S, order, order),
                                           AT(Sorted, S, gradient, gradient), AT(Sorted, S, weight, weight),
                                           AT(Sorted, S, from, from), AT(Sorted, S, to, to)});
}
TEST(DeviceTypes, Hyper) {
  using S = SparsecHyper;
  expectLayout<layout::Hyper>(sizeof(S), {AT(Hyper, S, lr, lr), AT(Hyper, S, scale, scale), AT(Hyper, S, step, step)});
}
TEST(DeviceTypes, UpdateEntry) {
  using S = SparsecUpdateEntry;
  expectLayout<layout::UpdateEntry>(sizeof(S), {AT(UpdateEntry, S, first, first), AT(UpdateEntry, S, key, key),
                                                AT(UpdateEntry, S, rows, rows), AT(UpdateEntry, S, field, field)});
}
TEST(DeviceTypes, SumEntry) {
  using S = SparsecSumEntry;
  expectLayout<layout::SumEntry>(sizeof(S), {AT(SumEntry, S, key, key), AT(SumEntry, S, row0, row0),
                                             AT(SumEntry, S, firstRun, first_run), AT(SumEntry, S, rows, rows),
                                             AT(SumEntry, S, out, out)});
}
TEST(DeviceTypes, ThreadAndSite) {
  expectLayout<layout::Thread>(sizeof(SparsecThread),
                               {AT(Thread, SparsecThread, thread, thread), AT(Thread, SparsecThread, block, block),
                                AT(Thread, SparsecThread, threads, threads), AT(Thread, SparsecThread, blocks, blocks),
                                AT(Thread, SparsecThread, shared, shared)});
  expectLayout<layout::Site>(sizeof(SparsecSite), {AT(Site, SparsecSite, file, file), AT(Site, SparsecSite, line, line),
                                                   AT(Site, SparsecSite, column, column)});
}
