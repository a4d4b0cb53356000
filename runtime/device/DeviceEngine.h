// The engine of programs for a device: what is asked of it becomes work of the device's streams. The host waits for the
// counts of a reduction over replicas, and for a step when the one after it has been asked for. Its functions are in
// the files of their families.
#pragma once
#include "context/LookupList.h"
#include "context/NonFinite.h"
#include "context/RowSources.h"
#include "context/SourceSums.h"
#include "device/KeptBlocks.h"
#include "device/KernelGroups.h"
#include "device/NotedWork.h"
#include "device/Staging.h"
#include "device/TableMirror.h"
#include "device/TimedDevice.h"
#include "sparsec/Engine.h"
#include "sparsec/device.h"
#include <bit>
#include <initializer_list>
#include <unordered_map>

namespace sparsec {

template <typename T> class Buffer;
class ReplicaMessage;

class DeviceEngine final : public Engine {
public:
  /// All ranks call it; a device that one of them did not get stops all. `kernels` [SPARSEC_KERNELS].
  static Result<std::unique_ptr<DeviceEngine>> create(Context &, Result<std::unique_ptr<Device>>,
                                                      const SparsecKernel *const *kernels);

  Status begin() override;
  Status finish() override;
  Status settle() override;
  bool underWay() const override { return steps[0].underWay || steps[1].underWay; }
  Status upload() override;
  Status download() override { return mirror.download(device->backend()); }
  void addTo(MemoryUse &) const override;
  GraphCounts graphs() const override { return device->graphs(); }
  Status startTimes() override;
  std::vector<WorkTime> times() const override;

  Result<const float *> input(int32_t block) override;
  Result<const float *> label(int32_t label) override;
  float *param(int32_t param, int32_t field) override { return mirror.param(param, field); }
  const SparsecPart *part(int32_t table, int32_t part) override { return mirror.part(table, part); }
  void *arena(int64_t bytes) override { return planned.get(bytes); }
  void *ragged(int64_t bytes) override { return pooled.get(bytes); }

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

  /// Returns when all that was asked for until now is done. All ranks call it alike.
  Status synchronize() { return device->synchronize(); }

private:
  DeviceEngine(Context &, std::unique_ptr<Device>, const SparsecKernel *const *kernels);

  // An argument of a kernel.
  static int64_t word(const void *address) { return int64_t(reinterpret_cast<uintptr_t>(address)); }

  /// Device memory until the step ends; throws std::bad_alloc.
  template <typename T> T *space(int64_t count) {
    if (T *memory = pooled.array<T>(count))
      return memory;
    throw std::bad_alloc();
  }
  /// Runs a kernel whose grid follows from its units.
  Status launchUnits(const SparsecKernel &, int64_t units, std::initializer_list<int64_t> arguments);
  /// A kernel of no class.
  Result<const SparsecKernel *> general(int kernel) const;
  /// The device's copy of `values`, made once in a step and then `known`.
  Result<const float *> staged(const Buffer<float> &values, const float *&known);

  /// Where values of the device will be on the host once the step is done.
  Result<const float *> fetch(const float *values, int64_t n);

  Status lookup(std::span<const PartLookup>);
  Status lookupClass(const KernelGroup &, std::span<const PartLookup>);
  Status addSources(const SourceSums &);
  /// The first `n` entries of `list`, which this ends; they have so many floats.
  Status copyRows(Staged<SparsecCopyEntry> list, int64_t n, int64_t floats);

  /// Occurrences in the order of (update, row). Checks that rows are of their parts.
  Result<SparsecSorted> sort(const RowSources &);
  Status checkRows(const RowSources &);
  Status listOccurrences(const RowSources &, SparsecOccurrences *);
  /// Occurrences [from, to) of one class: the device's record of them, and the pieces of split segments [chunks, 2,
  /// dim].
  struct ClassPieces {
    const SparsecSorted *record;
    float *partial;
  };
  Result<ClassPieces> sumPieces(const SparsecKernel &, SparsecSorted, int64_t from, int64_t to, int64_t dim);
  /// Updates by class, with their occurrences sorted.
  struct SortedUpdates {
    std::vector<KernelGroup> groups;
    std::span<const SparsecUpdate> updates;
    RowSources sources;
    SparsecSorted occurrences;
  };
  Result<SortedUpdates> sortUpdates(const SparsecUpdate *, int64_t n);
  /// Updates with those of a kernel side by side, so that their occurrences are, too.
  std::span<const SparsecUpdate> byGroup(std::span<const KernelGroup>, const SparsecUpdate *, int64_t n);
  Status stepClass(const KernelGroup &, const SortedUpdates &, const SparsecHyper *);
  Result<const int64_t *> countRuns(const RowSources &, const SparsecSorted &, uint32_t *run);
  Result<const float *> fetchLastRuns(const RowSources &, const SparsecSorted &, uint32_t *run);
  Status sumClass(const KernelGroup &, const RowSources &, const SparsecSorted &, const uint32_t *run,
                  const ReplicaMessage &, std::byte *mine, int64_t &runsBefore);

  Result<DeviceEvent *> event();
  /// Asks for a collective behind what the compute stream was asked for; the result makes the compute stream wait.
  Result<Pending> beside(const std::function<Status()> &ask);

  struct Output {
    int32_t task;
    std::span<const float> values;
  };
  /// A step that is being asked for, or under way, and where its results will be.
  struct AskedStep {
    explicit AskedStep(Device &device) : results(device.hostMemory()) {}
    StepPlace place;
    RaggedPool results; // of the host
    std::vector<Output> outputs;
    const float *loss = nullptr;
    std::unique_ptr<DeviceEvent> lossThere, done;
    bool underWay = false, judged = false;
  };
  AskedStep &step() { return steps[current]; }
  AskedStep &stepBefore() { return steps[1 - current]; }
  /// Sends what was staged; and a loss that is not finite lets nothing come after its step.
  Status beforeSubmit();
  Status settle(AskedStep &);
  Status stopAll(Status);

  Context &context;
  std::unique_ptr<NotedWork> device; // before all that lies in its memory
  TimedDevice *timed = nullptr;      // behind `device`, if steps are timed
  const SparsecKernel *const *kernels;
  std::unique_ptr<Communicator> channel; // the device's own: its messages may come at other times than the host's
  AxisCommunicators axes;
  TableMirror mirror;
  bool hasTables = false; // made with the first upload
  KeptBlocks blocks;      // what a step under way works in
  Arena planned;
  RaggedPool pooled;
  Staging staging;
  std::unordered_map<const SparsecJagged *, const SparsecJagged *> bags; // of this step, on the device
  std::vector<const float *> inputs, labels;                             // the same; null: not yet
  std::vector<std::unique_ptr<DeviceEvent>> events;
  size_t usedEvents = 0;
  AskedStep steps[2]; // take turns
  int current = 0;
  int64_t asked = 0;
};

} // namespace sparsec
