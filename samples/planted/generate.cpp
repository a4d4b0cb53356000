// Rows shaped like Criteo's (label, 13 integers, 26 categories) whose click probabilities are known: what a model can
// reach at best is a number to compare with. Same seed, same bytes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <numbers>
#include <random>
#include <vector>

namespace {

constexpr int numbers = 13;
constexpr int categories = 26;

/// A well mixed function of its arguments (SplitMix64's last steps).
uint64_t mix(uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t x = a + 0x9e3779b97f4a7c15 * (b + 1) + 0xd1b54a32d192ed03 * (c + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double uniform(uint64_t bits) { return (double(bits >> 11) + 0.5) * 0x1p-53; }

/// A standard normal number for each key.
double normal(uint64_t key) {
  return std::sqrt(-2 * std::log(uniform(mix(key, 1)))) * std::cos(2 * std::numbers::pi * uniform(mix(key, 2)));
}

/// Ids 0 ... size-1, id k with a probability like 1 / (k + 2)^exponent.
class Zipf {
public:
  Zipf(int size, double exponent) : sums(size) {
    double sum = 0;
    for (int k = 0; k < size; ++k)
      sums[k] = sum += std::pow(k + 2, -exponent);
  }
  int operator()(double u) const {
    return int(std::upper_bound(sums.begin(), sums.end() - 1, u * sums.back()) - sums.begin());
  }

private:
  std::vector<double> sums;
};

struct Column {
  Zipf zipf;
  double missing; // share
  double spread;  // of the effects of its ids
};

/// The click model. The logit is the sum of an effect of each id, of each number, and of pairs of ids.
class Clicks {
public:
  explicit Clicks(uint64_t seed) : seed(seed) {
    // The more ids a column has, the less each says: the tail of a column is seen too rarely to be learned.
    constexpr struct {
      int size;
      double spread;
    } kinds[] = {{10, 0.5}, {20, 0.4}, {50, 0.4}, {100, 0.3}, {300, 0.2}, {1000, 0.1}, {10000, 0.1}};
    for (int c = 0; c < categories; ++c)
      columns.push_back({Zipf(kinds[c % 7].size, 1.2 + 0.1 * (c % 5)), c % 4 == 3 ? 0.2 : 0, kinds[c % 7].spread});
  }

  struct Row {
    int number[numbers];      // -1: missing
    int category[categories]; // -1: missing
    double logit;
    bool click;
  };

  Row draw(std::mt19937_64 &random) const {
    Row row;
    row.logit = -0.7;
    for (int i = 0; i < numbers; ++i) {
      double x = 2 + 1.5 * normal(random());
      row.number[i] = uniform(random()) < 0.1 * (i % 3) ? -1 : std::max(0, int(std::exp(x)) - 1);
      row.logit += numberEffect(i, row.number[i]);
    }
    for (int c = 0; c < categories; ++c) {
      double whether = uniform(random()), which = uniform(random());
      row.category[c] = whether < columns[c].missing ? -1 : columns[c].zipf(which);
      row.logit += columns[c].spread * normal(mix(seed, 100 + c, row.category[c]));
    }
    for (int pair = 0; pair < pairs; ++pair)
      row.logit += pairEffect(pair, row.category[first(pair)], row.category[second(pair)]);
    row.click = uniform(random()) < 1 / (1 + std::exp(-row.logit));
    return row;
  }

  /// Category ids look like Criteo's: 8 hex digits, different for different ids.
  static std::string text(int column, int id) {
    uint32_t x = uint32_t(id) + 1 + uint32_t(column) * 100003;
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return fmt::format("{:08x}", x ^ (x >> 16));
  }

private:
  static constexpr int pairs = 4;
  static int first(int pair) { return 7 * (pair % 3); }      // 10 ids each
  static int second(int pair) { return 1 + 7 * (pair / 2); } // 20 ids each

  double numberEffect(int i, int x) const {
    if (x < 0)
      return 0.2 * normal(mix(seed, i, 1));
    double scaled = (std::log1p(x) - 2) / 1.5;
    return 0.15 * normal(mix(seed, i, 2)) * scaled + 0.1 * normal(mix(seed, i, 3)) * scaled * scaled;
  }

  /// A product of two vectors of two numbers, one for each id.
  double pairEffect(int pair, int a, int b) const {
    double sum = 0;
    for (int k = 0; k < 2; ++k)
      sum += normal(mix(seed, 1000 + 10 * pair + k, a)) * normal(mix(seed, 2000 + 10 * pair + k, b));
    return 0.25 * sum;
  }

  uint64_t seed;
  std::vector<Column> columns;
};

void write(std::ofstream &file, const Clicks::Row &row) {
  std::string line = row.click ? "1" : "0";
  for (int x : row.number)
    line += x < 0 ? "\t" : fmt::format("\t{}", x);
  for (int c = 0; c < categories; ++c)
    line += row.category[c] < 0 ? "\t" : "\t" + Clicks::text(c, row.category[c]);
  file << line << '\n';
}

/// The area under the ROC curve, ties counted as half.
double areaUnderCurve(std::vector<std::pair<double, bool>> scored) {
  std::sort(scored.begin(), scored.end());
  double positives = 0, negatives = 0, wins = 0;
  for (size_t begin = 0, end; begin < scored.size(); begin = end) {
    double p = 0, n = 0;
    for (end = begin; end < scored.size() && scored[end].first == scored[begin].first; ++end)
      (scored[end].second ? p : n) += 1;
    wins += p * (negatives + n / 2);
    positives += p;
    negatives += n;
  }
  return wins / (positives * negatives);
}

} // namespace

int main(int argc, char **argv) {
  int trainRows = 300000, testRows = 50000;
  uint64_t seed = 1;
  std::filesystem::path folder;
  CLI::App app("Writes train.tsv and test.tsv, and prints how well the true "
               "probabilities predict test.tsv.");
  app.add_option("-o,--output", folder, "Folder to write into")->required();
  app.add_option("--train", trainRows, "Rows to train")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--test", testRows, "Rows to test")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "Of the click model and of the rows")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::filesystem::create_directories(folder);
  Clicks clicks(seed);
  std::mt19937_64 random(seed);
  std::vector<std::pair<double, bool>> scored;
  double loss = 0, positives = 0;
  for (auto [name, rows] : {std::pair("train.tsv", trainRows), std::pair("test.tsv", testRows)}) {
    std::ofstream file(folder / name, std::ios::binary);
    scored.clear();
    loss = positives = 0;
    for (int i = 0; i < rows; ++i) {
      Clicks::Row row = clicks.draw(random);
      write(file, row);
      scored.emplace_back(row.logit, row.click);
      loss += std::log1p(std::exp(row.click ? -row.logit : row.logit));
      positives += row.click;
    }
    if (!file.flush()) {
      fmt::print(stderr, "planted: cannot write {}\n", (folder / name).string());
      return 1;
    }
  }
  fmt::print("{{\"samples\":{},\"best_auc\":{:.6f},\"best_logloss\":{:.6f},"
             "\"base_rate\":{:.6f}}}\n",
             testRows, areaUnderCurve(std::move(scored)), loss / testRows, positives / testRows);
}
