// Matrix products whose weights are packed once per call, for all blocks, into
// the layout that oneDNN's blocks prefer.
#pragma once
#include "cpu/GemmProblem.h"
#include "cpu/Idle.h"
#include "sparsec/Status.h"
#include "sparsec/ThreadPool.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace sparsec::gemm {

class PackedPlan;

/// Any number of threads may call one instance.
class PackedGemm {
public:
  explicit PackedGemm(ThreadPool &pool);
  ~PackedGemm();

  Status run(const Problem &p);

  static constexpr size_t mostPlans = 256;
  size_t plans() const;

private:
  std::shared_ptr<const PackedPlan> plan(const Shape &shape);

  struct Kept {
    std::shared_ptr<const PackedPlan> plan;
    int64_t lastUse;
  };
  ThreadPool &pool;
  Buffers packs, tiles;
  mutable std::mutex mutex;
  std::map<Shape, Kept> kept; // at most mostPlans: the one that was not used for longest goes
  int64_t uses = 0;
};

} // namespace sparsec::gemm
