#include "codegen/GPU/Roofline.h"
#include "codegen/Common/Bounds.h"
#include "codegen/Common/Passes.h"
#include "codegen/Common/Target.h"
#include "codegen/Common/Work.h"
#include "codegen/GPU/KernelNames.h"
#include "codegen/GPU/kernels/KernelBuilder.h"
#include "dialect/Comm/Comm.h"
#include "dialect/Rec/Rec.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "sparsec/abi.h"
#include <cmath>

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

Bound RooflineRow::bound() const { return Bound(std::max_element(seconds, seconds + 4) - seconds); }

namespace {

/// Digits that a pass of the radix sort takes, and launches beside its passes: counting digits and adding counts up.
constexpr double digitBits = 8, launchesBesidePasses = 2;
/// A key of 64 bits with the place it came from.
constexpr double pairBytes = 8 + 4;

class Reader {
public:
  Reader(func::FuncOp entry, const rec::Cluster &gpu)
      : module(entry->getParentOfType<ModuleOp>()), gpu(gpu),
        kernels(module.lookupSymbol<gpu::GPUModuleOp>(device::moduleName)) {}
  void read(LLVM::CallOp call);
  std::vector<RooflineRow> rows;

private:
  /// What limits the memory's rate: long runs, or rows here and there.
  enum class Access { runs, rows };
  void add(StringRef name, RowKind kind, int64_t launches, const Work &work, Access access = Access::runs);
  void launches(LLVM::CallOp call, Access access);
  void sorted(LLVM::CallOp call);
  void product(LLVM::CallOp call);
  void message(LLVM::CallOp call, StringRef name);
  void time(RooflineRow &row, double memory, double flops, double launch, double link);
  int64_t keyBits();
  bool isInHost(LLVM::CallOp call);

  ModuleOp module;
  const rec::Cluster &gpu;
  gpu::GPUModuleOp kernels;
};

} // namespace

void Reader::time(RooflineRow &row, double memory, double flops, double launch, double link) {
  double parts[] = {memory, flops, launch, link};
  for (auto [sum, part] : llvm::zip(row.seconds, parts))
    sum += part;
  row.total += std::max(memory, flops) + launch + link;
}

void Reader::add(StringRef name, RowKind kind, int64_t launches, const Work &work, Access access) {
  auto found = llvm::find_if(rows, [&](const RooflineRow &row) { return row.name == name && row.kind == kind; });
  RooflineRow &row = found == rows.end() ? rows.emplace_back(RooflineRow{name.str(), kind}) : *found;
  row.launches += launches;
  row.bytes += work.bytes;
  row.flops += work.flops;
  row.items += work.items;
  row.atLeast |= work.bytes == 0;
  if (kind != RowKind::collective)
    time(row, work.bytes / (access == Access::rows ? gpu.gatherRate : gpu.copyRate), work.flops / gpu.flopRate,
         double(launches) * gpu.launchLatency, 0);
}

/// The kernel that a record is of.
static StringRef kernelOf(StringRef record) {
  record.consume_front(device::recordName(""));
  return record;
}

/// A launch for each class of kernels, two where the second finishes what the first split.
void Reader::launches(LLVM::CallOp call, Access access) {
  for (const Work &work : workOf(call)) {
    if (!work.kernel)
      continue;
    StringRef name = kernelOf(work.kernel.getValue());
    auto kernel = kernels ? kernels.lookupSymbol<gpu::GPUFuncOp>(name) : gpu::GPUFuncOp();
    add(name, RowKind::kernel, kernel && kernel->hasAttr(device::thenAttr) ? 2 : 1, work, access);
    if (auto schedule = kernel ? kernel->getAttrOfType<StringAttr>(device::scheduleAttr) : StringAttr())
      llvm::find_if(rows, [&](const RooflineRow &row) { return row.name == name; })->schedule = schedule.str();
  }
}

/// Bits of sorted keys: one key for each row.
int64_t Reader::keyBits() {
  double keys = 2;
  for (auto table : module.getOps<rec::TableOp>())
    keys += double(table.getRows());
  return int64_t(std::ceil(std::log2(keys)));
}

/// Keys of all occurrences, one sort of them, then each class.
void Reader::sorted(LLVM::CallOp call) {
  double ids = 0;
  for (const Work &work : workOf(call))
    ids += work.ids;
  // Read: offset, value and weight; written: key, place, address of the gradient row and weight.
  add("row_keys", RowKind::kernel, 1, {{}, ids * (8 + 8 + 4 + pairBytes + 8 + 4)});
  double passes = std::ceil(double(keyBits()) / digitBits);
  add("sort", RowKind::sort, int64_t(passes + launchesBesidePasses), {{}, ids * (8 + 2 * pairBytes * passes)});
  launches(call, Access::rows);
}

/// With what follows it, as runtime/cuda does that: sums read nothing more, but those of one row are a product of their
/// own; relu's gradient has a mask of bits made before.
void Reader::product(LLVM::CallOp call) {
  double extents[3]; // m, n, k
  for (auto [i, extent] : llvm::enumerate(extents))
    extent = double(upperBound(call.getArgOperands()[2 + i]).value_or(0));
  auto [m, n, k] = extents;
  llvm::APInt flags;
  int64_t follows = matchPattern(call.getArgOperands()[1], m_ConstantInt(&flags)) ? flags.getSExtValue() : 0;
  Work work{{}, 4 * (m * k + k * n + m * n), 2 * m * n * k};
  int64_t launches = 1;
  if (follows & SPARSEC_GEMM_SUMS) {
    launches += m == 1;
    work.bytes += 4 * (m == 1 ? m * k + m : m);
    work.flops += m * k;
  }
  if (follows & SPARSEC_GEMM_RELU_GRADIENT) {
    add("relu_bits", RowKind::kernel, 1, {{}, 4 * m * n + m * n / 8});
    work.bytes += m * n / 8;
  }
  add("gemm", RowKind::product, launches, work);
}

/// Whether the ranks of the call's axes share a host: those that differ in its outermost axis, and all between them.
bool Reader::isInHost(LLVM::CallOp call) {
  llvm::APInt mask;
  auto meshes = module.getOps<comm::MeshOp>();
  if (meshes.empty() || !matchPattern(call.getArgOperands()[1], m_ConstantInt(&mask)))
    return true;
  std::pair<StringRef, int64_t> axes[] = {
      {"shard", SPARSEC_AXIS_SHARD}, {"node", SPARSEC_AXIS_NODE}, {"replicate", SPARSEC_AXIS_REPLICATE}};
  int64_t apart = 1, ranks = 1;
  for (auto [name, bit] : axes) {
    ranks *= (*meshes.begin()).getExtent(Builder(module.getContext()).getStrArrayAttr({name}));
    if (mask.getSExtValue() & bit)
      apart = ranks;
  }
  return gpu.devicesPerHost % apart == 0;
}

void Reader::message(LLVM::CallOp call, StringRef name) {
  for (const Work &work : workOf(call)) {
    if (work.kernel)
      continue;
    add(name, RowKind::collective, 1, work);
    bool inside = isInHost(call);
    double rate = inside ? gpu.insideRate : gpu.betweenRate, latency = inside ? gpu.insideLatency : gpu.betweenLatency;
    RooflineRow &row = *llvm::find_if(rows, [&](const RooflineRow &other) { return other.name == name; });
    time(row, 0, 0, latency, work.bytes / rate);
  }
}

void Reader::read(LLVM::CallOp call) {
  StringRef callee = call.getCallee().value_or("");
  if (callee == "sparsec_launch") {
    if (auto record = call.getArgOperands()[1].getDefiningOp<LLVM::AddressOfOp>())
      for (const Work &work : workOf(call))
        add(kernelOf(record.getGlobalName()), RowKind::kernel, 1, work);
  } else if (callee == "sparsec_lookup_local" || callee == "sparsec_lookup_served") {
    launches(call, Access::rows);
  } else if (callee == "sparsec_combine_sources" || callee == "sparsec_sum_in_node") {
    launches(call, Access::runs);
  } else if (callee == "sparsec_spread_sources" || callee == "sparsec_copy_in_node") {
    for (const Work &work : workOf(call))
      add("copy_rows", RowKind::kernel, 1, work);
  } else if (callee == "sparsec_update") {
    sorted(call);
  } else if (callee == "sparsec_rows_reduce") {
    sorted(call);
    double ids = 0, updates = 0;
    for (const Work &work : workOf(call)) {
      ids += work.ids;
      updates += work.items;
    }
    add("runs", RowKind::sort, 2, {{}, ids * (8 + 4)});
    add("copy_rows", RowKind::kernel, 1, {{}, updates * 2 * 4}); // how many rows each update has
    message(call, "rows gathered");
  } else if (callee == "sparsec_gemm") {
    product(call);
  } else if (callee == "sparsec_exchange_start") {
    message(call, "exchange");
  } else if (callee == "sparsec_all_reduce" || callee == "sparsec_all_reduce_start") {
    message(call, "all_reduce");
  }
}

Roofline codegen::readRoofline(func::FuncOp entry, const rec::Cluster &gpu) {
  Reader reader(entry, gpu);
  entry.walk([&](LLVM::CallOp call) { reader.read(call); });
  return {entry.getName().str(), std::move(reader.rows), {}};
}

FailureOr<std::vector<Roofline>> codegen::makeRooflines(ModuleOp module, const Target &target,
                                                        const rec::Cluster &gpu) {
  llvm::StringMap<Unfused> unfused;
  for (StringRef name : {"train", "eval"})
    if (auto entry = module.lookupSymbol<func::FuncOp>(name))
      unfused[name] = countUnfused(entry);
  PassManager passes(module.getContext());
  buildStepsPipeline(passes, target);
  if (failed(passes.run(module)))
    return failure();
  std::vector<Roofline> rooflines;
  for (StringRef name : {"train", "eval"})
    if (auto entry = module.lookupSymbol<func::FuncOp>(name)) {
      rooflines.push_back(readRoofline(entry, gpu));
      rooflines.back().unfused = unfused[name];
    }
  return rooflines;
}
