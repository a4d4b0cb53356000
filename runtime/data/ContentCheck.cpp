#include "Hashing.h"
#include "InputFile.h"
#include "sparsec/Reader.h"

namespace sparsec {

Result<ContentCheck> checkContent(const std::vector<std::string> &files) {
  constexpr size_t whole = 1 << 20, pieces = 64, piece = 16 << 10;
  ContentCheck check;
  for (const std::string &path : files) {
    Result<data::InputFile> file = data::InputFile::open(path);
    if (!file)
      return file.status();
    std::string_view bytes = file->bytes();
    check.bytes += bytes.size();
    // The size goes in as well: a byte that moves from one file to the next changes the stream.
    uint64_t state[2] = {check.checksum, bytes.size()};
    check.checksum = XXH64(state, sizeof(state), 0);
    if (bytes.size() <= whole) {
      check.checksum = data::hash64(bytes, check.checksum);
      continue;
    }
    for (size_t i = 0; i < pieces; ++i) {
      size_t start = (bytes.size() - piece) / (pieces - 1) * i;
      if (i == pieces - 1)
        start = bytes.size() - piece;
      check.checksum = data::hash64(bytes.substr(start, piece), check.checksum);
    }
  }
  return check;
}

} // namespace sparsec
