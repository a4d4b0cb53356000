// Memory that work under way may still name: while there is some, what is given back is kept.
#pragma once
#include "sparsec/Memory.h"

namespace sparsec {

class KeptBlocks final : public BlockSource {
public:
  explicit KeptBlocks(BlockSource &source) : source(source) {}
  ~KeptBlocks() override { release(); }
  void *allocate(int64_t bytes) override { return source.allocate(bytes); }
  void free(void *memory) override {
    if (busy)
      kept.push_back(memory);
    else
      source.free(memory);
  }
  /// Whether there is work under way.
  void setBusy(bool value) { busy = value; }
  /// The work that was under way when these were given back is done.
  void release() {
    for (void *memory : kept)
      source.free(memory);
    kept.clear();
  }

private:
  BlockSource &source;
  bool busy = false;
  std::vector<void *> kept;
};

} // namespace sparsec
