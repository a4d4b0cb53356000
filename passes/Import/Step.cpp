// `@train`: the batch, lookups, layers and losses, in the order ids, handles, lookups, layers, losses, report,
// minimize.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Import/Layers.h"

using namespace sparsec;
using namespace sparsec::import;
using description::TensorRef;
using mlir::LogicalResult, mlir::failure, mlir::success, mlir::Value;

namespace {

class StepImporter {
public:
  StepImporter(mlir::OpBuilder &module, const description::Loaded &loaded)
      : loaded(loaded), model(loaded.model), context(*module.getContext()), symbols(module),
        b(mlir::UnknownLoc::get(module.getContext()), module), layers(symbols, b, model.training()) {}

  LogicalResult run() {
    b.setLoc(locationOf(context, loaded.places->child("training").place));
    auto type = b.getFunctionType({b.getI64Type()}, {});
    auto train = mlir::func::FuncOp::create(b, "train", type);
    train->setAttr("rec.entry", b.getUnitAttr());
    symbols.setInsertionPoint(train);
    b.setInsertionPointToStart(train.addEntryBlock());
    step = train.getArgument(0);
    size = rec::BatchSizeOp::create(b, model.training().batch_size());
    Value first;
    if (llvm::any_of(model.layer(), LayerImporter::hasDropout))
      first = rec::FirstSampleOp::create(b, b.getI64Type());
    layers.setStep(step, first);
    if (mlir::failed(lookups()))
      return failure();
    results.resize(model.layer_size());
    for (int index : loaded.layerOrder)
      if (mlir::failed(layer(index)))
        return failure();
    return losses();
  }

private:
  void at(const description::Place &place) { b.setLoc(locationOf(context, place)); }

  LogicalResult lookups() {
    std::map<int, Value> ids, handles;
    for (const auto &info : loaded.lookups)
      ids[info.feature], handles[info.table];
    for (auto &[feature, value] : ids) {
      at(loaded.features[feature].place);
      value = rec::IdsOp::create(b, rec::JaggedType::get(&context, 1, 1), size,
                                 symbol(context, "feature", model.feature(feature).name(0)));
    }
    for (auto &[table, value] : handles) {
      const Table &block = model.table(table);
      at(loaded.tables[table].place);
      value = rec::HandleOp::create(b, rec::TableType::get(&context, block.rows(0), block.dim(0)),
                                    symbol(context, "table", block.name(0)));
    }
    for (int i = 0; i < model.lookup_size(); ++i) {
      const auto &info = loaded.lookups[i];
      at(info.place);
      auto pooling = poolingOf(model.lookup(i).pooling());
      if (!pooling)
        return mlir::emitError(b.getLoc(), "a lookup without pooling is not supported");
      pooled.push_back(rec::LookupOp::create(b, matrix(model.table(info.table).dim(0)), ids[info.feature],
                                             handles[info.table], model.lookup(i).name(0), *pooling));
    }
    return success();
  }

  static std::optional<rec::Pooling> poolingOf(Lookup::Pooling pooling) {
    switch (pooling) {
    case Lookup::SUM:
      return rec::Pooling::Sum;
    case Lookup::MEAN:
      return rec::Pooling::Mean;
    case Lookup::MAX:
      return rec::Pooling::Max;
    case Lookup::NONE:
      return std::nullopt;
    }
    return std::nullopt;
  }

  LogicalResult layer(int index) {
    const Layer &layer = model.layer(index);
    const auto &info = loaded.layers[index];
    at(info.place);
    auto alone = [&] { return eachAlone(info.inputs); };
    auto joined = [&] { return sideBySide(info.inputs); };
    results[index] = layers.import(layer, {alone, joined});
    return success(bool(results[index]));
  }

  llvm::SmallVector<Value> eachAlone(const std::vector<TensorRef> &inputs) {
    return llvm::map_to_vector(inputs, [&](TensorRef input) { return tensor(input); });
  }

  /// One matrix of all inputs; number features next to each other are one tensor from the start.
  Value sideBySide(const std::vector<TensorRef> &inputs) {
    llvm::SmallVector<Value> pieces;
    std::vector<int> run;
    auto endRun = [&] {
      if (!run.empty())
        pieces.push_back(numbers(run));
      run.clear();
    };
    for (TensorRef input : inputs) {
      if (input.kind == TensorRef::Feature) {
        run.push_back(input.index);
        continue;
      }
      endRun();
      pieces.push_back(tensor(input));
    }
    endRun();
    return layers.concat(pieces);
  }

  Value tensor(TensorRef ref) {
    switch (ref.kind) {
    case TensorRef::Feature:
      return numbers({ref.index});
    case TensorRef::Lookup:
      return pooled[ref.index];
    case TensorRef::Layer:
      return results[ref.index];
    }
    llvm_unreachable("a tensor is one of three kinds");
  }

  Value numbers(const std::vector<int> &features) {
    Value &value = inputs[features];
    if (value)
      return value;
    int64_t width = 0;
    llvm::SmallVector<mlir::Attribute> names;
    for (int feature : features) {
      width += loaded.features[feature].width;
      names.push_back(symbol(context, "feature", model.feature(feature).name(0)));
    }
    auto place = locationOf(context, loaded.features[features.front()].place);
    return value = rec::InputOp::create(b, place, matrix(width), size, b.getArrayAttr(names));
  }

  LogicalResult losses() {
    llvm::SmallVector<Value> terms;
    for (int i = 0; i < model.task_size(); ++i) {
      const auto &info = loaded.tasks[i];
      at(info.place);
      Value loss = this->loss(model.task(i), tensor(info.input), label(info.label));
      if (!loss)
        return failure();
      terms.push_back(loss);
    }
    b.setLoc(locationOf(context, loaded.places->child("training").place));
    Value total = terms.front();
    for (Value term : llvm::drop_begin(terms))
      total = mlir::arith::AddFOp::create(b, total, term);
    // The report comes first: a loss that is not finite stops every rank before any update.
    rec::ReportOp::create(b, total);
    rec::MinimizeOp::create(b, terms, step, "schedule");
    mlir::func::ReturnOp::create(b);
    return success();
  }

  Value loss(const Task &task, Value output, Value label) {
    auto name = symbol(context, "task", task.name());
    auto weight = b.getF64FloatAttr(task.weight());
    if (task.has_bce())
      return rec::BceOp::create(b, b.getF32Type(), output, label, size, weight, name);
    if (task.has_mse())
      return rec::MseOp::create(b, b.getF32Type(), output, label, size, weight, name);
    mlir::emitError(b.getLoc(), "the loss of task `") << task.name() << "` is not supported";
    return {};
  }

  Value label(int index) {
    Value &value = labels[index];
    if (!value)
      value = rec::LabelsOp::create(b, matrix(1), size, symbol(context, "label", model.label(index).name(0)));
    return value;
  }

  mlir::RankedTensorType matrix(int64_t width) {
    return mlir::RankedTensorType::get({mlir::ShapedType::kDynamic, width}, b.getF32Type());
  }

  const description::Loaded &loaded;
  const Model &model;
  mlir::MLIRContext &context;
  mlir::OpBuilder symbols;
  mlir::ImplicitLocOpBuilder b;
  LayerImporter layers;
  Value step, size;
  std::vector<Value> pooled, results;       // by lookup, by layer
  std::map<std::vector<int>, Value> inputs; // by the number features in them
  std::map<int, Value> labels;
};

} // namespace

LogicalResult import::importStep(mlir::OpBuilder &builder, const description::Loaded &model) {
  return StepImporter(builder, model).run();
}
