// What this version compiles of what the language has: one table. To support more, change a line of it.
#include "passes/Import/Description/Model.h"
#include "passes/Import/Description/Words.h"
#include <algorithm>
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

namespace sparsec::description {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Members of a oneof, or values of an enum.
struct Choice {
  std::string_view name; // of the oneof or the enum
  std::string_view what; // its members, in words
  std::vector<std::string_view> supported;
};

const std::vector<Choice> &choices() {
  static const std::vector<Choice> table = {
      {"sparsec.Layer.kind",
       "layers",
       {"linear", "mlp", "cross", "activate", "dropout", "slice", "sum", "mean", "concat", "add", "multiply", "dot",
        "fm", "subtract"}},
      {"sparsec.Activation", "activations", {"LINEAR", "RELU", "SIGMOID", "TANH"}},
      {"sparsec.Lookup.Pooling", "poolings", {"SUM", "MEAN", "MAX"}},
      {"sparsec.Task.loss", "losses", {"bce", "mse"}},
      {"sparsec.Optimizer.rule", "optimizers", {"sgd", "adagrad", "row_wise_adagrad", "adam"}},
      {"sparsec.Type", "types", {"FP32"}},
  };
  return table;
}

// Fields that must not be set; a flag must not be true.
constexpr std::string_view unsupported[] = {
    "sparsec.Mlp.batch_norm",        "sparsec.Lookup.position_weights", "sparsec.Optimizer.l2",
    "sparsec.Optimizer.decoupled",   "sparsec.Training.clip",           "sparsec.Training.early_stop",
    "sparsec.Training.sync_weights", "sparsec.Schedule.polynomial",     "sparsec.Schedule.steps",
    "sparsec.Schedule.cosine",       "sparsec.Schedule.inverse_sqrt",
};

class Supported {
public:
  explicit Supported(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  void check(const Message &message, const Node &places, std::string_view block) {
    std::vector<const FieldDescriptor *> fields;
    const auto *r = message.GetReflection();
    r->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
      if (!isSupported(message, *field, places, block))
        continue;
      for (int i = 0, n = field->is_repeated() ? r->FieldSize(message, field) : 1; i < n && field->message_type(); ++i)
        check(field->is_repeated() ? r->GetRepeatedMessage(message, field, i) : r->GetMessage(message, field),
              places.child(field->name(), i), field->name());
    }
  }

private:
  bool isSupported(const Message &message, const FieldDescriptor &field, const Node &places, std::string_view block) {
    const auto *r = message.GetReflection();
    if (std::ranges::find(unsupported, field.full_name()) != std::end(unsupported)) {
      bool off = field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL && !r->GetBool(message, &field);
      if (!off)
        diagnostics.error(places.name(field.name()),
                          fmt::format("this version does not compile `{}` in `{}`", field.name(), block));
      return off;
    }
    if (const auto *oneof = field.real_containing_oneof())
      return among(oneof->full_name(), field.name(), places.name(field.name()));
    if (field.enum_type())
      return among(field.enum_type()->full_name(), r->GetEnum(message, &field)->name(), places.value(field.name()));
    return true;
  }

  bool among(std::string_view name, std::string_view chosen, const Place &place) {
    for (const Choice &choice : choices())
      if (choice.name == name && std::ranges::find(choice.supported, chosen) == choice.supported.end()) {
        std::string list;
        for (size_t i = 0; i < choice.supported.size(); ++i)
          list.append(i == 0 ? "" : i + 1 == choice.supported.size() ? " and " : ", ").append(choice.supported[i]);
        diagnostics
            .error(place, fmt::format("`{}` is not among the {} that this version compiles", chosen, choice.what))
            .note((choice.supported.size() == 1 ? "there is only " : "these are ") + list);
        return false;
      }
    return true;
  }

  Diagnostics &diagnostics;
};

// A batch carries how many ids of policy `zero` a bag had, but not their weights.
void checkWeightedMeans(const Loaded &loaded, Diagnostics &diagnostics) {
  for (int i = 0; i < loaded.model.lookup_size(); ++i) {
    int feature = loaded.lookups[i].feature;
    if (loaded.model.lookup(i).pooling() == Lookup::MEAN && loaded.features[feature].weighted &&
        loaded.model.feature(feature).out_of_range() == Feature::ZERO)
      diagnostics
          .error(loaded.places->child("lookup", i).value("pooling"),
                 fmt::format("this version does not compile pooling MEAN of feature `{}`, which has weights and "
                             "`out_of_range: ZERO`",
                             loaded.model.feature(feature).name(0)))
          .note("these go together: SUM, or `out_of_range: DROP`, or no weights");
  }
}

} // namespace

bool checkSupported(const Loaded &loaded, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  checkWeightedMeans(loaded, diagnostics);
  Supported(diagnostics).check(loaded.model, *loaded.places, "model");
  return diagnostics.errorCount() == before;
}

} // namespace sparsec::description
