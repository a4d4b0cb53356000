// What text tests of the import cannot show: places of ops, binary descriptions, and what the import itself refuses.
#include "passes/Import/Import.h"
#include "dialect/Rec/Rec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Import/Description/Model.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace sparsec;

namespace {

const std::string example = SPARSEC_SOURCE_DIR "/test/Inputs/language/examples/dlrm_trace.textproto";

description::Loaded load(const std::string &path) {
  description::Diagnostics diagnostics;
  std::vector<std::string> paths = {path};
  auto loaded = description::loadModel(paths, diagnostics);
  EXPECT_TRUE(loaded) << diagnostics.str();
  return std::move(*loaded);
}

/// Line and column, from 1, of `text` in the first line of the file that holds `in` too.
std::pair<unsigned, unsigned> find(const std::string &path, const std::string &text, const std::string &in = "") {
  std::ifstream file(path);
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number)
    if (size_t at = line.find(text); at != std::string::npos && line.find(in) != std::string::npos)
      return {number, at + 1};
  ADD_FAILURE() << "no " << text << " in " << path;
  return {};
}

std::pair<unsigned, unsigned> placeOf(mlir::Operation *op) {
  auto loc = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
  EXPECT_TRUE(loc) << "no file, line and column";
  EXPECT_EQ(loc.getFilename().str(), example);
  return {loc.getLine(), loc.getColumn()};
}

template <typename Op> mlir::Operation *first(mlir::func::FuncOp function) {
  return *function.getBody().getOps<Op>().begin();
}

TEST(Import, EveryOpHasThePlaceOfItsBlock) {
  mlir::MLIRContext context;
  auto module = importModel(context, load(example));
  ASSERT_TRUE(module);
  EXPECT_EQ(placeOf(module->lookupSymbol("table.s1")), find(example, "\"s1\" dim: 2"));
  EXPECT_EQ(placeOf(module->lookupSymbol("feature.x2")), find(example, "\"x{0..3}\" group"));
  EXPECT_EQ(placeOf(module->lookupSymbol("param.layer/top/1/bias")), find(example, "\"top/1\" input"));
  EXPECT_EQ(placeOf(module->lookupSymbol("task.click")), find(example, "\"click\" input"));

  auto train = module->lookupSymbol<mlir::func::FuncOp>("train");
  ASSERT_TRUE(train);
  EXPECT_EQ(placeOf(first<rec::LookupOp>(train)), find(example, "\"e{0..2}\" feature"));
  EXPECT_EQ(placeOf(first<rec::LinearOp>(train)), find(example, "\"bottom/0\" input"));
  EXPECT_EQ(placeOf(first<rec::DotInteractionOp>(train)), find(example, "\"pairs\" input"));
  EXPECT_EQ(placeOf(first<rec::MseOp>(train)), find(example, "\"click\" input"));
  EXPECT_EQ(placeOf(first<rec::MinimizeOp>(train)), find(example, "{", "training {"));
  module->walk([](mlir::Operation *op) {
    EXPECT_FALSE(llvm::isa<mlir::UnknownLoc>(op->getLoc())) << op->getName().getStringRef().str();
  });
}

TEST(Import, OpsOfBinaryDescriptionsHaveAPathAsPlace) {
  std::string path = testing::TempDir() + "/import_test.binpb";
  std::ofstream(path, std::ios::binary) << load(example).model.SerializeAsString();
  mlir::MLIRContext context;
  auto module = importModel(context, load(path));
  ASSERT_TRUE(module);
  auto named = llvm::dyn_cast<mlir::NameLoc>(module->lookupSymbol("table.s1")->getLoc());
  ASSERT_TRUE(named);
  EXPECT_EQ(named.getName().str(), "table[1].name[0]");
  auto file = llvm::dyn_cast<mlir::FileLineColLoc>(named.getChildLoc());
  ASSERT_TRUE(file);
  EXPECT_EQ(file.getFilename().str(), path);
  EXPECT_EQ(file.getLine(), 0u);
}

/// Imports a changed model; gives the one error with its line.
std::string errorAfter(void (*change)(Model &)) {
  description::Loaded loaded = load(example);
  change(loaded.model);
  mlir::MLIRContext context;
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    text +=
        std::to_string(llvm::cast<mlir::FileLineColLoc>(diagnostic.getLocation()).getLine()) + ": " + diagnostic.str();
  });
  EXPECT_FALSE(importModel(context, loaded));
  return text;
}

// Only reached if checkSupported and the import disagree; then it must be an error all the same.
TEST(Import, WhatItDoesNotKnowIsAnErrorAtItsPlace) {
  auto line = [](const std::string &text) { return std::to_string(find(example, text).first) + ": "; };
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_layer(2)->mutable_gru()->set_units(2); }),
            line("\"pairs\"") + "the kind of layer `pairs` is not supported");
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_layer(0)->mutable_linear()->set_activation(SWISH); }),
            line("\"bottom/0\"") + "activation SWISH is not supported");
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_lookup(1)->set_pooling(Lookup::NONE); }),
            line("\"e{0..2}\"") + "a lookup without pooling is not supported");
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_table(0)->mutable_optimizer()->mutable_lamb(); }),
            line("\"s0\"") + "this optimizer is not supported");
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_training()->mutable_dense_optimizer()->set_l2(1); }),
            line("\"bottom/0\"") + "weight decay is not supported");
  EXPECT_EQ(errorAfter([](Model &m) { m.mutable_task(0)->mutable_softmax(); }),
            line("\"click\"") + "the loss of task `click` is not supported");
}

} // namespace
