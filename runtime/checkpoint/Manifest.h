// manifest.json: where the run stands, the files, and a checksum of every block of them.
#pragma once
#include "sparsec/Checkpoint.h"
#include <vector>

namespace sparsec::checkpoint {

inline constexpr const char *manifestName = "manifest.json";

struct ManifestFile {
  std::string name;
  int64_t bytes = 0;
  std::vector<uint64_t> blocks; // XXH64, seed 0, of each block; the last may be shorter
};

struct Manifest {
  CheckpointState state;
  int64_t blockBytes = 0;
  std::vector<ManifestFile> files;
};

inline int64_t blockCount(int64_t bytes, int64_t blockBytes) { return (bytes + blockBytes - 1) / blockBytes; }

/// The text ends in a checksum of itself.
std::string writeManifest(const Manifest &);
/// `path` is for messages. Only texts that writeManifest could have written are accepted, so any changed bit shows.
Result<Manifest> readManifest(const std::string &text, const std::string &path);

} // namespace sparsec::checkpoint
