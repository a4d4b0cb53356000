// Descriptions on disk for a test, and what the loader says about them.
#pragma once
#include "passes/Import/Description/Model.h"
#include <string>
#include <utility>
#include <vector>

namespace sparsec::description::test {

/// test/Inputs/language.
std::string inputs();
std::string readAll(const std::string &path);

/// A folder of its own for this test, made the working folder until the end, so that errors show bare file names.
class Scratch {
public:
  Scratch();
  ~Scratch();
  void write(const std::string &name, const std::string &text) const;

private:
  std::string before, folder;
};

/// What loading a model of these files prints; "" if nothing.
std::string modelErrors(const std::vector<std::pair<std::string, std::string>> &files);
inline std::string modelErrors(const std::string &text) { return modelErrors({{"m.textproto", text}}); }

/// Loads an example, which must be sound.
Loaded example(const std::string &name);

/// The example with `from`, which must occur, replaced once.
std::string edited(const std::string &example, const std::string &from, const std::string &to);

/// A small sound model.
extern const char *const tiny;

} // namespace sparsec::description::test
