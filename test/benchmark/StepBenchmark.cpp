// Whole training steps of samples, one thread, beside what no step can do without: its matrix products as plain oneDNN
// calls, and its rows read once for the lookups and read and written once for the update. Ids are uniform, one a bag,
// in the executable (`bench --zipf 0`) and here. Both are timed in turns, in CPU time of the one thread (of the
// executable's, by StepClock.cpp), and of a turn the median counts.
#include "passes/Import/Description/Model.h"
#include "support/Process.h"
#include "test/benchmark/Rows.h"
#include "test/benchmark/Turns.h"
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <dnnl.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <sys/mman.h>

using namespace sparsec;
using namespace sparsec::benchmarks;

extern "C" void omp_set_num_threads(int); // of libgomp, which oneDNN brings

namespace {

constexpr int repetitions = 16; // in one turn

/// c[m, n] = op(a) op(b).
struct Product {
  bool transposeA, transposeB;
  int64_t m, n, k;
  std::vector<float> a, b, c;

  Product(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k)
      : transposeA(transposeA), transposeB(transposeB), m(m), n(n), k(k), a(m * k, 1), b(n * k, 1), c(m * n) {}
  void run() {
    dnnl_sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, 1, a.data(), transposeA ? m : k, b.data(),
               transposeB ? k : n, 0, c.data(), n);
  }
};

/// The products of a description's layers, forward and backward.
class Products {
public:
  explicit Products(const description::Loaded &loaded)
      : loaded(loaded), batch(loaded.model.training().batch_size()), varies(loaded.layers.size()) {
    for (int index : loaded.layerOrder)
      layer(index);
  }
  void run() {
    for (Product &product : products)
      product.run();
  }

private:
  /// Whether anything before it learns, so that its gradient is needed.
  bool learned(description::TensorRef tensor) const {
    return tensor.kind == description::TensorRef::Lookup ||
           (tensor.kind == description::TensorRef::Layer && varies[tensor.index]);
  }

  void linear(int64_t in, int64_t out, bool &inputGradient) {
    products.emplace_back(false, true, batch, out, in); // x Wᵀ
    if (std::exchange(inputGradient, true))
      products.emplace_back(false, false, batch, in, out); // g W
    products.emplace_back(true, false, out, in, batch);    // gᵀ x
  }

  void layer(int index) {
    const Layer &layer = loaded.model.layer(index);
    int64_t width = loaded.layers[index].inputWidth;
    bool gradient = std::ranges::any_of(loaded.layers[index].inputs, [&](auto input) { return learned(input); });
    if (layer.has_linear())
      linear(width, layer.linear().units(), gradient);
    for (int64_t units : layer.mlp().units())
      linear(std::exchange(width, units), units, gradient);
    for (int64_t i = 0; i < layer.cross().layers(); ++i)
      if (int64_t rank = layer.cross().rank()) {
        linear(width, rank, gradient);
        linear(rank, width, gradient);
      } else {
        linear(width, width, gradient);
      }
    varies[index] = gradient;
  }

  const description::Loaded &loaded;
  int64_t batch;
  std::vector<char> varies;
  std::vector<Product> products;
};

using Gather = void (*)(const float *, std::span<const int64_t>, std::span<const int64_t>, float *);
using Write = void (*)(float *, std::span<const int64_t>);

/// Rows of `dim` floats at random: a table's weights, or a state of its optimizer.
class Block {
public:
  Block(int64_t rows, int64_t dim) : dim(dim) {
    constexpr int64_t hugePage = int64_t(1) << 21;
    int64_t bytes = (rows * dim * 4 + hugePage - 1) / hugePage * hugePage;
    floats.reset(static_cast<float *>(std::aligned_alloc(hugePage, bytes)));
    madvise(floats.get(), bytes, MADV_HUGEPAGE); // as the runtime has its tables
    std::fill_n(floats.get(), rows * dim, 1.0f);
    bool known = false;
    auto choose = [&]<int64_t... widths>(std::integer_sequence<int64_t, widths...>) {
      ((widths == dim && (known = true, gatherRows = gather<widths>, write = readModifyWrite<widths>)), ...);
    };
    choose(std::integer_sequence<int64_t, 1, 2, 4, 8, 16, 32, 64, 128>());
    if (!known)
      throw std::runtime_error("the peer has no rows of " + std::to_string(dim));
  }

  int64_t dim;
  Gather gatherRows = nullptr;
  Write write = nullptr;
  float *data() { return floats.get(); }

private:
  struct Free {
    void operator()(float *memory) const { std::free(memory); }
  };
  std::unique_ptr<float[], Free> floats;
};

/// The rows of one step after the other.
class Rows {
public:
  explicit Rows(const description::Loaded &loaded) : bags(loaded.model.training().batch_size() + 1) {
    std::iota(bags.begin(), bags.end(), 0);
    for (int i = 0; i < loaded.model.table_size(); ++i)
      tables.emplace_back(loaded.model.table(i), loaded.tables[i].lookups.size());
  }

  /// Not timed.
  void draw() {
    for (Table &table : tables)
      table.draw(int64_t(bags.size()) - 1, random);
  }
  void run() {
    for (Table &table : tables)
      for (auto &ids : table.ids)
        table.blocks[0].gatherRows(table.blocks[0].data(), ids, bags, table.pooled.data());
    for (Table &table : tables)
      for (Block &block : table.blocks)
        block.write(block.data(), table.touched);
  }

private:
  struct Table {
    int64_t rows;
    bool whole;
    std::vector<Block> blocks;             // weights, then states
    std::vector<std::vector<int64_t>> ids; // of each lookup
    std::vector<int64_t> touched;
    std::vector<float> pooled;

    Table(const sparsec::Table &table, size_t lookups)
        : rows(table.rows(0)), whole(table.update() == sparsec::Table::WHOLE), ids(lookups) {
      int64_t dim = table.dim(0);
      const Optimizer &optimizer = table.optimizer();
      blocks.emplace_back(rows, dim);
      for (int state = 0; state < (optimizer.has_adam() ? 2 : optimizer.has_adagrad() ? 1 : 0); ++state)
        blocks.emplace_back(rows, dim);
      if (optimizer.has_row_wise_adagrad())
        blocks.emplace_back(rows, 1);
    }

    void draw(int64_t bags, std::mt19937_64 &random) {
      touched.clear();
      pooled.resize(bags * blocks[0].dim);
      for (auto &lookup : ids) {
        lookup.resize(bags);
        for (int64_t &id : lookup)
          id = int64_t(random() % uint64_t(rows));
        touched.insert(touched.end(), lookup.begin(), lookup.end());
      }
      std::ranges::sort(touched);
      touched.erase(std::ranges::unique(touched).begin(), touched.end());
      if (whole) {
        touched.resize(rows);
        std::iota(touched.begin(), touched.end(), 0);
      }
    }
  };

  std::vector<int64_t> bags; // offsets: one id each
  std::vector<Table> tables;
  std::mt19937_64 random;
};

/// The sample's executable.
class Model {
public:
  explicit Model(const std::vector<std::string> &files) {
    std::vector<std::string> words = {SPARSEC_PROGRAM, "-o", folder / "model"};
    words.insert(words.end(), files.begin(), files.end());
    run(words);
  }
  double stepSeconds() {
    std::string out = run({"env", "LD_PRELOAD=" SPARSEC_STEP_CLOCK, folder / "model", "bench", "--json", "--threads=1",
                           "--zipf=0", "--bag-length=1", "--steps=" + std::to_string(repetitions)});
    return nlohmann::json::parse(out).at("step_ms").at("median").get<double>() / 1e3;
  }

private:
  static std::string run(const std::vector<std::string> &words) {
    execution::Ran ran = execution::runProgram(words);
    if (!ran.ok())
      throw std::runtime_error(words[0] + ": " + ran.err);
    return ran.out;
  }
  execution::TemporaryFolder folder;
};

void measure(benchmark::State &state, const std::vector<std::string> &files) {
  description::Diagnostics diagnostics;
  std::optional<description::Loaded> loaded = description::loadModel(files, diagnostics);
  if (!loaded)
    throw std::runtime_error(diagnostics.str());
  Model model(files);
  Products products(*loaded);
  Rows rows(*loaded);
  omp_set_num_threads(1);
  std::vector<double> steps, productTimes, rowTimes, ratios;
  for (auto _ : state) {
    double step = model.stepSeconds();
    std::vector<double> productSeconds, rowSeconds;
    for (int i = 0; i < repetitions; ++i) { // in turns too, as a step finds no rows in the cache
      rows.draw();
      productSeconds.push_back(secondsOf(1, [&] { products.run(); }));
      rowSeconds.push_back(secondsOf(1, [&] { rows.run(); }));
    }
    steps.push_back(step);
    productTimes.push_back(median(productSeconds));
    rowTimes.push_back(median(rowSeconds));
    ratios.push_back((productTimes.back() + rowTimes.back()) / step);
    state.SetIterationTime(step);
  }
  if (steps.empty())
    return;
  state.counters["samples/s"] = double(loaded->model.training().batch_size()) / median(steps);
  state.counters["step ms"] = 1e3 * median(steps);
  state.counters["gemm ms"] = 1e3 * median(productTimes);
  state.counters["rows ms"] = 1e3 * median(rowTimes);
  state.counters["of_roofline"] = median(ratios);
}

void step(benchmark::State &state, const std::vector<std::string> &names) {
  std::vector<std::string> files;
  for (const std::string &name : names)
    files.push_back(SPARSEC_SAMPLES "/" + name + ".textproto");
  try {
    measure(state, files);
  } catch (const std::exception &error) {
    state.SkipWithError(error.what());
  }
}

} // namespace

#define STEP(name, ...)                                                                                                \
  BENCHMARK_CAPTURE(step, name, {__VA_ARGS__})->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond)

STEP(criteo_dlrm, "criteo_dlrm/model");
STEP(adult_deepfm, "adult/features", "adult/deepfm");
STEP(adult_dlrm, "adult/features", "adult/dlrm");
