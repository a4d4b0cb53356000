#include "test/unit/gpu/BuildTested.h"
#include "codegen/GPU/KernelNames.h"
#include "test/unit/gpu/TestedShapes.h"
#include "test/unit/kernels/OptimizerReference.h"

using namespace mlir;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

class SuiteBuilder {
public:
  SuiteBuilder(MLIRContext &context, GpuKernels &kernels) : context(context), kernels(kernels) {}
  void lookups();
  void segments();
  void rows();
  void pooling();
  void interactions();
  std::map<std::string, std::string> names;

private:
  /// Known as `name`, or as itself.
  void add(LLVM::GlobalOp record, const std::string &name = "") {
    std::string own = record.getSymName().drop_front(recordName("").size()).str();
    names[name.empty() ? own : name] = own;
  }
  MLIRContext &context;
  GpuKernels &kernels;
};

} // namespace

void SuiteBuilder::lookups() {
  for (int64_t dim : rowDims)
    for (bool weighted : {false, true})
      for (bool split : {false, true})
        add(kernels.lookup(dim, weighted, split));
}

void SuiteBuilder::segments() {
  for (size_t d = 0; d < std::size(rowDims); ++d) {
    std::string width = "_d" + std::to_string(rowDims[d]);
    add(kernels.segmentSum(rowDims[d]));
    for (const char *rule : rules)
      add(kernels.step(rowDims[d], optimizer(context, rule)), "step_" + std::string(rule) + width);
    const char *swept = rules[sweepRule(d, std::size(rules))];
    add(kernels.sweep(rowDims[d], optimizer(context, swept)), "sweep_" + std::string(swept) + width);
  }
}

void SuiteBuilder::rows() {
  for (int64_t dim : rowDims)
    add(kernels.combine(dim));
  add(kernels.copyRows());
  add(kernels.rowKeys());
}

void SuiteBuilder::pooling() {
  add(kernels.bagScale());
  for (int64_t dim : poolingDims)
    for (bool max : {false, true}) {
      add(kernels.poolRows(dim, max));
      add(kernels.poolRowsGrad(dim, max));
    }
}

void SuiteBuilder::interactions() {
  for (TestedInteraction shape : interactionShapes())
    for (bool self : {false, true}) {
      add(kernels.dotInteraction(shape.inputs, shape.dim, self));
      add(kernels.dotInteractionGrad(shape.inputs, shape.dim, self));
    }
}

std::map<std::string, std::string> sparsec::codegen::device::buildTested(KernelSuite suite, MLIRContext &context,
                                                                         GpuKernels &kernels) {
  SuiteBuilder builder(context, kernels);
  switch (suite) {
  case KernelSuite::lookups:
    builder.lookups();
    break;
  case KernelSuite::segments:
    builder.segments();
    break;
  case KernelSuite::rows:
    builder.rows();
    break;
  case KernelSuite::pooling:
    builder.pooling();
    break;
  case KernelSuite::interactions:
    builder.interactions();
    break;
  }
  return std::move(builder.names);
}
