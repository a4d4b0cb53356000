// Where the tensors of a step live, and what works on them: what abi.h promises to generated code, behind one
// interface. The host's engine works at once on host memory; a device's enqueues work on its device (runtime/device).
// Bags, items, updates and counts are host memory for both, and what is decided from them (routing, places in
// exchanges, lists of row gradients) is shared in runtime/context.
#pragma once
#include "sparsec/Communicator.h"
#include "sparsec/Status.h"
#include "sparsec/WorkTime.h"
#include "sparsec/abi.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace sparsec {

class Context;
class Owners;
struct MemoryUse;

/// The engine of one context, which outlives it. Pointers to float, and what arena() and ragged() give, are memory of
/// the engine. One thread at a time uses it; what is thrown becomes the status of the step.
class Engine {
public:
  virtual ~Engine();

  /// Before and after each entry point; finish() also after one that failed. Then the step has been asked for, and may
  /// still be under way; steps before it are settled. Its error is the first of anything that went wrong with them, or
  /// since begin(). After an error nothing is under way.
  virtual Status begin() = 0;
  virtual Status finish() = 0;
  /// Returns when nothing is under way: loss and outputs of the last step are in the context. Its error is that of the
  /// step.
  virtual Status settle() = 0;
  virtual bool underWay() const = 0;

  /// Parameters and tables, between Context::tables() and the engine's memory, all of them. No step may be under way.
  virtual Status upload() = 0;
  virtual Status download() = 0;
  /// Adds what the engine holds, its copies of the tables included.
  virtual void addTo(MemoryUse &) const = 0;
  /// Of everything until now; nothing where there are no graphs.
  virtual GraphCounts graphs() const = 0;
  /// Steps from now on are timed piece by piece, which makes them slower. No step may be under way.
  virtual Status startTimes() = 0;
  /// Of the steps since then, what took longest first.
  virtual std::vector<WorkTime> times() const = 0;

  // The functions of abi.h that have these names.
  virtual Result<const float *> input(int32_t block) = 0;
  virtual Result<const float *> label(int32_t label) = 0;
  virtual float *param(int32_t param, int32_t field) = 0;
  virtual const SparsecPart *part(int32_t table, int32_t part) = 0;
  virtual void *arena(int64_t bytes) = 0;  // null: no memory
  virtual void *ragged(int64_t bytes) = 0; // the same

  virtual Status gemm(int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
                      float *c) = 0;
  virtual Status launch(const SparsecKernel &, int64_t blocks, const int64_t *arguments) = 0;
  virtual Result<const SparsecJagged *> onDevice(const SparsecJagged &) = 0;
  virtual Result<const int64_t *> wordOnDevice(int64_t word) = 0;

  virtual Status lookupLocal(const SparsecLocalItem *, int64_t n) = 0;
  virtual Status lookupServed(const Owners &, const SparsecJagged &received, float *out) = 0;
  virtual Status combine(const Owners &, const SparsecJagged &routed, const float *rows, float *const *out,
                         const int64_t *dim) = 0;
  virtual Status spread(const Owners &, const SparsecJagged &routed, const float *const *gradient, const int64_t *dim,
                        float *rows) = 0;
  virtual Status sumInNode(const Owners &, const SparsecJagged &received, const float *rows, float *out) = 0;
  virtual Status copyInNode(const float *gradient, int64_t floats, float *rows) = 0;

  virtual Status rowsReduce(int32_t axes, const SparsecUpdate *, int64_t n, SparsecRows **result) = 0;
  virtual Status update(const SparsecUpdate *, int64_t n, float lr, float scale, int64_t step) = 0;

  virtual Status allReduce(int32_t axes, float *data, int64_t n) = 0;
  /// What is waited for is only that later work finds the result.
  virtual Result<Pending> allReduceStart(int32_t axes, float *data, int64_t n) = 0;
  virtual Result<Pending> exchangeStart(int32_t axes, const float *send, const int64_t *sendCounts, float *receive,
                                        const int64_t *receiveCounts) = 0;

  virtual Status reportLoss(const float *loss) = 0;
  virtual Status output(int32_t task, const float *values, int64_t n) = 0;
};

std::unique_ptr<Engine> makeHostEngine(Context &);

} // namespace sparsec
