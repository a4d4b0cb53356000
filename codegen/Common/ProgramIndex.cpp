#include "codegen/Common/ProgramIndex.h"
#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

ProgramIndex::ProgramIndex(ModuleOp module) {
  auto number = [&](auto op, Numbers &numbers) {
    numbers.try_emplace(FlatSymbolRefAttr::get(op.getSymNameAttr()), int32_t(numbers.size()));
  };
  for (Operation &op : *module.getBody())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](rec::TableOp table) { number(table, tables); })
        .Case([&](rec::FeatureOp feature) { number(feature, features); })
        .Case([&](rec::LabelOp label) { number(label, labels); })
        .Case([&](rec::ParamOp param) { number(param, params); })
        .Case([&](rec::TaskOp task) { number(task, tasks); });
  module.walk([&](rec::InputOp input) {
    ArrayAttr features = input.getFeatures();
    if (blockNumbers.try_emplace(features, int32_t(blocks.size())).second)
      blocks.push_back(features);
  });
}
