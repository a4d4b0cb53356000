// Fused lookups, by bag and split.
#include "test/unit/gpu/cover/Family.h"
#include "test/unit/gpu/cover/Launches.h"

namespace sparsec::codegen::device::cover {
namespace {

class Lookup : public Family {
public:
  Lookup(const char *name, bool split)
      : Family(name, {dimFactor, lengthFactor, idsFactor, tablesFactor, weightsFactor, rowsFactor}), split(split) {}

  std::vector<mlir::LLVM::GlobalOp> ask(GpuRunner &runner, const Case &of) const override {
    return {runner.kernels().lookup(of.dim(), of.weighted(), split)};
  }

  Status run(const Problem &problem, const Kernels &kernels, TestDevice &device, Results &results) const override {
    const SparsecKernel &kernel = *kernels[0];
    std::vector<SparsecLookupEntry> list;
    int64_t bags = 0, chunks = 0, n = int64_t(problem.tables.size()), dim = problem.dim;
    for (int64_t t = 0; t < n; ++t) {
      const Table &table = problem.tables[t];
      list.push_back({bags, chunks, device.put(table.offsets), device.put(table.values), orNull(device, table.weights),
                      putFar(device, problem.rows[t], table.first * dim), table.row0,
                      device.floats(table.bags() * dim)});
      bags += table.bags();
      chunks += split ? (int64_t(table.values.size()) + kernel.chunk - 1) / kernel.chunk : 0;
    }
    list.push_back({});
    list.back().first = bags;
    list.back().first_chunk = chunks;
    SparsecLookupEntry *there = device.put(list);
    Status status = split ? launchSplitLookup(device, kernel, chunks, bags, there, n, device.floats(chunks * 2 * dim))
                          : launchList(device, kernel, bags, there, n);
    for (int64_t t = 0; t < n; ++t)
      results.add(list[t].out, problem.tables[t].bags() * dim);
    return status;
  }

  Expected expect(const Problem &problem) const override {
    Expected expected;
    for (size_t t = 0; t < problem.tables.size(); ++t) {
      const Table &table = problem.tables[t];
      for (int64_t bag = 0; bag < table.bags(); ++bag)
        for (int64_t c = 0; c < problem.dim; ++c) {
          ExactSum sum;
          for (int64_t k = table.offsets[bag]; k < table.offsets[bag + 1]; ++k)
            sum.add(table.weight(k), problem.rows[t][table.rowOf(k) * problem.dim + c]);
          expected.add(sum.sum, sum.tolerance());
        }
    }
    return expected;
  }

private:
  const bool split;
};

} // namespace

Families lookupFamilies() {
  static const Lookup byBag("lookup", false), split("split_lookup", true);
  return {&byBag, &split};
}

} // namespace sparsec::codegen::device::cover
