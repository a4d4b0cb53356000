#include "cli/StepLog.h"
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace sparsec::cli {

Result<StepLog> StepLog::open(const std::string &path, bool append) {
  StepLog log;
  log.path = path;
  log.file.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!log.file)
    return Status::error(fmt::format("{}: cannot open for writing: {}", path, std::strerror(errno)));
  return log;
}

Status StepLog::write(const StepRecord &r) {
  if (!file)
    return {};
  // 9 digits give every float back exactly; JSON has no nan.
  std::string loss = std::isfinite(r.loss) ? fmt::format("{:.9g}", r.loss) : "null";
  std::string line = fmt::format("{{\"step\":{},\"epoch\":{},\"batch\":{},\"samples\":{},\"loss\":{},"
                                 "\"samples_per_second\":{:.1f}}}\n",
                                 r.step, r.epoch, r.batch, r.samples, loss, r.samplesPerSecond);
  if (std::fputs(line.c_str(), file.get()) < 0 || std::fflush(file.get()) != 0)
    return Status::error(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  return {};
}

} // namespace sparsec::cli
