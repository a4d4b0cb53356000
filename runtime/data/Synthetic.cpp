#include "Hashing.h"
#include "sparsec/Reader.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparsec {
namespace {

/// splitmix64: a short, good enough stream of numbers.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  double uniform() { return double(bits() >> 11) * 0x1p-53; } // in [0, 1)

private:
  uint64_t bits() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

/// The continuous power law on [1, n + 1), rounded down: P(id = i) is about (i + 1)^-exponent.
int64_t zipf(double u, double exponent, int64_t n) {
  double end = double(n) + 1, x;
  if (std::fabs(exponent - 1) < 1e-6)
    x = std::pow(end, u);
  else
    x = std::pow(1 + u * (std::pow(end, 1 - exponent) - 1), 1 / (1 - exponent));
  return std::clamp<int64_t>(static_cast<int64_t>(x) - 1, 0, n - 1);
}

int64_t idsOf(const FeatureColumn &f) {
  if (f.kind == "vocabulary")
    return int64_t(f.words.size()) + f.oovIds;
  return f.kind == "bucketize" ? int64_t(f.bounds.size()) + 1 : f.ids;
}

class Synthetic : public BatchSource {
public:
  Synthetic(const Program &p, const SyntheticOptions &o) : options(o) {
    totals.features.resize(p.features.size());
    if (options.features.empty())
      options.features.resize(p.features.size());
    int64_t n = std::max(o.distinct, 2); // two are in use at once
    if (o.batches > 0)
      n = std::min(n, o.batches);
    for (int64_t i = 0; i < n; ++i)
      made.push_back(make(p, i));
    for (Batch &b : made) // only now, since a batch that moves loses its views
      for (IdBatch &ids : b.ids)
        ids.finish();
  }

  const Batch *next() override {
    if (options.batches > 0 && at.batch == options.batches)
      return nullptr;
    Batch &b = made[at.batch % made.size()];
    b.batchIndex = at.batch++;
    b.lastOfEpoch = at.batch == options.batches;
    totals.samples += b.samples;
    return &b;
  }
  BatchPosition position() const override { return at; }
  Status seek(BatchPosition p) override {
    if (p.epoch != 0 || p.batch < 0 || (options.batches > 0 && p.batch > options.batches))
      return Status::error(fmt::format("data: no batch {} of epoch {}", p.batch, p.epoch));
    at = p;
    return Status();
  }
  int64_t epochSamples() override { return options.batches * options.batchSize; }
  DataCounters counters() const override { return totals; }

private:
  Generator generator(int64_t column, int64_t sample) const {
    int64_t key[2] = {column, sample};
    return Generator(XXH64(key, sizeof(key), options.seed));
  }

  /// Features of equal lengths draw theirs from one key.
  static int64_t lengthKey(const Program &p, int64_t f) {
    for (size_t hops = 0; hops < p.features.size() && !p.features[f].sameLengthAs.empty(); ++hops)
      for (size_t g = 0; g < p.features.size(); ++g)
        if (p.features[g].name == p.features[f].sameLengthAs) {
          f = g;
          break;
        }
    return f;
  }

  void fillBag(const Program &p, int64_t f, int64_t sample, Batch &b) const {
    const FeatureColumn &column = p.features[f];
    int64_t key = lengthKey(p, f), length = 1;
    if (double mean = options.features[key].bagLength; mean != 1)
      length = static_cast<int64_t>(generator(~key, sample).uniform() * (2 * mean + 1));
    if (column.maxLength)
      length = std::min(length, column.maxLength);
    Generator g = generator(f, sample);
    for (int64_t i = 0; i < length; ++i) {
      b.ids[f].values.push(zipf(g.uniform(), options.features[f].zipf, idsOf(column)));
      if (b.ids[f].weighted)
        b.ids[f].weights.push(static_cast<float>(g.uniform()));
    }
    b.ids[f].endBag(length);
  }

  Batch make(const Program &p, int64_t number) const {
    Batch b;
    int64_t block = (options.batchSize - 1) / options.ranks + 1;
    b.globalSamples = options.batchSize;
    b.firstSample = std::min(options.rank * block, options.batchSize);
    b.samples = std::min((options.rank + 1) * block, options.batchSize) - b.firstSample;
    int64_t first = number * options.batchSize + b.firstSample, columns = p.features.size();
    b.inputs.resize(p.inputs.size());
    b.labels.resize(p.labels.size());
    b.ids.resize(columns);
    b.counters.resize(columns);
    for (auto &label : b.labels)
      label.resize(b.samples);
    for (size_t i = 0; i < p.inputs.size(); ++i)
      b.inputs[i].resize(b.samples * p.inputs[i].width);
    for (int64_t f = 0; f < columns; ++f) {
      b.ids[f].clear();
      b.ids[f].weighted = !p.features[f].weightSeparator.empty();
    }
    for (int64_t s = 0; s < b.samples; ++s) {
      for (size_t l = 0; l < b.labels.size(); ++l)
        b.labels[l][s] = generator(columns + int64_t(l), first + s).uniform() < 0.25;
      for (size_t i = 0; i < p.inputs.size(); ++i) {
        Generator g = generator(columns + int64_t(p.labels.size() + i), first + s);
        for (int64_t c = 0; c < p.inputs[i].width; ++c)
          b.inputs[i][s * p.inputs[i].width + c] = static_cast<float>(g.uniform());
      }
      for (int64_t f = 0; f < columns; ++f)
        if (!p.features[f].isNumber())
          fillBag(p, f, first + s, b);
    }
    return b;
  }

  SyntheticOptions options;
  std::vector<Batch> made;
  BatchPosition at;
  DataCounters totals;
};

} // namespace

Result<std::unique_ptr<BatchSource>> makeSynthetic(const Program &p, const SyntheticOptions &o) {
  if (o.batchSize < 1 || o.ranks < 1 || o.rank < 0 || o.rank >= o.ranks || o.batches < 0)
    return Status::error("synthetic data: batch size and ranks must be at least 1, and the rank one of them");
  if (!o.features.empty() && o.features.size() != p.features.size())
    return Status::error(
        fmt::format("synthetic data: expected {} features, but got {}", p.features.size(), o.features.size()));
  for (const SyntheticFeature &f : o.features)
    if (!(f.zipf >= 0) || !(f.bagLength >= 0))
      return Status::error("synthetic data: exponents and bag lengths must not be negative");
  for (const FeatureColumn &f : p.features)
    if (!f.isNumber() && idsOf(f) < 1)
      return Status::error(fmt::format("synthetic data: feature `{}` has no ids", f.name));
  return std::unique_ptr<BatchSource>(std::make_unique<Synthetic>(p, o));
}

} // namespace sparsec
