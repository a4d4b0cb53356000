#include "codegen/Common/Work.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sparsec::codegen;

namespace {
struct Figure {
  StringLiteral name;
  double Work::*value;
};
constexpr Figure figures[] = {
    {"bytes", &Work::bytes}, {"flops", &Work::flops}, {"ids", &Work::ids}, {"items", &Work::items}};
} // namespace

void sparsec::codegen::setWork(Operation *call, ArrayRef<Work> works) {
  llvm::MapVector<Attribute, Work> byKernel;
  for (const Work &work : works) {
    Work &sum = byKernel[work.kernel];
    sum.kernel = work.kernel;
    for (const Figure &figure : figures)
      sum.*figure.value += work.*figure.value;
  }
  Builder b(call->getContext());
  SmallVector<Attribute> entries;
  for (const auto &[kernel, work] : byKernel) {
    NamedAttrList entry;
    if (kernel)
      entry.set("kernel", kernel);
    for (const Figure &figure : figures)
      if (work.*figure.value != 0)
        entry.set(figure.name, b.getF64FloatAttr(work.*figure.value));
    entries.push_back(entry.getDictionary(b.getContext()));
  }
  call->setAttr(workAttr, b.getArrayAttr(entries));
}

void sparsec::codegen::setWorkOfLast(OpBuilder &b, const Work &work) {
  if (b.getInsertionPoint() == b.getInsertionBlock()->begin())
    return;
  if (auto call = dyn_cast<LLVM::CallOp>(*std::prev(b.getInsertionPoint())))
    setWork(call, work);
}

SmallVector<Work> sparsec::codegen::workOf(Operation *call) {
  SmallVector<Work> works;
  auto entries = call->getAttrOfType<ArrayAttr>(workAttr);
  if (!entries)
    return works;
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    Work work;
    work.kernel = entry.getAs<FlatSymbolRefAttr>("kernel");
    for (const Figure &figure : figures)
      if (auto value = entry.getAs<FloatAttr>(figure.name))
        work.*figure.value = value.getValueAsDouble();
    works.push_back(work);
  }
  return works;
}
