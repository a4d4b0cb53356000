#include "cli/Info.h"
#include "cli/Interrupt.h"
#include "cli/Launcher.h"
#include "cli/Options.h"
#include "cli/RunRank.h"
#include "sparsec/Cli.h"
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <string>

namespace sparsec {

using namespace cli;

namespace {

int complain(const Status &status) {
  fmt::print(stderr, "error: {}\n", status.message());
  return 1;
}

/// 0 if all that was printed has gone where it should.
int flushed() {
  if (std::fflush(stdout) == 0)
    return 0;
  return complain(Status::error(fmt::format("stdout: cannot write: {}", std::strerror(errno))));
}

Result<Program> describe(const SparsecProgramImage &image) {
  if (image.abi != SPARSEC_ABI)
    return Status::error(
        fmt::format("the program was compiled for runtime interface {}, but this runtime has {}; compile "
                    "it again",
                    image.abi, int(SPARSEC_ABI)));
  return readProgram({image.description, size_t(image.description_size)});
}

/// What the user typed, for advice.
std::string commandLine(int argc, char **argv) {
  std::string text = argv[0];
  for (int i = 1; i < argc; ++i)
    text += std::string(" ") + argv[i];
  return text;
}

/// A rank may be a thread of its own, out of which nothing may be thrown.
Result<int> runGuarded(const Options &options, const SparsecProgramImage &image, const Program &program,
                       Communicator &world, int threads) {
  try {
    return runRank(options, image, program, world, threads);
  } catch (const std::bad_alloc &) {
    return Status::error(fmt::format("rank {}: out of memory", world.programRank()));
  } catch (const std::exception &e) {
    return Status::error(fmt::format("rank {}: {}", world.programRank(), e.what()));
  }
}

int run(int argc, char **argv, const SparsecProgramImage &image) {
  Result<Program> program = describe(image);
  if (!program) {
    if (isFirstProcess())
      complain(program.status());
    awaitFirstProcess();
    return 1;
  }
  ParsedOptions parsed = parseOptions(argc, argv, *program);
  if (parsed.exitCode) {
    if (isFirstProcess())
      fmt::print(*parsed.exitCode ? stderr : stdout, "{}", parsed.text);
    if (*parsed.exitCode)
      awaitFirstProcess();
    return *parsed.exitCode;
  }
  const Options &options = parsed.options;
  if (options.command == Command::info) {
    if (isFirstProcess())
      fmt::print("{}\n", options.json ? infoJson(*program) : infoText(*program));
    return flushed();
  }

  std::optional<Interrupt> interrupt;
  if (options.command == Command::train)
    interrupt.emplace();
  std::atomic<int> exitCode = 0;
  auto body = [&](Communicator &world, int threads) {
    Result<int> code = runGuarded(options, image, *program, world, threads);
    if (code)
      exitCode = *code; // the same from every rank
    return code.status();
  };
  if (!launch(*program, options, commandLine(argc, argv), body, complain).ok())
    return 1;
  return flushed() ? 1 : exitCode.load();
}

} // namespace

int runExecutable(int argc, char **argv, const SparsecProgramImage *image) {
  try {
    return run(argc, argv, *image);
  } catch (const std::exception &e) {
    return complain(Status::error(e.what()));
  }
}

} // namespace sparsec
