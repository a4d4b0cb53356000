// The bytes of one file: mapped, or decompressed into memory.
#pragma once
#include "sparsec/Batch.h"
#include "sparsec/Status.h"
#include <string>
#include <string_view>

namespace sparsec::data {

class InputFile {
public:
  InputFile() = default;
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;
  ~InputFile();

  /// Bytes as they lie on disk.
  static Result<InputFile> open(const std::string &path);
  /// Then text: decompressed if need be, without a byte-order mark.
  static Result<InputFile> openText(const std::string &path);

  const std::string &path() const { return name; }
  std::string_view bytes() const { return content; }
  /// Bytes that are no longer there can end the process; to be asked before they are read.
  Status checkWhole() const;

private:
  std::string name;
  std::string_view content;
  void *mapped = nullptr;
  size_t mappedSize = 0;
  uint64_t inode = 0;
  Buffer<char> held; // what was decompressed
};

} // namespace sparsec::data
