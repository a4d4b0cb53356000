// Criteo-shaped text to batches, parsed on the calling thread, beside finding the line ends of the same text. Bytes/s.
#include "sparsec/Batch.h"
#include "sparsec/Reader.h"
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

using namespace sparsec;

namespace {

constexpr int64_t rows = 50000, numbers = 13, categories = 26;

/// A file of made-up rows, gone when this is.
struct Text {
  std::string path, content;
  Text() {
    std::mt19937 random(1);
    char field[16];
    for (int64_t row = 0; row < rows; ++row) {
      content += random() % 4 ? '0' : '1';
      for (int64_t i = 0; i < numbers; ++i)
        content += "\t" + (random() % 4 ? std::to_string(random() % 500) : std::string());
      for (int64_t i = 0; i < categories; ++i) {
        std::snprintf(field, sizeof field, "\t%08x", unsigned(random()));
        content += field;
      }
      content += '\n';
    }
    char name[] = "/tmp/sparsec-reader-XXXXXX";
    std::FILE *file = fdopen(mkstemp(name), "w");
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
    path = name;
  }
  ~Text() { std::remove(path.c_str()); }
};

Program program() {
  Program p;
  p.batchSize = 2048;
  p.data.delimiter = "\t";
  p.data.column.push_back("label");
  p.labels.push_back({"label", "label", {}, {}});
  InputBlock block;
  for (int64_t i = 0; i < numbers + categories; ++i) {
    FeatureColumn feature;
    feature.name = feature.column = (i < numbers ? "I" : "C") + std::to_string(i);
    p.data.column.push_back(feature.column);
    if (i < numbers) {
      feature.kind = "number";
      feature.fill = 0;
      feature.steps = {{"min", 0, 0, 1}, {"log_plus", 1, 0, 1}};
      block.features.push_back(i);
      ++block.width;
    } else {
      feature.kind = "hash";
      feature.ids = 1000000;
    }
    p.features.push_back(feature);
  }
  p.inputs.push_back(block);
  return p;
}

void reader(benchmark::State &state) {
  Text text;
  Program p = program();
  ReaderOptions options = ReaderOptions::train(p, 0);
  options.threads = 0;
  for (auto _ : state) {
    auto source = openReader(p, {text.path}, options);
    if (!source)
      return state.SkipWithError(source.status().message().c_str());
    int64_t samples = 0;
    while (const Batch *batch = (*source)->next())
      samples += batch->samples;
    if (samples != rows)
      return state.SkipWithError("rows are missing");
  }
  state.SetBytesProcessed(state.iterations() * int64_t(text.content.size()));
  state.SetItemsProcessed(state.iterations() * rows);
}

void lineEnds(benchmark::State &state) {
  Text text;
  for (auto _ : state) {
    int64_t lines = 0;
    for (const char *at = text.content.data(), *end = at + text.content.size(); at < end; ++lines)
      at = static_cast<const char *>(std::memchr(at, '\n', end - at)) + 1;
    benchmark::DoNotOptimize(lines);
  }
  state.SetBytesProcessed(state.iterations() * int64_t(text.content.size()));
}

} // namespace

BENCHMARK(reader)->UseRealTime();
BENCHMARK(lineEnds)->Name("line ends")->UseRealTime();
