#include "checkpoint/AgreeStatus.h"
#include "checkpoint/BlockHash.h"
#include "checkpoint/File.h"
#include "checkpoint/Manifest.h"
#include "checkpoint/Safetensors.h"
#include "sparsec/Checkpoint.h"
#include "sparsec/Communicator.h"
#include <filesystem>
#include <fmt/format.h>
#include <numeric>

namespace sparsec {

using namespace checkpoint;
namespace fs = std::filesystem;

namespace {

/// The new directory with all files at their full size, headers written.
Status prepare(const std::string &fresh, const Layout &layout) {
  std::error_code code;
  fs::remove_all(fresh, code); // of a save that was interrupted: checkSaveDirectory has seen that it is nothing else
  if (code || !fs::create_directory(fresh, code))
    return Status::error(fmt::format("{}: cannot create the directory: {}", fresh, code.message()));
  for (const FileLayout &f : layout.files) {
    Result<File> file = File::create(fresh + "/" + f.name);
    if (!file)
      return file.status();
    if (Status s = file->reserve(f.bytes); !s)
      return s;
    if (Status s = file->writeAt(f.header.data(), int64_t(f.header.size()), 0); !s)
      return s;
    if (Status s = file->sync(); !s)
      return s;
  }
  return {};
}

Status writePiece(File &file, const CheckpointTensor &tensor, int64_t offset, const CheckpointPiece &p) {
  const float *data = p.data + (p.saveRow0 - p.row0) * p.cols;
  int64_t rowBytes = tensor.columns() * 4;
  offset += p.saveRow0 * rowBytes + p.col0 * 4;
  if (p.cols == tensor.columns())
    return file.writeAt(data, p.saveRows * rowBytes, offset);
  for (int64_t r = 0; r < p.saveRows; ++r)
    if (Status s = file.writeAt(data + r * p.cols, p.cols * 4, offset + r * rowBytes); !s)
      return s;
  return {};
}

Status writePieces(const std::string &fresh, const Layout &layout, const std::vector<CheckpointTensor> &tensors,
                   const std::vector<CheckpointPiece> &pieces) {
  for (size_t f = 0; f < layout.files.size(); ++f) {
    std::vector<const CheckpointPiece *> here;
    for (const CheckpointPiece &p : pieces)
      if (p.saveRows > 0 && p.cols > 0 && layout.places[size_t(p.tensor)].file == int64_t(f))
        here.push_back(&p);
    if (here.empty())
      continue;
    Result<File> file = File::openToWrite(fresh + "/" + layout.files[f].name);
    if (!file)
      return file.status();
    for (const CheckpointPiece *p : here)
      if (Status s = writePiece(*file, tensors[size_t(p->tensor)], layout.places[size_t(p->tensor)].offset, *p); !s)
        return s;
    if (Status s = file->sync(); !s)
      return s;
  }
  return {};
}

/// Every element of every tensor is written by one rank: a table that nobody writes would be saved as zeros.
Status checkCover(const std::vector<CheckpointTensor> &tensors, const std::vector<CheckpointPiece> &pieces,
                  Communicator &ranks) {
  std::vector<int64_t> written(tensors.size(), 0);
  for (const CheckpointPiece &p : pieces)
    written[size_t(p.tensor)] += p.saveRows * p.cols;
  if (Status s = ranks.allReduceSum(written.data(), int64_t(written.size())); !s)
    return s;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (written[i] * 4 != tensors[i].bytes())
      return Status::error(fmt::format("tensor `{}` has {} numbers, but the ranks would save {}", tensors[i].name,
                                       tensors[i].bytes() / 4, written[i]));
  return {};
}

/// What is on disk, read back by all ranks together.
Status hashFiles(const std::string &fresh, const Layout &layout, Manifest &manifest, Communicator &ranks) {
  Status status;
  int64_t first = 0;
  std::vector<int64_t> all;
  for (const FileLayout &f : layout.files) {
    int64_t blocks = blockCount(f.bytes, manifest.blockBytes);
    std::vector<uint64_t> mine(size_t(blocks), 0);
    if (Result<File> file = File::openToRead(fresh + "/" + f.name); !file) {
      status = file.status();
    } else if (auto hashes = hashBlocks(*file, f.bytes, manifest.blockBytes, first, ranks.rank(), ranks.size())) {
      mine = *hashes;
    } else {
      status = hashes.status();
    }
    all.insert(all.end(), mine.begin(), mine.end());
    manifest.files.push_back({f.name, f.bytes, {}});
    first += blocks;
  }
  if (Status s = agreeStatus(ranks, status); !s)
    return s;
  // Each block has one rank's hash, the others add 0.
  if (Status s = ranks.allReduceSum(all.data(), int64_t(all.size())); !s)
    return s;
  auto next = all.begin();
  for (ManifestFile &f : manifest.files) {
    auto end = next + blockCount(f.bytes, manifest.blockBytes);
    f.blocks.assign(next, end);
    next = end;
  }
  return {};
}

Status finish(const std::string &fresh, const std::string &target, const Manifest &manifest) {
  if (Status s = writeWholeFile(fresh + "/" + manifestName, writeManifest(manifest)); !s)
    return s;
  if (Status s = syncDirectory(fresh); !s)
    return s;
  return replaceDirectory(fresh, target);
}

} // namespace

Status saveCheckpoint(const std::string &directory, const CheckpointState &state,
                      const std::vector<CheckpointTensor> &tensors, const std::vector<CheckpointPiece> &pieces,
                      Communicator &ranks, const CheckpointLimits &limits) {
  std::string target = plainPath(directory), fresh = freshPath(target);
  Layout layout = layOut(tensors, limits.fileBytes);
  Manifest manifest{state, limits.blockBytes, {}};
  if (Status s = checkCover(tensors, pieces, ranks); !s)
    return s;

  bool first = ranks.rank() == 0;
  Status status;
  if (first && (status = checkSaveDirectory(target)))
    status = prepare(fresh, layout);
  if (Status s = agreeStatus(ranks, status); !s)
    return s;
  if (Status s = agreeStatus(ranks, writePieces(fresh, layout, tensors, pieces)); !s)
    return s;
  if (Status s = hashFiles(fresh, layout, manifest, ranks); !s)
    return s;
  return agreeStatus(ranks, first ? finish(fresh, target, manifest) : Status());
}

} // namespace sparsec
