// The class kernels of a device, for the lowerings of embedding ops: `GpuKernels` builds them; what generated code
// starts itself is launched here, with addresses of the device.
#include "codegen/Common/Embedding/AbiTypes.h"
#include "codegen/Common/RuntimeCalls.h"
#include "codegen/GPU/Launch.h"
#include "codegen/GPU/LookupCost.h"
#include "codegen/GPU/Target.h"
#include "codegen/GPU/kernels/GpuKernels.h"
#include "dialect/Rec/Rec.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;

namespace {

/// Arguments that a kernel takes on every architecture: 4 KiB of them.
constexpr size_t mostWords = 512;

class DeviceKernelSet : public KernelSet {
public:
  DeviceKernelSet(ModuleOp module, ArrayRef<TunedLookup> tuned)
      : kernels(module), tuned(tuned), gpu(rec::readCluster(module)) {
    if (!module.getOps<rec::TableOp>().empty())
      device::listKernels(module, {kernels.copyRows(), kernels.rowKeys()});
  }

  FlatSymbolRefAttr lookup(const LookupClass &of) override { return symbol(kernels.lookup(of, scheduleOf(of))); }
  void expect(ArrayRef<ExpectedLookups> lookups) override { expected.assign(lookups.begin(), lookups.end()); }
  FlatSymbolRefAttr combine(int64_t dim) override { return symbol(kernels.combine(dim)); }
  FlatSymbolRefAttr segmentSum(int64_t dim) override { return symbol(kernels.segmentSum(dim)); }
  FlatSymbolRefAttr step(int64_t dim, OptimizerAttrInterface optimizer) override {
    return symbol(kernels.step(dim, optimizer));
  }
  FlatSymbolRefAttr sweep(int64_t dim, OptimizerAttrInterface optimizer) override {
    return symbol(kernels.sweep(dim, optimizer));
  }

  void bagScale(ImplicitLocOpBuilder &b, Value ids, Value bags, Value out) override {
    Bags at(b, ids);
    launchUnits(b, kernels.bagScale(), bags, {at.offsets, at.weights, at.counts, bags, out});
  }
  void poolRows(ImplicitLocOpBuilder &b, int64_t dim, bool max, Value rows, Value ids, Value bags, Value out) override {
    Bags at(b, ids);
    launchUnits(b, kernels.poolRows(dim, max), bags, {rows, at.offsets, at.values, at.weights, at.counts, bags, out});
  }
  void poolRowsGrad(ImplicitLocOpBuilder &b, int64_t dim, bool max, Value gradient, Value rows, Value ids, Value count,
                    Value out) override {
    Bags at(b, ids);
    launchUnits(b, kernels.poolRowsGrad(dim, max), count,
                {gradient, rows, at.offsets, at.values, at.weights, at.counts, at.bags, count, out});
  }
  LogicalResult dotInteraction(ImplicitLocOpBuilder &b, const InteractionShape &shape, ValueRange inputs, Value samples,
                               Value out) override {
    SmallVector<Value> words = {samples, out};
    llvm::append_range(words, inputs);
    if (failed(checkInputs(b, shape, words.size())))
      return failure();
    launchUnits(b, kernels.dotInteraction(shape.inputs, shape.dim, shape.self), samples, words);
    return success();
  }
  LogicalResult dotInteractionGrad(ImplicitLocOpBuilder &b, const InteractionShape &shape, Value gradient,
                                   ValueRange inputs, Value samples, ValueRange results) override {
    SmallVector<Value> words = {samples, gradient};
    llvm::append_range(words, inputs);
    llvm::append_range(words, results);
    if (failed(checkInputs(b, shape, words.size())))
      return failure();
    launchUnits(b, kernels.dotInteractionGrad(shape.inputs, shape.dim, shape.self), samples, words);
    return success();
  }

private:
  /// The arrays of bags in the device's memory.
  struct Bags {
    Value bags, offsets, values, weights, counts;
    Bags(ImplicitLocOpBuilder &b, Value jagged) {
      RuntimeCalls calls(b);
      Value there = calls.callChecked("sparsec_on_device", calls.pointer(), {jagged});
      auto type = layout::Jagged::type(b.getContext());
      auto field = [&](Type result, int32_t index) { return calls.load(result, there, type, {0, index}); };
      bags = field(b.getI64Type(), layout::Jagged::bags);
      offsets = field(calls.pointer(), layout::Jagged::offsets);
      values = field(calls.pointer(), layout::Jagged::values);
      weights = field(calls.pointer(), layout::Jagged::weights);
      counts = field(calls.pointer(), layout::Jagged::counts);
    }
  };

  Schedule scheduleOf(const LookupClass &of) const {
    for (const TunedLookup &measured : tuned)
      if (measured.of == of)
        return measured.schedule;
    ExpectedLookups mine{of, 0, 1, 0};
    bool alone = true;
    for (const ExpectedLookups &lookups : expected)
      if (lookups.of == of)
        mine = lookups;
      else
        alone &= lookups.of.dim != of.dim || lookups.of.weighted != of.weighted || lookups.of.element != of.element;
    return cheapestSchedule(mine, gpu, !alone);
  }

  static FlatSymbolRefAttr symbol(LLVM::GlobalOp record) { return FlatSymbolRefAttr::get(record.getSymNameAttr()); }

  static LogicalResult checkInputs(ImplicitLocOpBuilder &b, const InteractionShape &shape, size_t words) {
    if (words <= mostWords)
      return success();
    InFlightDiagnostic error = emitError(b.getLoc(), "a dot interaction of ")
                               << shape.inputs << " inputs does not fit a kernel of a device: expected at most "
                               << mostWords << " addresses, but got " << words;
    error.attachNote() << "255 inputs can be trained on a device";
    return error;
  }

  void launchUnits(ImplicitLocOpBuilder &b, LLVM::GlobalOp record, Value units, ValueRange words) {
    device::launch(b, record, device::ceilDiv(b, units, kernels.unitsOf(record)), words);
  }

  GpuKernels kernels;
  ArrayRef<TunedLookup> tuned;
  rec::Cluster gpu;
  SmallVector<ExpectedLookups> expected;
};

} // namespace

std::unique_ptr<KernelSet> codegen::makeDeviceKernels(ModuleOp module, ArrayRef<TunedLookup> tuned) {
  return std::make_unique<DeviceKernelSet>(module, tuned);
}
