#include "cli/Predictor.h"
#include "checkpoint/AgreeStatus.h"
#include "cli/Gather.h"
#include "cli/OutputFile.h"
#include <fmt/format.h>
#include <iterator>

namespace sparsec::cli {

namespace {

std::string header(const Program &program) {
  std::string text;
  for (const TaskInfo &task : program.tasks)
    text += (text.empty() ? "" : ",") + task.name;
  return text + "\n";
}

/// `values`: [samples][tasks]. The shortest digits that give the same float back.
std::string rows(const std::vector<float> &values, size_t tasks) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", values[i], (i + 1) % tasks ? ',' : '\n');
  return text;
}

/// This rank's outputs, [samples][tasks].
Result<std::vector<float>> outputs(const Session &session, const Batch &batch) {
  size_t tasks = session.program().tasks.size();
  std::vector<float> values(size_t(batch.samples) * tasks);
  for (size_t t = 0; t < tasks; ++t) {
    std::span<const float> out = session.context().output(int64_t(t));
    if (int64_t(out.size()) != batch.samples)
      return Status::error(fmt::format("task `{}`: {} samples, but {} values", session.program().tasks[t].name,
                                       batch.samples, out.size()));
    for (size_t i = 0; i < out.size(); ++i)
      values[i * tasks + t] = out[i];
  }
  return values;
}

} // namespace

Result<int64_t> predict(Session &session, BatchSource &source, const std::string &path) {
  Communicator &world = session.world();
  if (!session.image().predict.step)
    return Status::error("this executable was compiled without prediction");
  OutputFile file; // of rank 0
  Status status;
  if (session.first() && (status = file.open(path)))
    status = file.write(header(session.program()));
  if (Status s = agreeStatus(world, status); !s)
    return s;

  int64_t samples = 0;
  InputAhead batches(session.inputThread(), source, session.image().predict.input, 1);
  for (;;) {
    Result<const Batch *> batch = runNext(batches, session.context(), session.image().predict.step);
    if (!batch)
      return batch.status();
    if (!*batch)
      break;
    Result<std::vector<float>> mine = outputs(session, **batch);
    // A full disk, which rank 0 alone sees, is told with the next batch.
    if (Status s = agreeStatus(world, mine.ok() ? status : mine.status()); !s)
      return s;
    auto all = gatherOnFirst(world, *mine);
    if (!all)
      return all.status();
    samples += (*batch)->globalSamples;
    if (session.first())
      status = file.write(rows(*all, session.program().tasks.size()));
  }
  if (session.first() && status.ok())
    status = file.finish();
  if (Status s = agreeStatus(world, status); !s)
    return s;
  return samples;
}

} // namespace sparsec::cli
