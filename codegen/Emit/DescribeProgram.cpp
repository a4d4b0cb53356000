// The model's symbols as the JSON that the executable reads (runtime/include/sparsec/Program.h).
// Everything is numbered as in ProgramIndex: by the order of the symbol ops, input blocks by first use.
#include "codegen/Common/ProgramIndex.h"
#include "codegen/Emit/Compile.h"
#include "codegen/Emit/ReaderFields.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "sparsec/Program.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

static InitialValues initOf(rec::InitAttr init) {
  InitialValues result;
  result.kind = init.getKind().str();
  result.value = init.getValue().getValueAsDouble();
  if (auto values = init.getValues())
    result.values.assign(values.asArrayRef().begin(), values.asArrayRef().end());
  return result;
}

static OptimizerUse optimizerOf(OptimizerAttrInterface optimizer) {
  OptimizerUse result;
  result.rule = optimizer.getRule().str();
  for (auto &[name, value] : optimizer.getHyperparameters())
    result.hyperparameters.emplace_back(name.str(), value);
  for (const OptimizerState &state : optimizer.getStates())
    result.states.push_back({state.name.str(), state.perRow, state.start});
  return result;
}

static TableInfo tableOf(rec::TableOp table) {
  TableInfo result;
  result.name = table.getName().str();
  result.rows = table.getRows();
  result.dim = table.getDim();
  result.strategy = table.getStrategy().value_or("data_parallel").str();
  result.init = initOf(table.getInit());
  result.optimizer = optimizerOf(table.getOptimizer());
  result.whole = table.getUpdate() == rec::Update::Whole;
  if (!table.getParts()) {
    result.parts.push_back({0, result.dim, /*replicated=*/true, 0, 1});
    return result;
  }
  for (auto part : table.getPartsAttr().getAsRange<rec::PartAttr>())
    result.parts.push_back({part.getCol0(), part.getDim(), part.isReplicated(), part.getFirst(), part.getCount()});
  return result;
}

static void describeTraining(rec::TrainingOp training, Program &program) {
  program.model = training.getModel().str();
  program.fingerprint = training.getFingerprint().str();
  program.batchSize = training.getBatch();
  program.evalBatchSize = training.getEvalBatch();
  program.epochs = training.getEpochs();
  program.shuffleRows = training.getShuffleRows();
  program.seed = uint64_t(training.getSeed());
}

/// Symbols in the order of the module.
static LogicalResult describeSymbols(ModuleOp module, const ProgramIndex &index, Program &program) {
  for (Operation &op : *module.getBody()) {
    auto emitError = [&] { return op.emitError(); };
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](rec::TrainingOp training) {
              describeTraining(training, program);
              return readFields(training.getData(), program.data, emitError);
            })
            .Case([&](comm::MeshOp mesh) {
              program.mesh = {mesh.getExtent("replicate"), mesh.getExtent("node"), mesh.getExtent("shard")};
              return success();
            })
            .Case([&](rec::LabelOp label) {
              program.labels.emplace_back().name = label.getName().str();
              return readFields(label.getReader(), program.labels.back(), emitError);
            })
            .Case([&](rec::FeatureOp feature) {
              FeatureColumn &column = program.features.emplace_back();
              column.name = feature.getName().str();
              column.width = feature.getWidth();
              column.ids = feature.getIds();
              return readFields(feature.getReader(), column, emitError);
            })
            .Case([&](rec::TableOp table) {
              program.tables.push_back(tableOf(table));
              return success();
            })
            .Case([&](rec::ParamOp param) {
              program.params.push_back({param.getName().str(), param.getTensorType().getShape().vec(),
                                        initOf(param.getInit()), optimizerOf(param.getOptimizer())});
              return success();
            })
            .Case([&](rec::TaskOp task) {
              program.tasks.push_back({task.getName().str(), stringifyLoss(task.getLoss()).str(),
                                       index.label(task.getLabelAttr()), task.getWeight().convertToDouble()});
              return success();
            })
            .Case([&](rec::ScheduleOp schedule) {
              program.warmupSteps = schedule.getWarmupSteps();
              return success();
            })
            .Default(success());
    if (failed(result))
      return failure();
  }
  return success();
}

static void describeInputs(const ProgramIndex &index, Program &program) {
  for (ArrayAttr features : index.inputBlocks()) {
    InputBlock &block = program.inputs.emplace_back();
    for (auto feature : features.getAsRange<FlatSymbolRefAttr>()) {
      block.features.push_back(index.feature(feature));
      block.width += program.features[block.features.back()].width;
    }
  }
}

LogicalResult sparsec::codegen::describeProgram(ModuleOp module, const CompileOptions &options) {
  ProgramIndex index(module);
  Program program;
  program.target = options.target->name().str();
  program.matmul = options.target->matmul().str();
  program.compiler = options.compiler;
  program.plan = options.plan;
  if (failed(describeSymbols(module, index, program)))
    return failure();
  describeInputs(index, program);
  if (std::string backend = options.target->runtimeParts().backend; !backend.empty())
    module->setAttr(backendAttr, StringAttr::get(module.getContext(), backend));
  module->setAttr(programAttr, StringAttr::get(module.getContext(), writeProgram(program)));
  return success();
}
