// What begins and ends steps. While the device works on one, the host prepares the next: it waits for the loss of the
// step before, which is there while that is still under way, then submits, and then waits for the end of the one
// before.
#include "device/DeviceEngine.h"
#include "sparsec/Batch.h"
#include <cmath>

namespace sparsec {

Status DeviceEngine::begin() {
  current = 1 - current; // the step that had this place is settled
  blocks.release();
  blocks.setBusy(underWay());
  pooled.reset();
  staging.reset();
  bags.clear();
  inputs.assign(context.batch().inputs.size(), nullptr);
  labels.assign(context.batch().labels.size(), nullptr);
  usedEvents = 0;
  step().results.reset();
  step().outputs.clear();
  step().loss = nullptr;
  step().judged = false;
  step().place = StepPlace::of(context);
  return {};
}

Status DeviceEngine::beforeSubmit() {
  if (Status status = staging.flush(); !status)
    return status;
  AskedStep &before = stepBefore();
  if (!before.underWay || !before.loss || before.judged)
    return {};
  before.judged = true;
  if (Status status = device->backend().awaitOnHost(*before.lossThere); !status)
    return status;
  if (std::isfinite(*before.loss))
    return {};
  before.underWay = false;
  return judgeLoss(context, *before.loss, before.place);
}

Status DeviceEngine::finish() {
  if (!context.status().ok()) // the entry stopped; what it asked for before that means nothing
    return stopAll({});
  Status status = device->record(DeviceStream::compute, *step().done);
  if (status.ok())
    status = device->submit();
  if (!status.ok())
    return stopAll(status);
  step().underWay = true;
  if (status = settle(stepBefore()); !status.ok())
    return stopAll(status);
  // Pools grow in the first steps: what they give back is free at once when nothing is under way.
  constexpr int64_t growing = 2;
  return asked++ < growing ? settle() : status;
}

Status DeviceEngine::settle() {
  Status status = settle(stepBefore());
  if (status.ok())
    status = settle(step());
  return status.ok() ? status : stopAll(status);
}

Status DeviceEngine::settle(AskedStep &step) {
  if (!step.underWay)
    return {};
  step.underWay = false;
  if (Status status = device->backend().awaitOnHost(*step.done); !status)
    return status;
  context.forgetResults();
  for (const Output &output : step.outputs)
    context.setOutput(output.task, output.values);
  if (step.loss)
    if (Status status = judgeLoss(context, *step.loss, step.place); !status)
      return status;
  context.setSettled(step.place.step);
  return {};
}

/// After an error nothing is under way, and nothing is left to be submitted. `status` comes first.
Status DeviceEngine::stopAll(Status status) {
  device->drop();
  steps[0].underWay = steps[1].underWay = false;
  Status stopped = device->backend().synchronize();
  return status.ok() ? stopped : status;
}

} // namespace sparsec
