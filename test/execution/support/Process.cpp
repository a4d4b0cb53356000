#include "support/Process.h"
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace sparsec::execution {

namespace {
/// Unique in this process and among those that run now.
std::string uniqueName() {
  static std::atomic<int> count = 0;
  return "sparsec-execution-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}
} // namespace

TemporaryFolder::TemporaryFolder() : path(std::filesystem::temp_directory_path() / uniqueName()) {
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void writeFile(const std::string &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

Ran runProgram(const std::vector<std::string> &words) {
  std::string base = (std::filesystem::temp_directory_path() / uniqueName()).string();
  std::string out = base + ".out", err = base + ".err";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char *> argv;
  for (const std::string &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  Ran ran;
  if (posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ) == 0) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  posix_spawn_file_actions_destroy(&files);
  ran.out = readFile(out);
  ran.err = readFile(err);
  unlink(out.c_str());
  unlink(err.c_str());
  return ran;
}

} // namespace sparsec::execution
