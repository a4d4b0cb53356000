// The LLVM types of abi.h's structs have the C compiler's offsets.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sparsec/abi.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include <cstddef>
#include <gtest/gtest.h>

using namespace sparsec::codegen;

template <typename Struct>
static void expectLayout(size_t size, std::initializer_list<std::pair<int32_t, size_t>> fields) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  llvm::LLVMContext llvmContext;
  mlir::LLVM::TypeToLLVMIRTranslator translator(llvmContext);
  auto *type = llvm::cast<llvm::StructType>(translator.translateType(Struct::type(&context)));
  llvm::DataLayout target("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  const llvm::StructLayout *places = target.getStructLayout(type);
  EXPECT_EQ(places->getSizeInBytes(), size);
  EXPECT_EQ(type->getNumElements(), fields.size());
  for (auto [field, offset] : fields)
    EXPECT_EQ(places->getElementOffset(field).getFixedValue(), offset) << "field " << field;
}
#define AT(Mine, Struct, mine, theirs)                                                                                 \
  { layout::Mine::mine, offsetof(Struct, theirs) }

TEST(AbiTypes, Jagged) {
  expectLayout<layout::Jagged>(
      sizeof(SparsecJagged), {AT(Jagged, SparsecJagged, sources, sources), AT(Jagged, SparsecJagged, items, items),
                              AT(Jagged, SparsecJagged, bags, bags), AT(Jagged, SparsecJagged, bagStart, bag_start),
                              AT(Jagged, SparsecJagged, offsets, offsets), AT(Jagged, SparsecJagged, values, values),
                              AT(Jagged, SparsecJagged, weights, weights), AT(Jagged, SparsecJagged, counts, counts)});
}
TEST(AbiTypes, Lookup) {
  expectLayout<layout::Lookup>(sizeof(SparsecLookup),
                               {AT(Lookup, SparsecLookup, offsets, offsets), AT(Lookup, SparsecLookup, values, values),
                                AT(Lookup, SparsecLookup, weights, weights), AT(Lookup, SparsecLookup, table, table),
                                AT(Lookup, SparsecLookup, row0, row0), AT(Lookup, SparsecLookup, out, out)});
}
TEST(AbiTypes, LocalItem) {
  expectLayout<layout::LocalItem>(sizeof(SparsecLocalItem), {AT(LocalItem, SparsecLocalItem, kernel, kernel),
                                                             AT(LocalItem, SparsecLocalItem, table, table),
                                                             AT(LocalItem, SparsecLocalItem, part, part),
                                                             AT(LocalItem, SparsecLocalItem, ids, ids),
                                                             AT(LocalItem, SparsecLocalItem, out, out)});
}
TEST(AbiTypes, Combine) {
  expectLayout<layout::Combine>(sizeof(SparsecCombine),
                                {AT(Combine, SparsecCombine, source, source),
                                 AT(Combine, SparsecCombine, sources, sources),
                                 AT(Combine, SparsecCombine, stride, stride), AT(Combine, SparsecCombine, out, out)});
}
TEST(AbiTypes, Item) {
  expectLayout<layout::Item>(
      sizeof(SparsecItem),
      {AT(Item, SparsecItem, lookup, lookup), AT(Item, SparsecItem, table, table), AT(Item, SparsecItem, part, part),
       AT(Item, SparsecItem, first, first), AT(Item, SparsecItem, count, count), AT(Item, SparsecItem, col0, col0),
       AT(Item, SparsecItem, dim, dim), AT(Item, SparsecItem, rows, rows),
       AT(Item, SparsecItem, lookupKernel, lookup_kernel), AT(Item, SparsecItem, combineKernel, combine_kernel)});
}
TEST(AbiTypes, Segments) {
  expectLayout<layout::Segments>(
      sizeof(SparsecSegments),
      {AT(Segments, SparsecSegments, segments, segments), AT(Segments, SparsecSegments, rows, rows),
       AT(Segments, SparsecSegments, start, start), AT(Segments, SparsecSegments, gradient, gradient),
       AT(Segments, SparsecSegments, weight, weight), AT(Segments, SparsecSegments, out, out),
       AT(Segments, SparsecSegments, field, field), AT(Segments, SparsecSegments, lr, lr),
       AT(Segments, SparsecSegments, scale, scale), AT(Segments, SparsecSegments, step, step)});
}
TEST(AbiTypes, Update) {
  expectLayout<layout::Update>(sizeof(SparsecUpdate),
                               {AT(Update, SparsecUpdate, kernel, kernel), AT(Update, SparsecUpdate, table, table),
                                AT(Update, SparsecUpdate, part, part), AT(Update, SparsecUpdate, sweep, sweep),
                                AT(Update, SparsecUpdate, rows, rows)});
}
