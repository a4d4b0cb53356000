#include "passes/Import/Description/Fields.h"
#include "dialect/proto/model.pb.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Schema.h"
#include "passes/Import/Description/Words.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <unordered_map>

namespace sparsec::description {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr double unbounded = std::numeric_limits<double>::infinity();

struct Range {
  double least, most;
  bool openLeast = false, openMost = false;
  const char *rule; // as in: `ids` must ...

  bool holds(double x) const { return (openLeast ? x > least : x >= least) && (openMost ? x < most : x <= most); }
  // Exact: a double cannot tell 2^53 from 2^53 + 1. No range of integers is open.
  bool holds(int64_t x) const { return x >= static_cast<int64_t>(least) && x <= static_cast<int64_t>(most); }
};

constexpr Range id{1, 0x1p40, false, false, "lie in [1, 2^40]"};
constexpr Range id0{0, 0x1p40, false, false, "lie in [0, 2^40]"};
constexpr Range width{1, 1 << 20, false, false, "lie in [1, 2^20]"};
constexpr Range dim{1, 1 << 14, false, false, "lie in [1, 16384]"}; // kernels are made for it
constexpr Range depth{1, 64, false, false, "lie in [1, 64]"};       // each layer is code of its own
constexpr Range count1{1, 0x1p31 - 1, false, false, "lie in [1, 2^31 - 1]"};
constexpr Range count0{0, 0x1p31 - 1, false, false, "lie in [0, 2^31 - 1]"};
constexpr Range step1{1, 0x1p53, false, false, "lie in [1, 2^53]"};
constexpr Range step0{0, 0x1p53, false, false, "lie in [0, 2^53]"};
constexpr Range positive{0, unbounded, true, true, "be positive"};
constexpr Range atLeast0{0, unbounded, false, true, "be 0 or more"};
constexpr Range share{0, 1, false, true, "lie in [0, 1)"};
constexpr Range unit{0, 1, false, false, "lie in [0, 1]"};

// Every number with a range of its own; all other floating-point numbers must be finite.
const std::unordered_map<std::string, Range> &ranges() {
  static const std::unordered_map<std::string, Range> table = {
      {"Feature.ids", id},
      {"Feature.max_length", count1},
      {"Number.width", width},
      {"Standardise.stddev", positive},
      {"Vocabulary.oov_ids", id0},
      {"Hint.bag_length", atLeast0},
      {"Hint.zipf", atLeast0},
      {"Table.dim", dim},
      {"Table.rows", id},
      {"Init.uniform", atLeast0},
      {"Init.normal", atLeast0},
      {"Linear.units", width},
      {"Mlp.units", width},
      {"Mlp.dropout", share},
      {"CrossVector.layers", depth},
      {"Cross.layers", depth},
      {"Cross.rank", width},
      {"Dropout.rate", share},
      {"BatchNorm.eps", positive},
      {"BatchNorm.new_share", unit},
      {"LayerNorm.eps", positive},
      {"SelfAttention.heads", width},
      {"Gru.units", width},
      {"TargetAttention.units", width},
      {"Task.weight", atLeast0},
      {"TwinFocus.gamma", atLeast0},
      {"TwinFocus.alpha", unit},
      {"Training.batch_size", count1},
      {"Training.eval_batch_size", count1},
      {"Training.epochs", step1},
      {"Training.shuffle_rows", step0},
      {"SyncWeights.max_every", step1},
      {"Schedule.warmup_steps", step0},
      {"Polynomial.start_step", step0},
      {"Polynomial.steps", step1},
      {"Polynomial.power", positive},
      {"Polynomial.end_factor", atLeast0},
      {"Steps.at", step1},
      {"Steps.factor", atLeast0},
      {"Cosine.start_step", step0},
      {"Cosine.steps", step1},
      {"Cosine.end_factor", atLeast0},
      {"Clip.value", positive},
      {"Clip.global_norm", positive},
      {"EarlyStop.patience", step1},
      {"Optimizer.l2", atLeast0},
      {"Optimizer.decoupled", atLeast0},
      {"Sgd.lr", atLeast0},
      {"Momentum.lr", atLeast0},
      {"Momentum.mu", share},
      {"AdaGrad.lr", atLeast0},
      {"AdaGrad.eps", positive},
      {"AdaGrad.start", atLeast0},
      {"RowWiseAdaGrad.lr", atLeast0},
      {"RowWiseAdaGrad.eps", positive},
      {"RowWiseAdaGrad.start", atLeast0},
      {"RowWiseAdaGrad.moment_scale", positive},
      {"Adam.lr", atLeast0},
      {"Adam.beta1", share},
      {"Adam.beta2", share},
      {"Adam.eps", positive},
      {"PartialRowWiseAdam.lr", atLeast0},
      {"PartialRowWiseAdam.beta1", share},
      {"PartialRowWiseAdam.beta2", share},
      {"PartialRowWiseAdam.eps", positive},
      {"Lamb.lr", atLeast0},
      {"Lamb.beta1", share},
      {"Lamb.beta2", share},
      {"Lamb.eps", positive},
      {"Lars.lr", atLeast0},
      {"Lars.mu", share},
      {"Lars.trust", positive},
      {"Ftrl.lr", atLeast0},
      {"Ftrl.l1_strength", atLeast0},
      {"Ftrl.l2_strength", atLeast0},
      {"Ftrl.beta", atLeast0},
      // Clusters.
      {"Device.memory_gib", positive},
      {"Device.reserved_gib", atLeast0},
      {"Device.copy_gb_per_s", positive},
      {"Device.fp32_tflops", positive},
      {"Device.bf16_tflops", positive},
      {"Device.launch_us", positive},
      {"Gather.row_bytes", count1},
      {"Gather.gb_per_s", positive},
      {"Gemm.m", count1},
      {"Gemm.n", count1},
      {"Gemm.k", count1},
      {"Gemm.tflops", positive},
      {"Host.devices", count1},
      {"Host.cores", count1},
      {"Host.memory_gib", atLeast0},
      {"Host.copy_gb_per_s", positive},
      {"Host.to_device_gb_per_s", positive},
      {"Host.shared_by", count1},
      {"Host.disk_gib", atLeast0},
      {"Host.disk_gb_per_s", positive},
      {"Link.joins", count1},
      {"Link.gb_per_s", positive},
      {"Link.latency_us", positive},
      {"Link.shared_by", count1},
      {"Transfer.bytes", step1},
      {"Transfer.us", positive},
      // Plans.
      {"Mesh.groups", count1},
      {"Mesh.shards", count1},
      {"Placement.hot_rows", id0},
      {"Placement.cache_rows", id},
      {"TableWise.rank", count0},
      {"ColumnWise.rank", count0},
      {"TableRowWise.host", count0},
      {"Grid.host", count0},
      {"Plan.sync_every", step1},
      // Schedules.
      {"TunedLookup.dim", dim},
      {"TunedLookup.bag_length", atLeast0},
      {"MeasuredSchedule.chunk", count0},
      {"MeasuredSchedule.lanes", count1},
      {"MeasuredSchedule.rows", count1},
      {"MeasuredSchedule.threads", count1},
      {"MeasuredSchedule.resident_blocks", count1},
      {"MeasuredSchedule.measured_us", positive},
  };
  return table;
}

const Range *rangeOf(const FieldDescriptor &field) {
  static thread_local std::unordered_map<const FieldDescriptor *, const Range *> known;
  auto [entry, isNew] = known.try_emplace(&field, nullptr);
  if (isNew)
    if (auto found = ranges().find(field.full_name().substr(std::strlen("sparsec."))); found != ranges().end())
      entry->second = &found->second;
  return entry->second;
}

// Lists whose elements are layers, each code of its own.
constexpr int mostUnits = 64;
bool isUnits(const FieldDescriptor &field) { return field.is_repeated() && field.name() == "units"; }

// Whether a number ends as fp32 in what is compiled. The reader computes in double, and the planner estimates.
bool becomesFp32(const FieldDescriptor &field) {
  const std::string &block = field.containing_type()->name();
  return field.file() == sparsec::Model::descriptor()->file() && block != "Step" && block != "Standardise" &&
         block != "Bucketize" && block != "Hint";
}

struct Broken {
  const char *rule; // null: none
  std::string got;
};

Broken brokenRule(const Message &message, const FieldDescriptor &field, int index) {
  const auto *r = message.GetReflection();
  const Range *range = rangeOf(field);
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    double x = field.is_repeated() ? r->GetRepeatedDouble(message, &field, index) : r->GetDouble(message, &field);
    if (!std::isfinite(x))
      return {"be a finite number", decimal(x)};
    if (range && !range->holds(x))
      return {range->rule, decimal(x)};
    double rounded = static_cast<float>(x);
    if (bool finite = std::isfinite(rounded); becomesFp32(field) && (!finite || (range && !range->holds(rounded))))
      return {finite ? range->rule : "be a finite number",
              fmt::format("{}, which is {} in fp32", decimal(x), decimal(rounded))};
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 && range) {
    int64_t x = field.is_repeated() ? r->GetRepeatedInt64(message, &field, index) : r->GetInt64(message, &field);
    if (!range->holds(x))
      return {range->rule, std::to_string(x)};
  }
  return {nullptr, ""};
}

void checkNumber(const Message &message, const FieldDescriptor &field, int index, const Node &places,
                 Diagnostics &diagnostics) {
  if (Broken broken = brokenRule(message, field, index); broken.rule)
    diagnostics.error(places.value(field.name(), index),
                      fmt::format("`{}` must {}, but got {}", field.name(), broken.rule, broken.got));
}

std::string whyRequired(const FieldDescriptor &field) {
  if (field.name() == "eps" && field.containing_type()->name() != "BatchNorm" &&
      field.containing_type()->name() != "LayerNorm")
    return "systems differ here (1e-10, 1e-8, 1e-7), so sparsec has no default";
  if (field.name() == "language")
    return "write `language: 1` first";
  if (field.name() == "source")
    return "say where the numbers come from: measured, a data sheet, assumed";
  return field.enum_type() ? "expected " + valuesOf(*field.enum_type()) : "";
}

bool isSet(const Message &message, const FieldDescriptor &field) {
  const auto *r = message.GetReflection();
  return field.is_repeated() ? r->FieldSize(message, &field) > 0 : r->HasField(message, &field);
}

void checkPresence(const Message &message, const Node &places, const std::string &what, Diagnostics &diagnostics) {
  const auto &type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor &field = *type.field(i);
    if (!isRequired(field) || isSet(message, field))
      continue;
    std::string rule = "needs " + field.name();
    Diagnostic &d = diagnostics.error(places.place, fmt::format("{} needs `{}`", what, field.name()), rule);
    if (std::string why = whyRequired(field); !why.empty())
      d.note(why);
  }
  for (int i = 0; i < type.oneof_decl_count(); ++i) {
    const auto &oneof = *type.oneof_decl(i);
    if (!isRequired(oneof) || message.GetReflection()->HasOneof(message, &oneof))
      continue;
    std::vector<std::string_view> members;
    for (int k = 0; k < oneof.field_count(); ++k)
      members.push_back(oneof.field(k)->name());
    diagnostics.error(places.place, fmt::format("{} needs a {}", what, oneof.name()), "needs " + oneof.name())
        .note("expected " + oneOf(members));
  }
}

} // namespace

void checkFields(const Message &message, const Node &places, const std::string &what, Diagnostics &diagnostics) {
  checkPresence(message, places, what, diagnostics);
  std::vector<const FieldDescriptor *> fields;
  const auto *r = message.GetReflection();
  r->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    int n = field->is_repeated() ? r->FieldSize(message, field) : 1;
    if (isUnits(*field) && n > mostUnits)
      diagnostics.error(places.value(field->name(), mostUnits),
                        fmt::format("`{}` must name at most {} layers, but got {}", field->name(), mostUnits, n));
    for (int i = 0; i < n; ++i) {
      if (field->message_type())
        checkFields(field->is_repeated() ? r->GetRepeatedMessage(message, field, i) : r->GetMessage(message, field),
                    places.child(field->name(), i), "`" + field->name() + "`", diagnostics);
      else
        checkNumber(message, *field, i, places, diagnostics);
    }
  }
}

bool inRange(const Message &message, std::string_view field, int index) {
  return !brokenRule(message, *message.GetDescriptor()->FindFieldByName(std::string(field)), index).rule;
}

void checkFile(const Message &message, const Node &places, const std::string &what, Diagnostics &diagnostics) {
  const auto &type = *message.GetDescriptor();
  checkPresence(message, places, "a " + what, diagnostics);
  const FieldDescriptor *language = type.FindFieldByName("language");
  if (!isSet(message, *language))
    return;
  if (int version = message.GetReflection()->GetInt32(message, language); version != 1)
    diagnostics.error(places.value("language"),
                      fmt::format("this version of sparsec reads language 1, but got {}", version));
}

} // namespace sparsec::description
