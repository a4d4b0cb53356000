#include "Decompress.h"
#include <climits>
#include <fmt/format.h>
#include <memory>
#include <zlib.h>
#include <zstd.h>

namespace sparsec::data {
namespace {

constexpr int64_t step = 1 << 20; // room given to a decompressor each time

Status damaged(const std::string &path, const char *format, std::string_view why) {
  return Status::error(fmt::format("{}: damaged {} file: {}", path, format, why));
}

Status gunzip(std::string_view bytes, const std::string &path, Buffer<char> &out) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
    return Status::error(fmt::format("{}: cannot start zlib", path));
  std::unique_ptr<z_stream, int (*)(z_stream *)> end(&stream, inflateEnd);
  const char *next = bytes.data(), *last = next + bytes.size();
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(next));
  for (;;) {
    // zlib counts in 32 bits.
    stream.avail_in = static_cast<uInt>(std::min<ptrdiff_t>(last - next, INT_MAX));
    int64_t used = out.size();
    out.resize(used + step);
    stream.next_out = reinterpret_cast<Bytef *>(out.data() + used);
    stream.avail_out = step;
    int code = inflate(&stream, Z_NO_FLUSH);
    out.resize(used + step - stream.avail_out);
    next = reinterpret_cast<const char *>(stream.next_in);
    if (code == Z_STREAM_END) {
      if (next == last)
        return Status();
      if (inflateReset(&stream) != Z_OK)
        return damaged(path, "gzip", "zlib gives up");
    } else if (code == Z_BUF_ERROR || (code == Z_OK && next == last && stream.avail_out)) {
      return damaged(path, "gzip", "it ends too early");
    } else if (code != Z_OK) {
      return damaged(path, "gzip", stream.msg ? stream.msg : "zlib gives up");
    }
  }
}

Status unzstd(std::string_view bytes, const std::string &path, Buffer<char> &out) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream)
    return Status::error(fmt::format("{}: cannot start zstd", path));
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    int64_t used = out.size();
    out.resize(used + step);
    ZSTD_outBuffer piece{out.data() + used, size_t(step), 0};
    size_t code = ZSTD_decompressStream(stream.get(), &piece, &in);
    out.resize(used + piece.pos);
    if (ZSTD_isError(code))
      return damaged(path, "zstd", ZSTD_getErrorName(code));
    if (in.pos == in.size && piece.pos < piece.size)
      return code ? damaged(path, "zstd", "it ends too early") : Status();
  }
}

} // namespace

Compression compressionOf(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b"))
    return Compression::Gzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd"))
    return Compression::Zstd;
  if (bytes.starts_with(std::string_view("\xfd\x37zXZ\0", 6)) || bytes.starts_with("BZh91AY&SY"))
    return Compression::Unknown;
  return Compression::None;
}

Status decompress(Compression compression, std::string_view bytes, const std::string &path, Buffer<char> &out) {
  switch (compression) {
  case Compression::Gzip:
    return gunzip(bytes, path, out);
  case Compression::Zstd:
    return unzstd(bytes, path, out);
  default:
    return Status::error(
        fmt::format("{}: expected text, gzip or zstd, but got xz or bzip2; decompress it first", path));
  }
}

} // namespace sparsec::data
