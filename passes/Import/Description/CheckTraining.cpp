#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/LayerShapes.h"
#include "passes/Import/Description/Stages.h"
#include <fmt/format.h>

namespace sparsec::description {
namespace {

class TrainingStage {
public:
  explicit TrainingStage(Context &context)
      : c(context), loaded(context.loaded), model(context.model()), diagnostics(context.diagnostics),
        places(loaded.places->child("training")) {}

  void run() {
    if (!model.task_size())
      diagnostics.error(loaded.places->place, "a description needs a `task`").note("it says what the loss is");
    for (int i = 0; i < model.task_size(); ++i)
      task(i);
    if (!model.has_training()) {
      diagnostics.error(loaded.places->place, "a description needs `training`");
      return;
    }
    checkFields(model.training(), places, "`training`", diagnostics);
    optimizers();
    schedule();
    const Training &training = model.training();
    if (training.clip().has_global_norm() && training.has_sync_weights())
      diagnostics.error(places.child("clip").name("global_norm"), "`global_norm` does not go with `sync_weights`")
          .note(places.name("sync_weights"), "between syncs no norm over all ranks exists");
    if (training.has_clip() && training.clip().by_case() == Clip::BY_NOT_SET)
      diagnostics.error(places.value("clip"), "`clip` is empty").note("expected value or global_norm");
  }

private:
  bool oneColumn(TensorRef tensor, const Place &place, const std::string &loss) {
    Shape shape = loaded.shapeOf(tensor);
    const std::string &name = loaded.nameOf(tensor);
    if (shape.sequence)
      diagnostics.error(place, fmt::format("`{}` takes one column, but `{}` is a sequence", loss, name));
    else if (shape.width != 1)
      diagnostics.error(place, fmt::format("`{}` takes one column, but `{}` has {}", loss, name, shape.width))
          .note("end with a layer such as `linear { units: 1 }`");
    return !shape.sequence && shape.width == 1;
  }

  void logits(TensorRef tensor, const Place &place, const std::string &loss) {
    auto [activation, written] = lastActivation(loaded, tensor);
    const char *inside = loss == "softmax" ? "softmax" : "sigmoid";
    if (activation == SIGMOID || activation == SOFTMAX)
      diagnostics
          .error(place, fmt::format("`{}` takes logits, but `{}` ends in {}", loss, loaded.nameOf(tensor),
                                    Activation_Name(activation)))
          .note(written, fmt::format("drop the activation: `{}` has the {} inside", loss, inside));
    else if (activation == RELU)
      diagnostics
          .error(place, fmt::format("`{}` takes logits, but `{}` ends in {}", loss, loaded.nameOf(tensor),
                                    Activation_Name(activation)))
          .note(written, "a logit under RELU is never negative: end with a `linear` without activation");
  }

  void task(int i) {
    const Task &task = model.task(i);
    const Node &block = c.block("task", i);
    checkFields(task, block, task.has_name() ? fmt::format("task `{}`", task.name()) : "`task`", diagnostics);
    TensorRef input = loaded.tasks[i].input;
    if (input.index < 0)
      return;
    const Place place = block.value("input");
    if (task.has_softmax()) {
      if (loaded.shapeOf(input).sequence || loaded.shapeOf(input).width < 2)
        diagnostics
            .error(place, fmt::format("`softmax` takes a column for each class, but `{}` has {}", task.input(),
                                      loaded.shapeOf(input).width))
            .note("for two classes, `bce` and one column");
      logits(input, place, "softmax");
    } else if (task.has_mse()) {
      oneColumn(input, place, "mse");
    } else if (task.has_bce()) {
      if (oneColumn(input, place, "bce"))
        logits(input, place, "bce");
    } else if (task.has_twin_focus()) {
      const Node &twin = block.child("twin_focus");
      auto tower = [&](TensorRef tensor, const Place &at) {
        if (oneColumn(tensor, at, "twin_focus"))
          logits(tensor, at, "twin_focus");
      };
      tower(input, place);
      if (task.twin_focus().has_easy())
        tower(loaded.tensors.at(task.twin_focus().easy()), twin.value("easy"));
      if (task.twin_focus().has_hard())
        tower(loaded.tensors.at(task.twin_focus().hard()), twin.value("hard"));
    }
  }

  static bool hasParameters(const Layer &layer) {
    return layer.has_linear() || layer.has_mlp() || layer.has_cross_vector() || layer.has_cross() ||
           layer.has_batch_norm() || layer.has_layer_norm() || layer.has_self_attention() || layer.has_gru() ||
           layer.has_target_attention() || layer.has_mixture() || layer.activate().activation() == PRELU ||
           layer.activate().activation() == DICE;
  }

  void optimizers() {
    const Training &training = model.training();
    for (int i = 0; i < model.layer_size() && !training.has_dense_optimizer(); ++i)
      if (hasParameters(model.layer(i)))
        diagnostics.error(places.place, "`training` needs `dense_optimizer`")
            .note(loaded.layers[i].place, fmt::format("layer `{}` has parameters", model.layer(i).name(0)));
    for (int i = 0; i < model.table_size() && !training.has_table_optimizer(); ++i)
      if (!model.table(i).has_optimizer())
        diagnostics.error(places.place, "`training` needs `table_optimizer`")
            .note(loaded.tables[i].place,
                  fmt::format("table `{}` has no `optimizer` of its own", model.table(i).name(0)));
    for (const char *rule : {"row_wise_adagrad", "partial_row_wise_adam"})
      if (places.child("dense_optimizer").has(rule))
        diagnostics.error(places.child("dense_optimizer").name(rule), fmt::format("`{}` is for tables only", rule))
            .note("a dense parameter has no rows of its own; use adagrad or adam");
    decay(training.dense_optimizer(), places.child("dense_optimizer"));
    decay(training.table_optimizer(), places.child("table_optimizer"));
    for (int i = 0; i < model.table_size(); ++i)
      if (model.table(i).has_optimizer())
        decay(model.table(i).optimizer(), c.block("table", i).child("optimizer"));
  }

  void decay(const Optimizer &optimizer, const Node &block) {
    if (optimizer.has_ftrl() && optimizer.has_decoupled())
      diagnostics.error(block.name("decoupled"), "`decoupled` does not go with `ftrl`")
          .note("write `l2_strength` in `ftrl`");
  }

  void schedule() {
    const Steps &steps = model.training().schedule().steps();
    const Node &block = places.child("schedule").child("steps");
    for (int k = 1; k < steps.at_size(); ++k)
      if (inRange(steps, "at", k) && inRange(steps, "at", k - 1) && steps.at(k) <= steps.at(k - 1))
        diagnostics.error(block.value("at", k),
                          fmt::format("`at` must ascend, but {} follows {}", steps.at(k), steps.at(k - 1)));
  }

  Context &c;
  Loaded &loaded;
  const Model &model;
  Diagnostics &diagnostics;
  const Node &places;
};

} // namespace

void checkTraining(Context &context) { TrainingStage(context).run(); }

} // namespace sparsec::description
