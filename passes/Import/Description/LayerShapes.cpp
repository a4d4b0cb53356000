#include "passes/Import/Description/LayerShapes.h"
#include <fmt/format.h>

namespace sparsec::description {
namespace {

constexpr int64_t mostColumns = 0x7fffffff;

class Shaper {
public:
  Shaper(Context &context, int index)
      : loaded(context.loaded), layer(context.model().layer(index)), block(context.block("layer", index)),
        info(loaded.layers[index]), diagnostics(context.diagnostics) {
    const auto *oneof = Layer::descriptor()->FindOneofByName("kind");
    if (const auto *field = layer.GetReflection()->GetOneofFieldDescriptor(layer, oneof))
      kind = field->name();
    parts = layer.has_subtract() || layer.has_gate() || layer.has_target_attention() || layer.has_mixture();
  }

  bool run() {
    if (kind.empty())
      return false;
    if (parts && layer.input_size())
      return fail(block.name("input"), fmt::format("`{}` names its inputs itself", kind), "leave `input` empty");
    if (!parts && !layer.input_size())
      return fail(block.place, fmt::format("layer `{}` needs `input`", layer.name(0)), "");
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      if (info.inputs[i].index < 0 || !shape(i).width)
        return false;
      info.inputWidth += shape(i).width;
    }
    if (info.inputWidth > mostColumns)
      return tooWide(info.inputWidth);
    size_t before = diagnostics.errorCount();
    infer();
    if (diagnostics.errorCount() != before)
      return false;
    return info.shape.width <= mostColumns ? true : tooWide(info.shape.width);
  }

private:
  Shape shape(size_t input) const { return loaded.shapeOf(info.inputs[input]); }
  std::string name(size_t input) const { return "`" + loaded.nameOf(info.inputs[input]) + "`"; }

  // Where input i is written.
  Place place(size_t i) const {
    if (!parts)
      return block.value("input", i);
    const Node &part = block.child(kind);
    if (layer.has_mixture())
      return i ? part.value("expert", i - 1) : part.value("gate");
    const char *fields[][2] = {{"left", "right"}, {"value", "gate"}, {"query", "keys"}};
    return part.value(fields[layer.has_subtract() ? 0 : layer.has_gate() ? 1 : 2][i]);
  }

  bool fail(const Place &place, std::string text, std::string note) {
    Diagnostic &d = diagnostics.error(place, std::move(text));
    if (!note.empty())
      d.note(std::move(note));
    return false;
  }

  bool tooWide(int64_t width) {
    return fail(info.place,
                fmt::format("layer `{}` would have {} columns, but 2^31 - 1 is the most", layer.name(0), width), "");
  }

  bool noSequences() {
    for (size_t i = 0; i < info.inputs.size(); ++i)
      if (shape(i).sequence)
        return fail(place(i), fmt::format("`{}` takes no sequence, but {} is one", kind, name(i)),
                    "make it one row a sample first, with `pool { by: SUM }` or another `pooling`");
    return true;
  }

  bool oneSequence() {
    if (info.inputs.size() != 1)
      return fail(place(1), fmt::format("`{}` takes one sequence", kind), "put them side by side with `concat` first");
    if (!shape(0).sequence)
      return fail(place(0), fmt::format("`{}` needs a sequence, but {} is none", kind, name(0)),
                  "a lookup with `pooling: NONE` makes one");
    return true;
  }

  bool equalWidths(size_t first, size_t fewest) {
    if (info.inputs.size() - first < fewest)
      return fail(place(first), fmt::format("`{}` needs two inputs or more", kind), "");
    for (size_t i = first + 1; i < info.inputs.size(); ++i)
      if (shape(i).width != shape(first).width)
        return fail(place(i),
                    fmt::format("`{}` needs inputs of one width, but {} has {} and {} has {}", kind, name(first),
                                shape(first).width, name(i), shape(i).width),
                    "");
    return true;
  }

  void values(const Init &init, const Node &places, const char *parameter, int64_t elements) {
    checkInit(init, places, layer.name(0) + "/" + parameter, elements, diagnostics);
  }

  void infer() {
    int64_t width = info.inputWidth;
    info.shape = {width, false, -1};
    switch (layer.kind_case()) {
    case Layer::kLinear: {
      const Linear &linear = layer.linear();
      info.shape.width = linear.units();
      if (linear.has_weight())
        values(linear.weight(), block.child("linear").child("weight"), "weight", width * linear.units());
      if (linear.has_bias())
        values(linear.bias(), block.child("linear").child("bias"), "bias", linear.units());
      if (linear.has_bias() && !linear.use_bias())
        fail(block.child("linear").name("bias"), "`bias` does not go with `use_bias: false`", "drop one of the two");
      noSequences();
      return;
    }
    case Layer::kMlp:
      mlp();
      noSequences();
      return;
    case Layer::kSlice:
      slice();
      noSequences();
      return;
    case Layer::kSum:
    case Layer::kMean:
      info.shape.width = 1;
      noSequences();
      return;
    case Layer::kConcat:
      concat();
      return;
    case Layer::kAdd:
    case Layer::kMultiply:
    case Layer::kBiInteraction:
      info.shape.width = shape(0).width;
      noSequences() && equalWidths(0, layer.has_bi_interaction() ? 2 : 1);
      return;
    case Layer::kDot: {
      auto n = static_cast<int64_t>(info.inputs.size());
      info.shape.width = layer.dot().self() ? n * (n + 1) / 2 : n * (n - 1) / 2;
      noSequences() && equalWidths(0, layer.dot().self() ? 1 : 2);
      return;
    }
    case Layer::kFm:
      info.shape.width = 1;
      noSequences() && equalWidths(0, 2);
      return;
    case Layer::kPool:
      info.shape.width = width;
      if (oneSequence() && layer.pool().by() == Lookup::NONE)
        fail(block.child("pool").value("by"), "`by` must be SUM, MEAN or MAX", "");
      return;
    case Layer::kSelfAttention:
      if (!oneSequence())
        return;
      info.shape = shape(0);
      if (layer.self_attention().heads() > 0 && width % layer.self_attention().heads())
        fail(block.child("self_attention").value("heads"),
             fmt::format("`heads` must divide the width, but {} does not divide {}", layer.self_attention().heads(),
                         width),
             "");
      return;
    case Layer::kGru:
      info.shape.width = layer.gru().units();
      oneSequence();
      return;
    case Layer::kSubtract:
    case Layer::kGate:
      if (info.inputs.size() == 2) {
        info.shape.width = shape(0).width;
        noSequences() && equalWidths(0, 2);
      }
      return;
    case Layer::kTargetAttention:
      targetAttention();
      return;
    case Layer::kMixture:
      if (info.inputs.size() > 1) {
        info.shape.width = shape(1).width;
        noSequences() && equalWidths(1, 1);
      }
      return;
    default: // as wide as its input: cross, activate, dropout and the norms
      noSequences();
      return;
    }
  }

  void mlp() {
    const Mlp &mlp = layer.mlp();
    int64_t in = info.inputWidth;
    for (int i = 0; i < mlp.units_size(); ++i) {
      if (mlp.has_weight())
        values(mlp.weight(), block.child("mlp").child("weight"), fmt::format("{}/weight", i).c_str(),
               in * mlp.units(i));
      in = mlp.units(i);
    }
    info.shape.width = in;
  }

  void slice() {
    const Slice &slice = layer.slice();
    const Node &places = block.child("slice");
    int64_t width = info.inputWidth;
    info.shape.width = std::max<int64_t>(slice.end() - std::clamp<int64_t>(slice.begin(), 0, width), 1);
    if (slice.begin() < 0 || slice.begin() >= width)
      fail(places.value("begin"), fmt::format("`begin` must lie in [0, {}], but got {}", width - 1, slice.begin()), "");
    else if (slice.has_end() && (slice.end() <= slice.begin() || slice.end() > width))
      fail(places.value("end"),
           fmt::format("`end` must lie in [{}, {}], but got {}", slice.begin() + 1, width, slice.end()), "");
  }

  void concat() {
    info.shape = shape(0);
    info.shape.width = info.inputWidth;
    for (size_t i = 1; i < info.inputs.size(); ++i) {
      Shape other = shape(i);
      if (other.sequence != info.shape.sequence) {
        size_t one = other.sequence ? i : 0, none = other.sequence ? 0 : i;
        fail(place(i),
             fmt::format("`concat` takes sequences or none, but {} is one and {} is not", name(one), name(none)), "");
        return;
      }
      if (other.lengths != info.shape.lengths) {
        fail(place(i),
             fmt::format("`concat` needs sequences of equal length, but nothing says that {} and {} are", name(0),
                         name(i)),
             "write `same_length_as` in one of their features");
        return;
      }
    }
  }

  void targetAttention() {
    if (info.inputs.size() != 2)
      return;
    Shape query = shape(0), keys = shape(1);
    info.shape.width = keys.width;
    if (query.sequence)
      fail(place(0), fmt::format("`query` must be no sequence, but {} is one", name(0)), "");
    else if (!keys.sequence)
      fail(place(1), fmt::format("`keys` must be a sequence, but {} is not", name(1)),
           "a lookup with `pooling: NONE` makes one");
    else if (query.width != keys.width)
      fail(place(1),
           fmt::format("`query` and `keys` must have one width, but {} has {} and {} has {}", name(0), query.width,
                       name(1), keys.width),
           "");
  }

  Loaded &loaded;
  const Layer &layer;
  const Node &block;
  LayerInfo &info;
  Diagnostics &diagnostics;
  std::string kind;
  bool parts = false;
};

} // namespace

bool inferLayer(Context &context, int index) { return Shaper(context, index).run(); }

LastActivation lastActivation(const Loaded &loaded, TensorRef tensor) {
  if (tensor.kind != TensorRef::Layer)
    return {};
  const Layer &layer = loaded.model.layer(tensor.index);
  const Node &block = loaded.places->child("layer", tensor.index);
  if (layer.has_linear())
    return {layer.linear().activation(), block.child("linear").value("activation")};
  if (layer.has_mlp())
    return {layer.mlp().activation(), block.child("mlp").value("activation")};
  if (layer.has_activate())
    return {layer.activate().activation(), block.child("activate").value("activation")};
  return {};
}

} // namespace sparsec::description
