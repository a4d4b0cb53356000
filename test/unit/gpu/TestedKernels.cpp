// Kernels compiled when they are first asked for.
#include "test/unit/gpu/TestedKernels.h"
#include "test/unit/gpu/BuildTested.h"
#include "test/unit/gpu/GpuRunner.h"

using namespace sparsec;
using namespace sparsec::codegen::device;

namespace {
struct Suite {
  GpuRunner runner;
  std::map<std::string, std::string> names;
  explicit Suite(KernelSuite suite) : names(buildTested(suite, runner.context(), runner.kernels())) {
    runner.compile();
  }
};
} // namespace

const SparsecKernel &sparsec::codegen::device::testedKernel(KernelSuite suite, const std::string &name) {
  static std::map<KernelSuite, std::unique_ptr<Suite>> suites;
  std::unique_ptr<Suite> &found = suites[suite];
  if (!found)
    found = std::make_unique<Suite>(suite);
  return found->runner.kernel(found->names.at(name));
}
