#include "cli/Evaluator.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/Gather.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparsec::cli {

namespace {

Status addBatch(const Session &session, const Batch &batch, std::vector<TaskAccumulator> &tasks) {
  for (size_t t = 0; t < tasks.size(); ++t) {
    const TaskInfo &task = session.program().tasks[t];
    std::span<const float> values = session.context().output(int64_t(t));
    const Buffer<float> &labels = batch.labels[size_t(task.label)];
    if (int64_t(values.size()) != batch.samples || labels.size() != batch.samples)
      return Status::error(fmt::format("task `{}`: {} samples, but {} values and {} labels", task.name, batch.samples,
                                       values.size(), labels.size()));
    if (Status s = tasks[t].add(values.data(), labels.data(), batch.samples); !s)
      return Status::error(fmt::format("task `{}`: batch {}: {}", task.name, batch.batchIndex, s.message()));
  }
  return {};
}

} // namespace

Result<Evaluation> evaluate(Session &session, BatchSource &source) {
  std::vector<TaskAccumulator> tasks;
  for (const TaskInfo &task : session.program().tasks)
    tasks.emplace_back(task.loss);
  if (!session.image().eval.step)
    return Status::error("this executable was compiled without evaluation");

  // What one rank alone finds wrong waits for the end, where all meet.
  Status wrong;
  InputAhead batches(session.inputThread(), source, session.image().eval.input, 1);
  for (;;) {
    Result<const Batch *> batch = runNext(batches, session.context(), session.image().eval.step);
    if (!batch)
      return batch.status();
    if (!*batch)
      break;
    if (wrong.ok())
      wrong = addBatch(session, **batch, tasks);
  }
  if (Status s = agreeStatus(session.world(), wrong); !s)
    return s;

  Evaluation evaluation;
  for (TaskAccumulator &task : tasks) {
    auto pairs = gatherOnFirst(session.world(), task.pairs());
    if (!pairs)
      return pairs.status();
    if (!session.first())
      continue;
    task.clear();
    if (Status s = task.addPairs(*pairs); !s) // cannot be: each rank has checked its own
      return s;
    evaluation.push_back(task.result());
  }
  return evaluation;
}

std::string evaluationJson(const Program &program, const Evaluation &evaluation) {
  if (evaluation.size() == 1)
    return toJson(evaluation[0]);
  std::string tasks;
  for (size_t t = 0; t < evaluation.size(); ++t)
    tasks += fmt::format("{}{}:{}", t ? "," : "", nlohmann::json(program.tasks[t].name).dump(), toJson(evaluation[t]));
  return fmt::format("{{\"samples\":{},\"tasks\":{{{}}}}}", evaluation.empty() ? 0 : evaluation[0].samples, tasks);
}

std::string evaluationText(const Program &program, const Evaluation &evaluation) {
  std::string text;
  auto add = [&](const char *name, const std::optional<double> &value) {
    text += value ? fmt::format("  {} {:.6f}", name, *value) : fmt::format("  {} undefined", name);
  };
  for (size_t t = 0; t < evaluation.size(); ++t) {
    const TaskMetrics &m = evaluation[t];
    text += fmt::format("{}eval {}: {} samples", t ? "\n" : "", program.tasks[t].name, m.samples);
    if (m.loss == "mse") {
      add("mse", m.mse);
      continue;
    }
    text += m.oneClass ? "  auc undefined (one class)" : fmt::format("  auc {:.6f}", m.auc);
    add("logloss", m.logLoss);
    add("ne", m.ne);
    add("calibration", m.calibration);
  }
  return text;
}

} // namespace sparsec::cli
