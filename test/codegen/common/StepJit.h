// Compiles a step written as text and runs it against a runtime of the test's own: simple loops in double.
#pragma once
#include "sparsec/Emulate.h"
#include "sparsec/abi.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The test's context: everything a step reads and writes.
struct SparsecContext {
  int64_t samples = 0, firstSample = 0;
  std::vector<std::vector<float>> inputs, labels;
  std::vector<std::vector<std::vector<float>>> params; // [param][field]
  std::map<int, std::vector<float>> outputs;           // by task
  std::vector<float> losses;
  std::vector<std::string> calls; // names of fallible calls, in order
  std::string failIn;             // this call fails, with status 7
  std::vector<char> arena;
  int64_t arenaBytes = 0;
  std::vector<std::shared_ptr<std::vector<char>>> ragged;
  sparsec::Emulator *device = nullptr;           // runs the step; null: the host does
  std::map<const float *, void *> deviceAddress; // of the above, by the host's
  int launches = 0;
};

namespace sparsec::test {

using Matrix = std::vector<float>; // row by row

/// A model around the body of `@train`. Inputs are %x0 ... of type tensor<?x{width}xf32>, the label is %y, parameters
/// %p0 ..., the batch size %b, the step %step; tasks @task.t0 ... take outputs.
struct StepText {
  std::vector<int> widths; // of the inputs
  struct Param {
    std::string type, optimizer = "#rec.sgd<lr = 1.0 : f64>";
  };
  std::vector<Param> params;
  int tasks = 1;
  int warmupSteps = 0;
  int batchMax = 64;
  std::string body;

  std::string str() const;
};

/// What runs a step: the host, on one thread or many, or an emulated device.
enum class Target { thread, threads, device };
inline constexpr Target allTargets[] = {Target::thread, Target::threads, Target::device};

class StepJit {
public:
  /// Throws std::runtime_error with the diagnostics if it does not compile.
  explicit StepJit(const std::string &module, Target target = Target::threads);
  ~StepJit();
  /// A device runs the step several times, its threads and blocks in other orders, and fails the test where the bits of
  /// the results differ.
  int32_t train(SparsecContext &context, int64_t step = 1) const;
  const SparsecProgramImage &program() const { return *image; }

private:
  int32_t trainOnDevice(SparsecContext &context, int64_t step, sparsec::EmulationOrder order) const;
  struct State;
  std::unique_ptr<State> state;
  Target target;
  const SparsecProgramImage *image = nullptr;
};

/// Numbers in [-scale, scale], different for each seed.
Matrix randomMatrix(int64_t rows, int64_t columns, unsigned seed, double scale = 1);
/// Fails the test where a value differs by more than relative * max(|expected|, floor).
void expectNear(const std::vector<float> &actual, const std::vector<double> &expected, double relative = 1e-5,
                double floor = 1);

} // namespace sparsec::test
