// main() of a tuner: every schedule of a program's lookups, measured on the device at hand.
#include "device/OpenDevice.h"
#include "tune/Measure.h"
#include "tune/Report.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>

extern "C" const SparsecProgramImage sparsec_program;
extern "C" const sparsec::OpenDevice sparsec_open_device;

using namespace sparsec;
using namespace sparsec::tune;

namespace {

/// The emulator's clock says nothing of a GPU: a small run shows that everything works.
constexpr MeasureOptions emulatedOptions{1, 1, 1, 64};

int complain(const Status &status) {
  fmt::print(stderr, "error: {}\n", status.message());
  return 1;
}

struct Arguments {
  std::string output;
  std::optional<int64_t> repeats, launches, bags;
};

std::optional<int> parse(int argc, char **argv, const Tuning &tuning, Arguments &arguments) {
  CLI::App app(fmt::format(
      "measures schedules of the lookups of {} on the device at hand, for `sparsec --schedules=FILE`", tuning.model));
  CLI::Range some(int64_t(1), int64_t(1) << 31);
  app.set_version_flag("--version", tuning.compiler);
  app.add_option("-o,--output", arguments.output, "the file of schedules to write")->required()->type_name("FILE");
  app.add_option("--repeats", arguments.repeats, "measurements, of which the median counts (default: 7)")->check(some);
  app.add_option("--launches", arguments.launches, "launches of each measurement (default: 20)")->check(some);
  app.add_option("--bags", arguments.bags,
                 "bags of a step at most (default: as many as the model has; predictions are for those)")
      ->check(some);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  return std::nullopt;
}

Status writeFile(const std::string &path, const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && std::fclose(file) != 0)
    written = false;
  return written ? Status() : Status::error(fmt::format("cannot write `{}`: {}", path, std::strerror(errno)));
}

Result<std::vector<Measured>> measureAll(Device &device, const Tuning &tuning, const MeasureOptions &options) {
  std::vector<Measured> all;
  const SparsecKernel *const *kernel = sparsec_program.kernels;
  for (const TunedClass &of : tuning.lookups) {
    Lookups lookups(device, of, options);
    if (Status status = lookups.make(); !status)
      return status;
    Measured &measured = all.emplace_back();
    measured.bags = lookups.bags();
    for (size_t i = 0; i < of.schedules.size(); ++i) {
      auto time = lookups.measure(**kernel++);
      if (!time)
        return time.status();
      measured.times.push_back(*time);
    }
    fmt::print("{}{}", &of == &tuning.lookups.front() ? "" : "\n", tableOf(of, measured));
  }
  return all;
}

int run(int argc, char **argv) {
  auto tuning = readTuning({sparsec_program.description, size_t(sparsec_program.description_size)});
  if (!tuning)
    return complain(tuning.status());
  Arguments arguments;
  if (auto done = parse(argc, argv, *tuning, arguments))
    return *done;
  OpenedDevice opened;
  sparsec_open_device(&sparsec_program, &opened);
  if (!opened.device)
    return complain(opened.status);
  bool emulated = opened.architecture == "emulated";
  if (emulated)
    fmt::print("measured on the emulated device: times are the emulator's, not those of a GPU\n");
  MeasureOptions options = emulated ? emulatedOptions : MeasureOptions();
  options.repeats = arguments.repeats.value_or(options.repeats);
  options.launches = arguments.launches.value_or(options.launches);
  options.mostBags = arguments.bags.value_or(options.mostBags);
  auto measured = measureAll(*opened.device, *tuning, options);
  if (!measured)
    return complain(measured.status());
  Status status = writeFile(arguments.output, fileOf(*tuning, opened.architecture, *measured));
  return status ? 0 : complain(status);
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    return complain(Status::error(error.what()));
  }
}
