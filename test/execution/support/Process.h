// Runs a program and keeps what it prints; a folder that goes away with its owner.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace sparsec::execution {

struct Ran {
  int code = -1; // exit status; 128 + n after signal n; -1 if the program cannot be started
  std::string out, err;
  bool ok() const { return code == 0; }
};

/// words[0] is looked for on the path.
Ran runProgram(const std::vector<std::string> &words);

class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string operator/(const std::string &name) const { return (path / name).string(); }

private:
  std::filesystem::path path;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &text);

} // namespace sparsec::execution
