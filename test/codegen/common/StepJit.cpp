#include "StepJit.h"
#include "codegen/CPU/Target.h"
#include "codegen/Emit/Compile.h"
#include "codegen/Emulate/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sparsec/emulated_thread.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace sparsec;
using namespace sparsec::test;

//===- the runtime -----------------------------------------------------------------------------------------------===//

namespace {

int32_t called(SparsecContext *context, const char *name) {
  context->calls.push_back(name);
  return context->failIn == name ? 7 : 0;
}

/// Where a device finds these numbers: a copy, made when they are first asked for.
float *place(SparsecContext *context, std::vector<float> &numbers) {
  if (!context->device)
    return numbers.data();
  void *&address = context->deviceAddress[numbers.data()];
  if (!address) {
    address = context->device->memory().allocate(numbers.size() * sizeof(float));
    std::copy(numbers.begin(), numbers.end(), static_cast<float *>(address));
  }
  return static_cast<float *>(address);
}
int32_t launch(SparsecContext *context, const SparsecKernel *kernel, int64_t blocks, const int64_t *arguments) {
  ++context->launches;
  if (Status status = context->device->launch(*kernel, blocks, arguments); !status) {
    ADD_FAILURE() << status.message();
    return 1;
  }
  return called(context, "launch");
}

int64_t batchSize(SparsecContext *context) { return context->samples; }
int64_t batchStatus(SparsecContext *) { return 0; }
int64_t firstSample(SparsecContext *context) { return context->firstSample; }
const float *input(SparsecContext *context, int32_t block) { return place(context, context->inputs.at(block)); }
const float *label(SparsecContext *context, int32_t number) { return place(context, context->labels.at(number)); }
float *param(SparsecContext *context, int32_t number, int32_t field) {
  return place(context, context->params.at(number).at(field));
}

// Never called: a step is run here as it is.
int32_t startDevice(SparsecContext *, const SparsecProgramImage *) { return 1; }

// Memory starts as NaNs: whatever is read before it is written shows.
char *poisoned(std::vector<char> &memory, int64_t bytes) {
  memory.assign(bytes + 64, char(0xff));
  return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
}
void *arena(SparsecContext *context, int64_t bytes) {
  context->arenaBytes = bytes;
  if (called(context, "arena"))
    return nullptr;
  return context->device ? context->device->memory().allocate(bytes) : poisoned(context->arena, bytes);
}
void *ragged(SparsecContext *context, int64_t bytes) {
  if (called(context, "ragged"))
    return nullptr;
  if (context->device)
    return context->device->memory().allocate(bytes);
  context->ragged.push_back(std::make_shared<std::vector<char>>());
  return poisoned(*context->ragged.back(), bytes);
}

// In uneven pieces and from the last to the first: order must not matter.
void parallel(SparsecContext *, SparsecBody body, void *argument, int64_t n, int64_t) {
  int64_t cuts[] = {0, n / 5, n / 2, n - n / 7, n};
  for (int i = 3; i >= 0; --i)
    if (cuts[i] < cuts[i + 1])
      body(argument, cuts[i], cuts[i + 1]);
}

int32_t gemm(SparsecContext *context, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
             float *with, float *c) {
  if (int32_t status = called(context, "gemm"))
    return status;
  bool sums = flags & SPARSEC_GEMM_SUMS, gradient = flags & SPARSEC_GEMM_RELU_GRADIENT;
  const float *bias = sums || gradient ? nullptr : with;
  for (int64_t i = 0; sums && i < m; ++i) {
    double sum = 0;
    for (int64_t l = 0; l < k; ++l)
      sum += flags & SPARSEC_GEMM_TRANSPOSE_A ? a[l * m + i] : a[i * k + l];
    with[i] = float(sum);
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias ? bias[j] : 0;
      for (int64_t l = 0; l < k; ++l)
        sum += double(flags & SPARSEC_GEMM_TRANSPOSE_A ? a[l * m + i] : a[i * k + l]) *
               double(flags & SPARSEC_GEMM_TRANSPOSE_B ? b[j * k + l] : b[l * n + j]);
      c[i * n + j] = float(flags & SPARSEC_GEMM_RELU ? std::max(sum, 0.0) : sum);
      if (gradient && !(with[i * n + j] > 0))
        c[i * n + j] = 0;
    }
  return 0;
}
const int64_t *wordOnDevice(SparsecContext *context, int64_t word) {
  if (called(context, "word_on_device"))
    return nullptr;
  auto *place = static_cast<int64_t *>(context->device->memory().allocate(sizeof word));
  *place = word;
  return place;
}
int32_t reportLoss(SparsecContext *context, const float *loss) {
  context->losses.push_back(*loss);
  return called(context, "report_loss");
}
void output(SparsecContext *context, int32_t task, const float *values, int64_t n) {
  context->outputs[task].assign(values, values + n);
}

} // namespace

//===- compiling -------------------------------------------------------------------------------------------------===//

std::string StepText::str() const {
  std::string text =
      "module {\n"
      "rec.training {model = \"m\", fingerprint = \"f\", batch = 8 : i64, eval_batch = 8 : i64, epochs = 1 : i64, "
      "seed = 1 : i64, shuffle_rows = 0 : i64, data = {}}\n"
      "rec.label @label.y {name = \"y\", reader = {}}\n"
      "rec.schedule @schedule {warmup_steps = " +
      std::to_string(warmupSteps) + " : i64}\n";
  std::string reads = "%b = rec.batch_size {max = " + std::to_string(batchMax) +
                      " : i64} : () -> index\n"
                      "%y = rec.labels %b {label = @label.y} : (index) -> tensor<?x1xf32>\n";
  for (int i = 0; i < tasks; ++i)
    text += "rec.task @task.t" + std::to_string(i) +
            " {name = \"t\", loss = #rec.loss<mse>, label = @label.y, weight = 1.0 : f64}\n";
  for (size_t i = 0; i < widths.size(); ++i) {
    std::string n = std::to_string(i), width = std::to_string(widths[i]);
    text += "rec.feature @feature.x" + n + " {name = \"x" + n + "\", ids = 0 : i64, width = " + width +
            " : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64, reader = {kind = \"number\"}}\n";
    reads += "%x" + n + " = rec.input %b {features = [@feature.x" + n + "]} : (index) -> tensor<?x" + width + "xf32>\n";
  }
  for (size_t i = 0; i < params.size(); ++i) {
    std::string n = std::to_string(i);
    text += "rec.param @param.p" + n + " {name = \"p" + n + "\", type = " + params[i].type +
            ", init = #rec.init<\"constant\", 0.0 : f64>, optimizer = " + params[i].optimizer + "}\n";
    reads += "%p" + n + " = rec.get {param = @param.p" + n + "} : () -> " + params[i].type + "\n";
  }
  return text + "func.func @train(%step: i64) attributes {rec.entry} {\n" + reads + body + "\nreturn\n}\n}\n";
}

struct StepJit::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

static std::string compileToObject(const std::string &text, Target target) {
  mlir::DialectRegistry registry;
  codegen::registerCodegenDialects(registry);
  codegen::registerEmitTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  codegen::CompileOptions options;
  std::unique_ptr<codegen::Target> made =
      target == Target::device ? codegen::makeEmulatedTarget() : codegen::makeCPUTarget(target == Target::threads);
  options.target = made.get();
  std::string object;
  llvm::raw_string_ostream out(object);
  if (!module || failed(codegen::lowerProgram(*module, options)) ||
      failed(codegen::emitText(*module, options.emit, codegen::OutputKind::object, out)))
    throw std::runtime_error(messages + text);
  return object;
}

StepJit::StepJit(const std::string &text, Target target) : state(std::make_unique<State>()), target(target) {
  std::string object = compileToObject(text, target);
  llvm::ExitOnError check("jit: ");
  state->jit = check(llvm::orc::LLJITBuilder().create());
  llvm::orc::SymbolMap runtime;
  auto define = [&](const char *name, auto *function) {
    runtime[state->jit->mangleAndIntern(std::string("sparsec_") + name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                                                            llvm::JITSymbolFlags::Exported};
  };
  define("batch_size", batchSize);
  define("batch_status", batchStatus);
  define("first_sample", firstSample);
  define("input", input);
  define("label", label);
  define("param", param);
  define("arena", arena);
  define("ragged", ragged);
  define("parallel", ::parallel);
  define("gemm", gemm);
  define("word_on_device", wordOnDevice);
  define("report_loss", reportLoss);
  define("output", output);
  define("backend_emulated", startDevice);
  define("launch", launch);
  define("emulated_access", sparsec_emulated_access);
  define("emulated_barrier", sparsec_emulated_barrier);
  define("emulated_shuffle", sparsec_emulated_shuffle);
  llvm::orc::JITDylib &library = state->jit->getMainJITDylib();
  check(library.define(llvm::orc::absoluteSymbols(std::move(runtime))));
  library.addGenerator(check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      state->jit->getDataLayout().getGlobalPrefix()))); // libm
  check(state->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object)));
  image = check(state->jit->lookup("sparsec_program")).toPtr<const SparsecProgramImage *>();
}

StepJit::~StepJit() = default;

//===- running ---------------------------------------------------------------------------------------------------===//

int32_t StepJit::trainOnDevice(SparsecContext &context, int64_t step, EmulationOrder order) const {
  Emulator emulator;
  emulator.setOrder(order);
  context.device = &emulator;
  int32_t status = image->train.step(&context, step);
  for (auto &fields : context.params)
    for (auto &field : fields)
      if (auto found = context.deviceAddress.find(field.data()); found != context.deviceAddress.end())
        std::memcpy(field.data(), found->second, field.size() * sizeof(float));
  context.deviceAddress.clear();
  context.device = nullptr;
  return status;
}

/// Equal bits: NaNs too.
static bool same(const std::vector<float> &one, const std::vector<float> &other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

int32_t StepJit::train(SparsecContext &context, int64_t step) const {
  if (target != Target::device)
    return image->train.step(&context, step);
  SparsecContext before = context;
  int32_t status = trainOnDevice(context, step, {EmulationOrder::forward});
  for (EmulationOrder order :
       {EmulationOrder{EmulationOrder::reversed}, EmulationOrder{EmulationOrder::random, uint64_t(step)}}) {
    SparsecContext again = before;
    EXPECT_EQ(trainOnDevice(again, step, order), status);
    EXPECT_TRUE(same(again.losses, context.losses));
    for (auto &[task, values] : context.outputs)
      EXPECT_TRUE(same(again.outputs[task], values));
    for (size_t i = 0; i < context.params.size(); ++i)
      for (size_t field = 0; field < context.params[i].size(); ++field)
        EXPECT_TRUE(same(again.params[i][field], context.params[i][field]));
  }
  return status;
}

//===- numbers ---------------------------------------------------------------------------------------------------===//

Matrix test::randomMatrix(int64_t rows, int64_t columns, unsigned seed, double scale) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  Matrix result(rows * columns);
  for (float &value : result)
    value = uniform(generator);
  return result;
}

void test::expectNear(const std::vector<float> &actual, const std::vector<double> &expected, double relative,
                      double floor) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    double allowed = relative * std::max(std::abs(expected[i]), floor);
    ASSERT_LE(std::abs(actual[i] - expected[i]), allowed)
        << "element " << i << ": " << actual[i] << ", expected " << expected[i];
  }
}
