// Compressed files, known by their first bytes.
#pragma once
#include "sparsec/Batch.h"
#include "sparsec/Status.h"
#include <string>
#include <string_view>

namespace sparsec::data {

enum class Compression { None, Gzip, Zstd, Unknown };
/// Unknown: xz or bzip2, which are not read.
Compression compressionOf(std::string_view bytes);
/// All members or frames, one after the other. `path` is for messages.
Status decompress(Compression, std::string_view bytes, const std::string &path, Buffer<char> &out);

} // namespace sparsec::data
