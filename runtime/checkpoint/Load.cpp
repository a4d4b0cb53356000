#include "checkpoint/AgreeStatus.h"
#include "checkpoint/BlockHash.h"
#include "checkpoint/File.h"
#include "checkpoint/Manifest.h"
#include "checkpoint/Safetensors.h"
#include "sparsec/Checkpoint.h"
#include "sparsec/Communicator.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unordered_map>

namespace sparsec {

using namespace checkpoint;
namespace fs = std::filesystem;

namespace {

constexpr int64_t maxManifestBytes = int64_t(1) << 30;

/// One rank's view of a checkpoint while it loads.
struct Loader {
  std::string directory;
  Manifest manifest;
  std::vector<File> files;
  std::vector<TensorPlace> places; // of each tensor wanted

  Status openManifest(const std::string &model, const std::string &fingerprint);
  Status sameOnAllRanks(Communicator &);
  Status verify(int64_t rank, int64_t ranks);
  Status find(const std::vector<CheckpointTensor> &, bool exact);
  Status fill(const std::vector<CheckpointTensor> &, const std::vector<CheckpointPiece> &) const;
  std::string path(const ManifestFile &f) const { return directory + "/" + f.name; }
};

Result<Manifest> readManifestOf(const std::string &directory) {
  std::string path = directory + "/" + manifestName;
  std::error_code code;
  if (!fs::exists(directory, code))
    return Status::error(fmt::format("{}: there is no such checkpoint", directory));
  if (!fs::exists(path, code))
    return Status::error(fmt::format("{}: expected a checkpoint, but it has no {}", directory, manifestName));
  Result<std::string> text = readWholeFile(path, maxManifestBytes);
  if (!text)
    return text.status();
  return readManifest(*text, path);
}

/// Where a save that could not exchange directories was killed between its two renames, the checkpoint is in `.old`.
std::string findDirectory(const std::string &directory) {
  std::string plain = plainPath(directory), old = oldPath(plain);
  std::error_code code;
  return !fs::exists(plain, code) && fs::exists(old, code) ? old : plain;
}

Status Loader::openManifest(const std::string &model, const std::string &fingerprint) {
  Result<Manifest> read = readManifestOf(directory);
  if (!read)
    return read.status();
  manifest = *read;
  if (manifest.state.fingerprint != fingerprint)
    return Status::error(fmt::format("{}: expected a checkpoint of model `{}` ({}), but it is of model `{}` ({})",
                                     directory, model, fingerprint, manifest.state.model, manifest.state.fingerprint));
  for (const ManifestFile &f : manifest.files) {
    Result<File> file = File::openToRead(path(f));
    if (!file)
      return file.status();
    Result<int64_t> size = file->size();
    if (!size)
      return size.status();
    if (*size != f.bytes)
      return Status::error(fmt::format("{}: expected {} bytes, but got {}: the file is {}", path(f), f.bytes, *size,
                                       *size < f.bytes ? "truncated" : "not the one that was saved"));
    files.push_back(std::move(*file));
  }
  return {};
}

Status Loader::sameOnAllRanks(Communicator &ranks) {
  std::string text = writeManifest(manifest);
  uint64_t mine = hashBytes(text.data(), int64_t(text.size())), first = mine;
  if (Status s = ranks.broadcast(&first, sizeof first, 0); !s)
    return s;
  Status same = mine == first ? Status()
                              : Status::error(fmt::format("{}: this rank sees another checkpoint than rank 0; all "
                                                          "ranks need the same files",
                                                          directory));
  return agreeStatus(ranks, same);
}

Status Loader::verify(int64_t rank, int64_t ranks) {
  int64_t first = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const ManifestFile &f = manifest.files[i];
    auto hashes = hashBlocks(files[i], f.bytes, manifest.blockBytes, first, rank, ranks);
    if (!hashes)
      return hashes.status();
    for (int64_t b = 0; b < int64_t(f.blocks.size()); ++b)
      if ((first + b) % ranks == rank && (*hashes)[size_t(b)] != f.blocks[size_t(b)])
        return Status::error(fmt::format("{}: bytes {} to {} do not match their checksum: the file is damaged", path(f),
                                         b * manifest.blockBytes,
                                         std::min((b + 1) * manifest.blockBytes, f.bytes) - 1));
    first += int64_t(f.blocks.size());
  }
  return {};
}

Status Loader::find(const std::vector<CheckpointTensor> &tensors, bool exact) {
  struct Found {
    std::vector<int64_t> shape;
    TensorPlace place;
  };
  std::unordered_map<std::string, Found> found;
  for (size_t i = 0; i < files.size(); ++i) {
    Result<std::vector<StoredTensor>> header = readHeader(files[i]);
    if (!header)
      return header.status();
    for (StoredTensor &t : *header)
      found[t.tensor.name] = {std::move(t.tensor.shape), {int64_t(i), t.offset}};
  }
  for (const CheckpointTensor &t : tensors) {
    auto at = found.find(t.name);
    if (at == found.end())
      return Status::error(
          fmt::format("{}: there is no tensor `{}`; was it saved with another optimizer?", directory, t.name));
    if (at->second.shape != t.shape)
      return Status::error(fmt::format("{}: expected tensor `{}` of shape [{}], but got [{}]", directory, t.name,
                                       fmt::join(t.shape, ", "), fmt::join(at->second.shape, ", ")));
    places.push_back(at->second.place);
    found.erase(at);
  }
  if (exact && !found.empty()) {
    auto extra = std::min_element(found.begin(), found.end(), [](auto &a, auto &b) { return a.first < b.first; });
    return Status::error(fmt::format("{}: tensor `{}` is not one of this program; was it saved with another optimizer?",
                                     directory, extra->first));
  }
  return {};
}

Status readPiece(const File &file, const CheckpointTensor &tensor, int64_t offset, const CheckpointPiece &p) {
  int64_t rowBytes = tensor.columns() * 4;
  offset += p.row0 * rowBytes;
  if (p.cols == tensor.columns())
    return file.readAt(p.data, p.rows * rowBytes, offset);
  // Whole rows, some megabytes of them at a time, of which the columns are kept.
  int64_t atOnce = std::max<int64_t>(1, (int64_t(4) << 20) / rowBytes);
  std::vector<char> buffer(size_t(std::min(atOnce, p.rows) * rowBytes));
  for (int64_t row = 0; row < p.rows; row += atOnce) {
    int64_t n = std::min(atOnce, p.rows - row);
    if (Status s = file.readAt(buffer.data(), n * rowBytes, offset + row * rowBytes); !s)
      return s;
    for (int64_t r = 0; r < n; ++r)
      std::memcpy(p.data + (row + r) * p.cols, buffer.data() + r * rowBytes + p.col0 * 4, size_t(p.cols) * 4);
  }
  return {};
}

Status Loader::fill(const std::vector<CheckpointTensor> &tensors, const std::vector<CheckpointPiece> &pieces) const {
  for (const CheckpointPiece &p : pieces) {
    const TensorPlace &place = places[size_t(p.tensor)];
    if (p.rows == 0 || p.cols == 0)
      continue;
    if (Status s = readPiece(files[size_t(place.file)], tensors[size_t(p.tensor)], place.offset, p); !s)
      return s;
  }
  return {};
}

} // namespace

Result<CheckpointState> loadCheckpoint(const std::string &directory, const std::string &model,
                                       const std::string &fingerprint, const std::vector<CheckpointTensor> &tensors,
                                       const std::vector<CheckpointPiece> &pieces, Communicator &ranks, bool exact) {
  Loader loader{findDirectory(directory), {}, {}, {}};
  if (Status s = agreeStatus(ranks, loader.openManifest(model, fingerprint)); !s)
    return s;
  if (Status s = loader.sameOnAllRanks(ranks); !s)
    return s;
  if (Status s = agreeStatus(ranks, loader.verify(ranks.rank(), ranks.size())); !s)
    return s;
  if (Status s = agreeStatus(ranks, loader.find(tensors, exact)); !s)
    return s;
  if (Status s = agreeStatus(ranks, loader.fill(tensors, pieces)); !s)
    return s;
  return loader.manifest.state;
}

Result<CheckpointState> readCheckpointState(const std::string &directory) {
  Result<Manifest> manifest = readManifestOf(findDirectory(directory));
  if (!manifest)
    return manifest.status();
  return manifest->state;
}

} // namespace sparsec
