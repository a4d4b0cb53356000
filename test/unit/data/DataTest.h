// What the tests of the reader share: files that vanish, small programs, and a batch as text.
#pragma once
#include "sparsec/Reader.h"
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace sparsec::datatest {

/// A folder for one test.
class Files {
public:
  Files() {
    static std::atomic<int> count = 0;
    folder = std::filesystem::temp_directory_path() /
             ("sparsec-data-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder);
  }
  ~Files() { std::filesystem::remove_all(folder); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  std::string path(const std::string &name) const { return (folder / name).string(); }

private:
  std::filesystem::path folder;
};

inline FeatureColumn number(const std::string &name) {
  FeatureColumn f;
  f.name = f.column = name;
  f.kind = "number";
  return f;
}

inline FeatureColumn category(const std::string &name, const std::string &kind, int64_t ids) {
  FeatureColumn f;
  f.name = f.column = name;
  f.kind = kind;
  f.ids = ids;
  return f;
}

/// Label `y` if it is a column; every number in one input block; one bce task if there is a label.
inline Program program(std::vector<std::string> columns, std::vector<FeatureColumn> features, int64_t batch = 4) {
  Program p;
  p.data.column = columns;
  p.batchSize = batch;
  if (std::find(columns.begin(), columns.end(), "y") != columns.end()) {
    p.labels = {{"y", "y", {}, {}}};
    p.tasks = {{"t", "bce", 0, 1}};
  }
  p.features = std::move(features);
  InputBlock block;
  for (size_t f = 0; f < p.features.size(); ++f)
    if (p.features[f].isNumber()) {
      block.features.push_back(f);
      block.width += p.features[f].width;
    }
  if (block.width)
    p.inputs = {block};
  return p;
}

/// Everything a batch holds, exactly: what generated code would see.
inline std::string show(const Program &p, const Batch &b) {
  std::ostringstream out;
  out << std::hexfloat;
  for (size_t i = 0; i < b.inputs.size(); ++i) {
    EXPECT_EQ(b.inputs[i].size(), b.samples * p.inputs[i].width);
    for (int64_t k = 0; k < b.inputs[i].size(); ++k)
      out << (k % p.inputs[i].width ? "," : "|") << b.inputs[i][k];
  }
  for (auto &label : b.labels)
    for (int64_t k = 0; k < label.size(); ++k)
      out << " y" << label[k];
  for (size_t f = 0; f < b.ids.size(); ++f) {
    if (p.features[f].isNumber())
      continue;
    const SparsecJagged &j = b.ids[f].view();
    EXPECT_EQ(j.bags, b.samples);
    out << " " << p.features[f].name << ":";
    for (int64_t bag = 0; bag < j.bags; ++bag) {
      out << "[";
      for (int64_t k = j.offsets[bag]; k < j.offsets[bag + 1]; ++k) {
        out << (k > j.offsets[bag] ? "," : "") << j.values[k];
        if (j.weights)
          out << "*" << j.weights[k];
      }
      out << "]";
      if (j.counts && j.counts[bag] != j.offsets[bag + 1] - j.offsets[bag])
        out << "#" << j.counts[bag];
    }
  }
  return out.str();
}

inline std::unique_ptr<BatchSource> open(const Program &p, const std::vector<std::string> &files,
                                         const ReaderOptions &o) {
  Result<std::unique_ptr<BatchSource>> source = openReader(p, files, o);
  EXPECT_TRUE(source.ok()) << source.status().message();
  return source.ok() ? std::move(*source) : nullptr;
}

/// One batch with all rows of a text, file order.
struct Read {
  std::string shown; // or the error
  DataCounters counters;
};
inline Read readAll(Program p, const std::vector<std::string> &files, bool labels = true) {
  ReaderOptions o;
  o.batchSize = 1 << 20;
  o.labels = labels;
  o.threads = 0;
  Result<std::unique_ptr<BatchSource>> source = openReader(p, files, o);
  if (!source.ok())
    return {source.status().message(), {}};
  const Batch *b = (*source)->next();
  if (!b->status) {
    EXPECT_EQ(b->samples, 0);
    show(p, *b); // empty, but whole
    return {b->status.message(), (*source)->counters()};
  }
  return {show(p, *b), (*source)->counters()};
}
inline Read readText(Program p, const std::string &text, bool labels = true) {
  Files files;
  Read r = readAll(p, {files.write("f", text)}, labels);
  // Messages start with the path: cut the folder.
  if (size_t at = r.shown.find(files.path("")); at != std::string::npos)
    r.shown.erase(at, files.path("").size());
  return r;
}

} // namespace sparsec::datatest
