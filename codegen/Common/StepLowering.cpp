// Where a step touches the world: the batch, dense parameters and their updates, results.
#include "codegen/Common/DenseLowering.h"
#include "codegen/Common/ProgramIndex.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

//===- the batch -------------------------------------------------------------------------------------------------===//

/// The bound is said in the IR (`min`), so that the memory plan finds it, and holds whatever the runtime says.
static SmallVector<Value> lowerBatchSize(ImplicitLocOpBuilder &b, rec::BatchSizeOp op) {
  RuntimeCalls calls(b);
  Value size = calls.asIndex(calls.call("sparsec_batch_size", b.getI64Type(), {}));
  Value most = arith::ConstantIndexOp::create(b, op.getMax());
  return {arith::MinUIOp::create(b, size, most)};
}
static SmallVector<Value> lowerBatchStatus(ImplicitLocOpBuilder &b, rec::BatchStatusOp) {
  return {RuntimeCalls(b).call("sparsec_batch_status", b.getI64Type(), {})};
}
static SmallVector<Value> lowerFirstSample(ImplicitLocOpBuilder &b, rec::FirstSampleOp) {
  return {RuntimeCalls(b).call("sparsec_first_sample", b.getI64Type(), {})};
}
static Value readBatch(ImplicitLocOpBuilder &b, StringRef function, int32_t number, Value size, Value like) {
  RuntimeCalls calls(b);
  auto type = tensorType(like);
  Value data = calls.call(function, calls.pointer(), {calls.constant(number)});
  return calls.tensorAt(data, type, type.isDynamicDim(0) ? ValueRange{size} : ValueRange{});
}
static SmallVector<Value> lowerInput(ImplicitLocOpBuilder &b, rec::InputOp op, const ProgramIndex &index) {
  return {readBatch(b, "sparsec_input", index.inputBlock(op.getFeatures()), op.getSize(), op.getValues())};
}
static SmallVector<Value> lowerLabels(ImplicitLocOpBuilder &b, rec::LabelsOp op, const ProgramIndex &index) {
  return {readBatch(b, "sparsec_label", index.label(op.getLabelAttr()), op.getSize(), op.getValues())};
}

//===- parameters ------------------------------------------------------------------------------------------------===//

static Value parameterField(ImplicitLocOpBuilder &b, const ProgramIndex &index, FlatSymbolRefAttr param,
                            int32_t field) {
  RuntimeCalls calls(b);
  return calls.call("sparsec_param", calls.pointer(), {calls.constant(index.param(param)), calls.constant(field)});
}

/// Reads the parameter's own memory: updates come last (LowerDense sees to that).
static SmallVector<Value> lowerGet(ImplicitLocOpBuilder &b, rec::GetOp op, const ProgramIndex &index) {
  return {RuntimeCalls(b).tensorAt(parameterField(b, index, op.getParamAttr(), 0), tensorType(op.getValue()), {})};
}

static SmallVector<Value> lowerLearningRate(ImplicitLocOpBuilder &b, rec::LearningRateOp op) {
  auto schedule = SymbolTable::lookupNearestSymbolFrom<rec::ScheduleOp>(op, op.getScheduleAttr());
  auto f64 = b.getF64Type();
  Value one = number(b, 1, f64);
  int64_t warmup = schedule.getWarmupSteps();
  Value factor = one;
  if (warmup > 0) {
    Value step = arith::SIToFPOp::create(b, f64, op.getStep());
    Value part = arith::DivFOp::create(b, step, number(b, double(warmup), f64));
    Value last = arith::ConstantOp::create(b, b.getI64IntegerAttr(warmup));
    Value warming = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, op.getStep(), last);
    factor = arith::SelectOp::create(b, warming, part, one);
  }
  return {arith::TruncFOp::create(b, b.getF32Type(), factor)};
}

/// One pass over weight, states and gradient, element by element, in place.
static SmallVector<Value> lowerApply(ImplicitLocOpBuilder &b, rec::ApplyOp op, const ProgramIndex &index) {
  RuntimeCalls calls(b);
  auto param = SymbolTable::lookupNearestSymbolFrom<rec::ParamOp>(op, op.getParamAttr());
  OptimizerAttrInterface optimizer = param.getOptimizer();
  auto shape = tensorType(op.getGradient());
  auto flat = MemRefType::get({shape.getNumElements()}, b.getF32Type());

  Value gradient = bufferization::ToBufferOp::create(b, MemRefType::get(shape.getShape(), b.getF32Type()),
                                                     op.getGradient(), /*read_only=*/true);
  if (shape.getRank() > 1)
    gradient = memref::CollapseShapeOp::create(b, gradient, {llvm::to_vector(llvm::seq<int64_t>(0, shape.getRank()))});
  SmallVector<Value> fields;
  size_t states = optimizer.getStates().size();
  for (size_t i = 0; i <= states; ++i)
    fields.push_back(calls.memrefAt(parameterField(b, index, op.getParamAttr(), i), flat, {}));
  Value rate = arith::MulFOp::create(b, number(b, optimizer.getLearningRate(), b.getF32Type()), op.getFactor());

  SmallVector<AffineMap> maps(fields.size() + 1, b.getMultiDimIdentityMap(1));
  linalg::GenericOp::create(b, TypeRange{}, ValueRange{gradient}, fields, maps, {utils::IteratorType::parallel},
                            [&](OpBuilder &inner, Location loc, ValueRange in) {
                              ImplicitLocOpBuilder ib(loc, inner);
                              UpdateInputs inputs;
                              inputs.gradient = in[0];
                              inputs.weight = in[1];
                              inputs.states.assign(in.begin() + 2, in.end());
                              inputs.learningRate = rate;
                              inputs.step = op.getStep();
                              linalg::YieldOp::create(ib, optimizer.emitUpdate(ib, inputs));
                            });
  return {};
}

//===- results ---------------------------------------------------------------------------------------------------===//

static SmallVector<Value> lowerReport(ImplicitLocOpBuilder &b, rec::ReportOp op) {
  RuntimeCalls calls(b);
  Value place = calls.newBuffer(RankedTensorType::get({}, b.getF32Type()), {}); // where the step's data is
  memref::StoreOp::create(b, op.getLoss(), place, ValueRange());
  calls.check("sparsec_report_loss", {calls.address(place)});
  return {};
}
static SmallVector<Value> lowerOutput(ImplicitLocOpBuilder &b, rec::OutputOp op, const ProgramIndex &index) {
  RuntimeCalls calls(b);
  Value rows = tensor::DimOp::create(b, op.getValues(), 0), columns = tensor::DimOp::create(b, op.getValues(), 1);
  Value count = calls.asI64(arith::MulIOp::create(b, rows, columns));
  calls.call("sparsec_output", Type(),
             {calls.constant(index.task(op.getTaskAttr())), calls.address(op.getValues()), count});
  return {};
}

void codegen::populateStepLowerings(RewritePatternSet &patterns, const ProgramIndex &index) {
  addLowering(patterns, lowerBatchSize);
  addLowering(patterns, lowerBatchStatus);
  addLowering(patterns, lowerFirstSample);
  addLowering(patterns, index, lowerInput);
  addLowering(patterns, index, lowerLabels);
  addLowering(patterns, index, lowerGet);
  addLowering(patterns, lowerLearningRate);
  addLowering(patterns, index, lowerApply);
  addLowering(patterns, lowerReport);
  addLowering(patterns, index, lowerOutput);
}
