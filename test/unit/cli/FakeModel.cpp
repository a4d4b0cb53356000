#include "FakeModel.h"
#include <algorithm>
#include <cmath>

namespace sparsec::test {

namespace {

enum { everyone = SPARSEC_AXIS_REPLICATE | SPARSEC_AXIS_NODE | SPARSEC_AXIS_SHARD };

/// Logits of this rank's samples, or null with the status.
int32_t forward(SparsecContext *context, int64_t &samples, int64_t &total, float *&logits) {
  samples = sparsec_batch_size(context);
  if (int32_t status = sparsec_agree(context, everyone, sparsec_batch_status(context), samples, &total))
    return status;
  logits = static_cast<float *>(sparsec_ragged(context, samples * int64_t(sizeof(float))));
  return sparsec_gemm(context, SPARSEC_GEMM_TRANSPOSE_B, samples, 1, 2, sparsec_input(context, 0),
                      sparsec_param(context, 0, 0), sparsec_param(context, 1, 0), logits);
}

void momentumStep(float *weight, float *state, const float *gradient, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    state[i] = float(fakeMomentum) * state[i] + gradient[i];
    weight[i] -= float(fakeRate) * state[i];
  }
}

int32_t train(SparsecContext *context, int64_t) {
  int64_t samples, total;
  float *logits;
  if (int32_t status = forward(context, samples, total, logits))
    return status;
  const float *x = sparsec_input(context, 0), *y = sparsec_label(context, 0);
  float sums[4] = {}; // loss, gradients of both weights and the bias
  for (int64_t i = 0; i < samples; ++i) {
    float z = logits[i], p = 1 / (1 + std::exp(-z));
    sums[0] += (std::max(z, 0.f) - z * y[i] + std::log1p(std::exp(-std::fabs(z)))) / float(total);
    sums[1] += (p - y[i]) * x[2 * i] / float(total);
    sums[2] += (p - y[i]) * x[2 * i + 1] / float(total);
    sums[3] += (p - y[i]) / float(total);
  }
  if (int32_t status = sparsec_all_reduce(context, everyone, sums, 4))
    return status;
  if (int32_t status = sparsec_report_loss(context, &sums[0]))
    return status;
  momentumStep(sparsec_param(context, 0, 0), sparsec_param(context, 0, 1), sums + 1, 2);
  momentumStep(sparsec_param(context, 1, 0), sparsec_param(context, 1, 1), sums + 3, 1);
  return 0;
}

int32_t eval(SparsecContext *context, int64_t) {
  int64_t samples, total;
  float *logits;
  if (int32_t status = forward(context, samples, total, logits))
    return status;
  sparsec_output(context, 0, logits, samples);
  return 0;
}

int32_t predict(SparsecContext *context, int64_t) {
  int64_t samples, total;
  float *logits;
  if (int32_t status = forward(context, samples, total, logits))
    return status;
  for (int64_t i = 0; i < samples; ++i)
    logits[i] = 1 / (1 + std::exp(-logits[i]));
  sparsec_output(context, 0, logits, samples);
  return 0;
}

} // namespace

std::unique_ptr<FakeModel> makeFakeModel(Mesh mesh, int64_t batchSize) {
  auto model = std::make_unique<FakeModel>();
  Program &p = model->program;
  p.model = "fake", p.fingerprint = "f00d", p.target = "cpu", p.compiler = "by hand";
  p.mesh = mesh;
  p.batchSize = p.evalBatchSize = batchSize;
  p.shuffleRows = 16;
  p.data.header = true;
  p.labels.push_back({"y", "y", {}, {}});
  for (const char *name : {"a", "b"}) {
    FeatureColumn f;
    f.name = f.column = name, f.kind = "number";
    p.features.push_back(f);
  }
  p.inputs.push_back({{0, 1}, 2});
  OptimizerUse momentum{"momentum", {{"lr", fakeRate}, {"mu", fakeMomentum}}, {{"m", false, 0}}};
  p.params.push_back({"layer/logit/weight", {1, 2}, {"uniform", .1, {}}, momentum});
  p.params.push_back({"layer/logit/bias", {1}, {"constant", .25, {}}, momentum});
  p.tasks.push_back({"click", "bce", 0, 1});
  model->description = writeProgram(p);
  model->image = {SPARSEC_ABI,
                  model->description.data(),
                  int64_t(model->description.size()),
                  {nullptr, train},
                  {nullptr, eval},
                  {nullptr, predict},
                  nullptr,
                  nullptr,
                  nullptr,
                  0};
  return model;
}

} // namespace sparsec::test
