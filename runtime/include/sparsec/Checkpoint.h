// Checkpoints: a directory of safetensors files with every global tensor whole, under its own name, and manifest.json.
// Nothing in it depends on the plan, so any plan and rank count can load what another saved, bit for bit.
#pragma once
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace sparsec {

class Communicator;
class Tables;

/// Where a training run stands.
struct CheckpointState {
  std::string model, fingerprint;
  int64_t step = 0;     // steps done
  int64_t epoch = 0;    // of the next batch, from 0
  int64_t position = 0; // batches of that epoch that are done
  uint64_t seed = 0;    // of initial values and shuffling
  bool operator==(const CheckpointState &) const = default;
};

/// A float32 tensor as a whole. One dimension counts as rows.
struct CheckpointTensor {
  std::string name;
  std::vector<int64_t> shape;
  int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  int64_t columns() const;
  int64_t bytes() const { return rows() * columns() * 4; }
  bool operator==(const CheckpointTensor &) const = default;
};

/// Rows x columns of a tensor in this rank's memory, row-major and dense. On load each piece is filled; on save the
/// rows [saveRow0, saveRow0 + saveRows) are written: of several copies each writes a share.
struct CheckpointPiece {
  int64_t tensor = 0;
  int64_t row0 = 0, rows = 0, col0 = 0, cols = 0;
  float *data = nullptr;
  int64_t saveRow0 = 0, saveRows = 0;
};

/// The tensors of a program: weights, and unless `weightsOnly` the optimizers' states as `<parameter>/<rule>.<state>`.
std::vector<CheckpointTensor> checkpointTensors(const Program &, bool weightsOnly = false);

/// The pieces of those tensors that this rank holds.
std::vector<CheckpointPiece> checkpointPieces(const Program &, const Tables &, int64_t rank, bool weightsOnly = false);

struct CheckpointLimits {
  int64_t fileBytes = int64_t(4) << 30;   // a file ends once it holds this much; a tensor is never cut
  int64_t blockBytes = int64_t(16) << 20; // a checksum covers so much
};

/// A directory that a save may replace: absent, empty, or a checkpoint without other files; its parent must be
/// writable. `directory`.new and `directory`.old, which a save removes, may also be what a killed save has left. None
/// of the three may be or hold a path of `inUse`, nor the last two the checkpoint `loaded` (empty: none). Local.
Status checkSaveDirectory(const std::string &directory, const std::string &loaded = "",
                          const std::vector<std::string> &inUse = {});

/// Saves from all ranks at once into `directory`.new, then exchanges it with `directory`: at every moment one of
/// the two is whole. All ranks return the same status.
Status saveCheckpoint(const std::string &directory, const CheckpointState &, const std::vector<CheckpointTensor> &,
                      const std::vector<CheckpointPiece> &, Communicator &, const CheckpointLimits & = {});

/// Verifies every byte (ranks share the work), then fills the pieces. All ranks return the same status; if it is an
/// error of verification, no piece has been touched. `exact`: tensors that the program does not have are refused too.
Result<CheckpointState> loadCheckpoint(const std::string &directory, const std::string &model,
                                       const std::string &fingerprint, const std::vector<CheckpointTensor> &,
                                       const std::vector<CheckpointPiece> &, Communicator &, bool exact);

/// The state alone, from the manifest. Local.
Result<CheckpointState> readCheckpointState(const std::string &directory);

} // namespace sparsec
