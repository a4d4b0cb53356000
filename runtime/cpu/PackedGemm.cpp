#include "cpu/PackedGemm.h"
#include "cpu/PackedPlan.h"
#include <algorithm>
#include <atomic>
#include <fmt/format.h>

using namespace sparsec;
using namespace sparsec::gemm;

namespace {
const dnnl::engine &engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// One call: what its threads share.
struct Call {
  const Problem &p;
  const PackedPlan &plan;
  const PackedCut &cut = plan.cut;
  float *packedB, *packedA;
  std::atomic<dnnl_status_t> worst = dnnl_success;

  void note(dnnl_status_t status) {
    if (status)
      worst = status;
  }

  float *blockOfA(const PackedStep &step, Range depth, int64_t i) const {
    int64_t row = blockBegin(cut.m, i);
    return step.packA ? packedA + i * cut.m.each * depth.length() : const_cast<float *>(p.atA(row, depth.begin));
  }

  void packPartOfB(const PackedStep &step, Range depth, int64_t number) {
    int64_t block = number / step.partsOfB.count(), part = number % step.partsOfB.count();
    Range rows = step.partsOfB[part];
    const Primitive &pack = part + 1 < step.partsOfB.count() ? *step.packB : *step.packLastB;
    note(pack.run({p.atB(depth.begin + rows.begin, blockBegin(cut.n, block)),
                   packedB + block * step.blockFloats + part * step.partFloats}));
  }
  void packBlockOfA(const PackedStep &step, Range depth, int64_t i) {
    note(step.packA->run({p.atA(blockBegin(cut.m, i), depth.begin), blockOfA(step, depth, i)}));
  }

  /// The sums of one block over the depth of a step, written to c or added to
  /// it. They go there at once or by way of the tile.
  void block(const PackedStep &step, Range depth, int64_t number, float *tile) {
    int64_t i = number % cut.m.count(), j = number / cut.m.count();
    Range rows = cut.m[i], columns = cut.n[j];
    bool first = depth.begin == 0, last = depth.end == p.k;
    const float *a = blockOfA(step, depth, i), *b = packedB + j * step.blockFloats;
    if (cut.direct(p.n) && rows.length() == cut.m.each) {
      note((first ? step.product : step.accumulate)->run({a, b, p.c + rows.begin * p.n}));
      if (last)
        p.finish(rows.begin, rows.end, 0, p.n);
      return;
    }
    note(step.product->run({a, b, tile}));
    const float *from = tile + (rows.begin - blockBegin(cut.m, i)) * cut.n.each + columns.begin - blockBegin(cut.n, j);
    for (int64_t row = rows.begin; row < rows.end; ++row, from += cut.n.each)
      p.finishRow(row, columns.begin, columns.end, from, !first, last);
  }
};
} // namespace

PackedGemm::PackedGemm(ThreadPool &pool) : pool(pool) {}
PackedGemm::~PackedGemm() = default;

size_t PackedGemm::plans() const {
  std::lock_guard lock(mutex);
  return kept.size();
}

std::shared_ptr<const PackedPlan> PackedGemm::plan(const Shape &shape) {
  std::lock_guard lock(mutex);
  auto found = kept.find(shape);
  if (found == kept.end()) {
    if (kept.size() == mostPlans)
      kept.erase(std::min_element(kept.begin(), kept.end(),
                                  [](const auto &a, const auto &b) { return a.second.lastUse < b.second.lastUse; }));
    OneThread one; // what oneDNN prepares depends on its thread count
    found = kept.emplace(shape, Kept{std::make_shared<const PackedPlan>(engine(), shape), 0}).first;
  }
  found->second.lastUse = ++uses;
  return found->second.plan;
}

Status PackedGemm::run(const Problem &p) try {
  auto plan = this->plan(p);
  const PackedCut &cut = plan->cut;
  auto memory = packs.borrow([] { return Buffer(); });
  float *packed = memory->atLeast(plan->floats());
  Call call{p, *plan, cut, packed, packed + plan->floatsOfB()};
  for (int64_t i = 0; i < cut.k.count(); ++i) {
    const PackedStep &step = plan->step(i);
    Range depth = cut.k[i];
    int64_t partsOfB = cut.n.count() * step.partsOfB.count();
    pool.parallel(partsOfB + (step.packA ? cut.m.count() : 0), cut.packGrain(), [&](int64_t begin, int64_t end) {
      for (int64_t number = begin; number < end; ++number)
        number < partsOfB ? call.packPartOfB(step, depth, number) : call.packBlockOfA(step, depth, number - partsOfB);
    });
    pool.parallel(cut.blocks(), cut.grain(), [&](int64_t begin, int64_t end) {
      auto tile = tiles.borrow([] { return Buffer(); });
      for (int64_t number = begin; number < end; ++number)
        call.block(step, depth, number, tile->atLeast(plan->tileFloats()));
    });
  }
  return p.outcome(call.worst);
} catch (const dnnl::error &error) {
  return p.outcome(error.status);
}
