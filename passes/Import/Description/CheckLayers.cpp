#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/LayerShapes.h"
#include "passes/Import/Description/Stages.h"
#include <algorithm>
#include <fmt/format.h>

namespace sparsec::description {
namespace {

class LayerStage {
public:
  explicit LayerStage(Context &context)
      : c(context), loaded(context.loaded), model(context.model()), diagnostics(context.diagnostics) {}

  void run() {
    size_t before = diagnostics.errorCount();
    for (int i = 0; i < model.layer_size(); ++i)
      checkFields(model.layer(i), c.block("layer", i), fmt::format("layer `{}`", model.layer(i).name(0)), diagnostics);
    bool fieldsSound = diagnostics.errorCount() == before;
    order();
    if (!fieldsSound || loaded.layerOrder.size() != size_t(model.layer_size()))
      return;
    // A layer with an error has width 0; those that read it are left alone.
    for (int i : loaded.layerOrder)
      if (!inferLayer(c, i))
        loaded.layers[i].shape.width = 0;
  }

private:
  // Depth first from the tasks on, without recursion: a description may have a million layers in a row.
  void order() {
    state.assign(model.layer_size(), 0);
    bool acyclic = true;
    for (const TaskInfo &task : loaded.tasks)
      if (task.input.kind == TensorRef::Layer && task.input.index >= 0)
        acyclic = acyclic && visit(task.input.index);
    for (int i = 0; acyclic && i < model.layer_size(); ++i)
      acyclic = visit(i);
    if (!acyclic)
      return;
    // As declared where that is an order, which is easier to follow; else as found.
    std::vector<int> position(model.layer_size());
    for (int i = 0; i < model.layer_size(); ++i)
      position[i] = i;
    bool asDeclared = true;
    for (int i = 0; i < model.layer_size() && asDeclared; ++i)
      for (TensorRef input : loaded.layers[i].inputs)
        asDeclared = asDeclared && (input.kind != TensorRef::Layer || input.index < i);
    loaded.layerOrder = asDeclared ? position : found;
  }

  bool visit(int from) {
    if (state[from])
      return true;
    std::vector<std::pair<int, size_t>> stack = {{from, 0}};
    state[from] = 1;
    while (!stack.empty()) {
      auto &[layer, next] = stack.back();
      const auto &inputs = loaded.layers[layer].inputs;
      if (next == inputs.size()) {
        state[layer] = 2;
        found.push_back(layer);
        stack.pop_back();
        continue;
      }
      TensorRef input = inputs[next++];
      if (input.kind != TensorRef::Layer)
        continue;
      if (state[input.index] == 1) {
        cycle(stack, input.index);
        return false;
      }
      if (!state[input.index]) {
        state[input.index] = 1;
        stack.push_back({input.index, 0});
      }
    }
    return true;
  }

  void cycle(const std::vector<std::pair<int, size_t>> &stack, int start) {
    auto name = [&](int layer) { return "`" + model.layer(layer).name(0) + "`"; };
    std::string path;
    size_t shown = 0;
    auto begin = std::find_if(stack.begin(), stack.end(), [&](const auto &entry) { return entry.first == start; });
    for (auto i = begin; i != stack.end() && shown < 10; ++i, ++shown)
      path += name(i->first) + " <- ";
    if (size_t length = stack.end() - begin; length > shown)
      path += fmt::format("({} more) <- ", length - shown);
    diagnostics.error(loaded.layers[start].place,
                      fmt::format("layer {} reads its own output: {}{}", name(start), path, name(start)));
  }

  Context &c;
  Loaded &loaded;
  const Model &model;
  Diagnostics &diagnostics;
  std::vector<char> state; // 0 unseen, 1 on the way, 2 done
  std::vector<int> found;
};

} // namespace

void checkLayers(Context &context) { LayerStage(context).run(); }

} // namespace sparsec::description
