#include "passes/Plan/Facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

namespace {

void readOrders(Table &table) {
  auto order = table.op->getAttrOfType<DictionaryAttr>(orderAttr);
  if (!order)
    return;
  if (auto name = order.getAs<StringAttr>("strategy"))
    table.strategy = findStrategy(name);
  if (auto places = order.getAs<DenseI64ArrayAttr>("places"))
    table.choice = Choice{SmallVector<int64_t>(places.asArrayRef())};
  if (auto exchange = order.getAs<rec::ExchangeAttr>("exchange"))
    table.exchange = exchange.getValue();
  if (auto together = order.getAs<IntegerAttr>("together"))
    table.together = together.getInt();
  if (auto place = order.getAs<LocationAttr>("place"))
    table.place = place;
}

/// Bag lengths and poolings of the lookups that read each table.
void readLookups(func::FuncOp train, SymbolTable &symbols, llvm::StringMap<Table *> &tables) {
  for (auto lookup : train.getOps<rec::LookupOp>()) {
    Table *table = tables.lookup(rec::tableOf(lookup.getTable()).getValue());
    if (!table)
      continue;
    double length = 1;
    if (auto ids = lookup.getIds().getDefiningOp<rec::IdsOp>())
      if (auto feature = symbols.lookup<rec::FeatureOp>(ids.getFeatureAttr().getAttr()))
        length = feature.getBagLength().convertToDouble();
    table->idsPerSample += length;
    table->lookups += 1;
    table->unique |= lookup.getPooling() == rec::Pooling::Max;
  }
}

/// A matrix of the batch has a row for each sample; one of fixed size is a parameter, by which each sample is
/// multiplied.
void readLayer(Operation &op, Facts &facts) {
  auto matrix = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 2 ? tensor : RankedTensorType();
  };
  for (Type type : op.getResultTypes())
    if (auto values = matrix(type); values && values.isDynamicDim(0))
      facts.layersWidth += values.getDimSize(1);
  for (Type type : op.getOperandTypes())
    if (auto weight = matrix(type); weight && weight.hasStaticShape())
      facts.flops += 2.0 * weight.getNumElements();
}

} // namespace

double sparsec::plan::bytesOf(rec::ParamOp param) {
  return 4.0 * param.getTensorType().getNumElements() * (1 + param.getOptimizer().getStates().size());
}

FailureOr<Facts> sparsec::plan::readFacts(ModuleOp module) {
  Facts facts{
      rec::readCluster(module), rec::readMachines(module), 1, {}, {}, false, module.getLoc(), {}, 0, 0, 0, 0, {}, {}};
  if (auto order = module->getAttrOfType<DictionaryAttr>(orderAttr)) {
    if (auto groups = order.getAs<IntegerAttr>("groups"))
      facts.groups = groups.getInt();
    if (auto shards = order.getAs<IntegerAttr>("shards"))
      facts.shards = shards.getInt();
    facts.groupsInPlan = order.contains("groups_in_plan");
    if (auto place = order.getAs<LocationAttr>("place"))
      facts.place = place;
  }
  for (auto training : module.getOps<rec::TrainingOp>()) {
    facts.batch = training.getBatch();
    facts.training = training;
  }
  for (auto op : module.getOps<rec::TableOp>()) {
    Table table{op, op.getName().str(), {}, 0, 0, 0, false, nullptr, {}, {}, op.getLoc()};
    table.facts = {int64_t(op.getRows()), int64_t(op.getDim()), op.getOptimizer().needsRowNorm()};
    for (const OptimizerState &state : op.getOptimizer().getStates())
      table.states += state.perRow ? 1 : table.facts.dim;
    readOrders(table);
    facts.tables.push_back(table);
  }
  for (auto param : module.getOps<rec::ParamOp>()) {
    facts.denseBytes += bytesOf(param);
    facts.weightBytes += 4.0 * param.getTensorType().getNumElements();
    if (!facts.largest || bytesOf(param) > bytesOf(facts.largest))
      facts.largest = param;
  }
  llvm::StringMap<Table *> byName;
  for (Table &table : facts.tables)
    byName[table.op.getSymName()] = &table;
  SymbolTable symbols(module);
  if (auto train = module.lookupSymbol<func::FuncOp>("train")) {
    readLookups(train, symbols, byName);
    for (Operation &op : train.front())
      readLayer(op, facts);
  }
  bool sound = true;
  for (Table &table : facts.tables) {
    bool max = table.unique; // so far
    if (max && table.exchange == rec::Exchange::Pooled) {
      auto diagnostic = emitError(table.place)
                        << "table `" << table.name << "` cannot exchange pooled rows: `max` pools whole rows at home";
      diagnostic.attachNote(table.place) << "write `exchange: UNIQUE_ROWS`, or leave it open";
      sound = false;
    }
    table.unique |= table.exchange == rec::Exchange::Unique;
  }
  if (!sound)
    return failure();
  return facts;
}
