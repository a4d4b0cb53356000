// The roofline sheet as text: a line for each class of kernels, then sums.
#include "codegen/GPU/Roofline.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace sparsec;
using namespace sparsec::codegen;

static llvm::StringRef nameOf(Bound bound) {
  static const llvm::StringRef names[] = {"memory", "flops", "launch", "link"};
  return names[int(bound)];
}

static void printRow(const RooflineRow &row, llvm::raw_ostream &out) {
  out << llvm::formatv("{0,-40}{1,9}{2,15:F0}{3,15:F0}{4,11:F1}  {5}{6}\n", row.name, row.launches, row.bytes,
                       row.flops, row.total * 1e6, nameOf(row.bound()), row.atLeast ? ", at least" : "");
}

/// `kind` null: all.
static RooflineRow sumOf(llvm::StringRef name, const Roofline &roofline, const RowKind *kind) {
  RooflineRow sum{name.str()};
  for (const RooflineRow &row : roofline.rows) {
    if (kind && row.kind != *kind)
      continue;
    sum.launches += row.launches;
    sum.bytes += row.bytes;
    sum.flops += row.flops;
    sum.total += row.total;
    sum.items += row.items;
    sum.atLeast |= row.atLeast;
    for (int i = 0; i < 4; ++i)
      sum.seconds[i] += row.seconds[i];
  }
  return sum;
}

/// Without fusion embedding ops read and write the same, in a launch for each item; dense ops each what they have.
static void printComparison(const Roofline &roofline, const RooflineRow &kernels, llvm::raw_ostream &out) {
  double bytes = roofline.unfused.bytes;
  for (const RooflineRow &row : roofline.rows)
    if (row.kind == RowKind::kernel && row.items > 0)
      bytes += row.bytes;
  out << llvm::formatv("fused      {0,6} launches  {1,10:F3} MB\n", kernels.launches, kernels.bytes * 1e-6);
  out << llvm::formatv("unfused    {0,6} launches  {1,10:F3} MB  one for each op of the model\n",
                       roofline.unfused.launches + int64_t(std::ceil(kernels.items)), bytes * 1e-6);
}

void codegen::printRoofline(const Roofline &roofline, const rec::Cluster &gpu, llvm::raw_ostream &out) {
  out << llvm::formatv(
      "{0}: {1} samples on a device of `{2}` ({3:F0} GB/s, rows {4:F0} GB/s, {5:F1} TFLOP/s, {6:F1} us "
      "a launch)\n",
      roofline.entry, roofline.unfused.samples, gpu.name, gpu.copyRate * 1e-9, gpu.gatherRate * 1e-9,
      gpu.flopRate * 1e-12, gpu.launchLatency * 1e6);
  out << llvm::formatv("{0,-40}{1,9}{2,15}{3,15}{4,11}  {5}\n", "class", "launches", "bytes", "flops", "us", "bound");
  for (const RooflineRow &row : roofline.rows)
    printRow(row, out);
  out << "\n";
  struct Sum {
    llvm::StringRef name;
    RowKind kind;
  };
  for (Sum sum : {Sum{"kernels", RowKind::kernel}, Sum{"products", RowKind::product}, Sum{"sorts", RowKind::sort},
                  Sum{"collectives", RowKind::collective}})
    if (llvm::any_of(roofline.rows, [&](const RooflineRow &row) { return row.kind == sum.kind; }))
      printRow(sumOf(sum.name, roofline, &sum.kind), out);
  printRow(sumOf("step", roofline, nullptr), out);
  out << "\nkernels alone:\n";
  RowKind kernel = RowKind::kernel;
  printComparison(roofline, sumOf("kernels", roofline, &kernel), out);
  bool any = llvm::any_of(roofline.rows, [](const RooflineRow &row) { return !row.schedule.empty(); });
  out << (any ? "\nschedules of lookups:\n" : "");
  for (const RooflineRow &row : roofline.rows)
    if (!row.schedule.empty())
      out << llvm::formatv("{0,-40}{1}\n", row.name, row.schedule);
}
