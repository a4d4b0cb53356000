// The safetensors format (github.com/huggingface/safetensors): 8 bytes little-endian length of a JSON header, the
// header
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}}, then the tensors without gaps.
#pragma once
#include "checkpoint/File.h"
#include "sparsec/Checkpoint.h"
#include <string_view>
#include <vector>

namespace sparsec::checkpoint {

/// Where a tensor begins: byte `offset` of file number `file`.
struct TensorPlace {
  int64_t file = 0, offset = 0;
};

struct FileLayout {
  std::string name;
  std::string header; // the length included; its size is a multiple of 64
  int64_t bytes = 0;  // of the file
};

struct Layout {
  std::vector<FileLayout> files;
  std::vector<TensorPlace> places; // of each tensor
};

/// Whether a file of this name may be one of a layout.
bool isLayoutFile(std::string_view name);

/// Tensors to files, in order; a file ends once it holds `fileBytes`.
Layout layOut(const std::vector<CheckpointTensor> &, int64_t fileBytes);

struct StoredTensor {
  CheckpointTensor tensor;
  int64_t offset = 0; // from the start of the file
};

/// The float32 tensors of a file. Refuses everything that is not a whole safetensors file.
Result<std::vector<StoredTensor>> readHeader(const File &);

} // namespace sparsec::checkpoint
