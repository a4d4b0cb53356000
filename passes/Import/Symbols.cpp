// Features, labels, tables, tasks, schedule and training: symbols that mirror the blocks of the description.
#include "passes/Import/Importer.h"

using namespace sparsec;
using namespace sparsec::import;
using mlir::LogicalResult, mlir::failure, mlir::success;

namespace {

class SymbolImporter {
public:
  SymbolImporter(mlir::OpBuilder &builder, const description::Loaded &loaded)
      : b(builder), loaded(loaded), model(loaded.model) {}

  LogicalResult run() {
    training();
    for (int i = 0; i < model.label_size(); ++i)
      label(i);
    for (int i = 0; i < model.feature_size(); ++i)
      feature(i);
    for (int i = 0; i < model.table_size(); ++i)
      if (mlir::failed(table(i)))
        return failure();
    for (int i = 0; i < model.task_size(); ++i)
      if (mlir::failed(task(i)))
        return failure();
    auto loc = locationOf(*b.getContext(), loaded.places->child("training").place);
    rec::ScheduleOp::create(b, loc, "schedule", model.training().schedule().warmup_steps());
    return success();
  }

private:
  std::string name(llvm::StringRef kind, const std::string &of) { return (kind + "." + of).str(); }

  void training() {
    const Training &training = model.training();
    rec::TrainingOp::create(b, locationOf(*b.getContext(), loaded.places->child("training").place), model.name(),
                            description::fingerprint(loaded), training.batch_size(), training.eval_batch_size(),
                            training.epochs(), int64_t(training.seed()), training.shuffle_rows(),
                            dataReader(b, model.data()));
  }

  void label(int index) {
    const Label &label = model.label(index);
    auto loc = locationOf(*b.getContext(), loaded.places->child("label", index).value("name"));
    rec::LabelOp::create(b, loc, name("label", label.name(0)), label.name(0), labelReader(b, label));
  }

  void feature(int index) {
    const Feature &feature = model.feature(index);
    const auto &info = loaded.features[index];
    const Hint &hint = feature.hint();
    rec::FeatureOp::create(b, locationOf(*b.getContext(), info.place), name("feature", feature.name(0)),
                           feature.name(0), info.number ? 0 : info.ids, info.number ? info.width : 1, info.bag,
                           llvm::APFloat(hint.bag_length_size() ? hint.bag_length(0) : 0.0),
                           llvm::APFloat(hint.zipf_size() ? hint.zipf(0) : 0.0), featureReader(b, feature, info));
  }

  LogicalResult table(int index) {
    const Table &table = model.table(index);
    auto loc = locationOf(*b.getContext(), loaded.tables[index].place);
    auto optimizer = optimizerAttr(b, table.optimizer(), loc);
    if (!optimizer)
      return failure();
    int64_t rows = table.rows(0), dim = table.dim(0);
    auto update = table.update() == Table::WHOLE ? rec::Update::Whole : rec::Update::Touched;
    rec::TableOp::create(b, loc, b.getStringAttr(name("table", table.name(0))), b.getStringAttr(table.name(0)),
                         b.getI64IntegerAttr(rows), b.getI64IntegerAttr(dim), initAttr(b, table.init(), rows, dim),
                         optimizer, rec::UpdateAttr::get(b.getContext(), update), /*parts=*/{}, /*strategy=*/{},
                         /*exchange=*/{});
    return success();
  }

  LogicalResult task(int index) {
    const Task &task = model.task(index);
    const auto &info = loaded.tasks[index];
    auto loc = locationOf(*b.getContext(), info.place);
    if (!task.has_bce() && !task.has_mse())
      return mlir::emitError(loc, "the loss of task `") << task.name() << "` is not supported";
    auto loss = task.has_bce() ? rec::Loss::Bce : rec::Loss::Mse;
    rec::TaskOp::create(b, loc, name("task", task.name()), task.name(), loss,
                        name("label", model.label(info.label).name(0)), llvm::APFloat(task.weight()));
    return success();
  }

  mlir::OpBuilder &b;
  const description::Loaded &loaded;
  const Model &model;
};

} // namespace

LogicalResult import::importSymbols(mlir::OpBuilder &builder, const description::Loaded &model) {
  return SymbolImporter(builder, model).run();
}
