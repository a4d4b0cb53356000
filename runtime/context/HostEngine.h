// The engine of programs for the CPU: everything is done at once, on host memory, with the context's threads. Its
// functions are in the files of their families.
#pragma once
#include "sparsec/Context.h"
#include "sparsec/Engine.h"

namespace sparsec {

class HostEngine final : public Engine {
public:
  explicit HostEngine(Context &context) : context(context) {}

  Status begin() override { return {}; }
  Status finish() override { return {}; }
  Status settle() override { return {}; }
  bool underWay() const override { return false; }
  Status upload() override { return {}; }
  Status download() override { return {}; }
  void addTo(MemoryUse &) const override;
  GraphCounts graphs() const override { return {}; }
  Status startTimes() override;
  std::vector<WorkTime> times() const override { return {}; }

  Result<const float *> input(int32_t block) override;
  Result<const float *> label(int32_t label) override;
  float *param(int32_t param, int32_t field) override;
  const SparsecPart *part(int32_t table, int32_t part) override;
  void *arena(int64_t bytes) override { return planned.get(bytes); }
  void *ragged(int64_t bytes) override { return context.ragged().get(bytes); }

  Status gemm(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c) override;
  Status launch(const SparsecKernel &, int64_t blocks, const int64_t *arguments) override;
  Result<const SparsecJagged *> onDevice(const SparsecJagged &) override;
  Result<const int64_t *> wordOnDevice(int64_t word) override;

  Status lookupLocal(const SparsecLocalItem *, int64_t n) override;
  Status lookupServed(const Owners &, const SparsecJagged &received, float *out) override;
  Status combine(const Owners &, const SparsecJagged &routed, const float *rows, float *const *out,
                 const int64_t *dim) override;
  Status spread(const Owners &, const SparsecJagged &routed, const float *const *gradient, const int64_t *dim,
                float *rows) override;
  Status sumInNode(const Owners &, const SparsecJagged &received, const float *rows, float *out) override;
  Status copyInNode(const float *gradient, int64_t floats, float *rows) override;

  Status rowsReduce(int32_t axes, const SparsecUpdate *, int64_t n, SparsecRows **result) override;
  Status update(const SparsecUpdate *, int64_t n, float lr, float scale, int64_t step) override;

  Status allReduce(int32_t axes, float *data, int64_t n) override;
  Result<Pending> allReduceStart(int32_t axes, float *data, int64_t n) override;
  Result<Pending> exchangeStart(int32_t axes, const float *send, const int64_t *sendCounts, float *receive,
                                const int64_t *receiveCounts) override;

  Status reportLoss(const float *loss) override;
  Status output(int32_t task, const float *values, int64_t n) override;

private:
  Context &context;
  Arena planned;
};

} // namespace sparsec
