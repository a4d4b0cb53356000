// Made-up data: shapes that fit, ids in range, and the same samples on any number of ranks.
#include "DataTest.h"
#include <cmath>
#include <map>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

Program model() {
  FeatureColumn a = category("a", "hash", 1000), b = category("b", "identity", 7), w = category("w", "modulo", 50);
  a.separator = b.separator = w.separator = "|";
  b.sameLengthAs = "a";
  w.weightSeparator = ":";
  w.maxLength = 2;
  FeatureColumn v = category("v", "vocabulary", 0);
  v.words = {"x", "y"};
  v.oovIds = 3;
  return program({"y", "n", "a", "b", "w", "v"}, {number("n"), a, b, w, v}, 10);
}

SyntheticOptions options(int64_t rank = 0, int64_t ranks = 1) {
  SyntheticOptions o;
  o.batchSize = 10;
  o.rank = rank;
  o.ranks = ranks;
  o.batches = 5;
  o.distinct = 3;
  o.features = {{}, {1.05, 4}, {0, 1}, {1.0, 3}, {2, 1}};
  return o;
}

std::unique_ptr<BatchSource> make(const Program &p, const SyntheticOptions &o) {
  auto s = makeSynthetic(p, o);
  EXPECT_TRUE(s.ok()) << s.status().message();
  return std::move(*s);
}

} // namespace

TEST(Synthetic, FitsTheModel) {
  Program p = model();
  auto source = make(p, options());
  int batches = 0;
  std::vector<std::string> shown;
  while (const Batch *b = source->next()) {
    EXPECT_EQ(b->batchIndex, batches++);
    EXPECT_EQ(b->samples, 10);
    EXPECT_EQ(b->lastOfEpoch, batches == 5);
    shown.push_back(show(p, *b));
    int64_t ids[] = {0, 1000, 7, 50, 5};
    for (int f = 1; f < 5; ++f) {
      const SparsecJagged &j = b->ids[f].view();
      EXPECT_EQ(j.bag_start[1], 10);
      EXPECT_EQ(j.weights != nullptr, f == 3);
      for (int64_t k = 0; k < j.offsets[10]; ++k)
        EXPECT_TRUE(j.values[k] >= 0 && j.values[k] < ids[f]);
    }
    for (int s = 0; s < 10; ++s) {
      auto length = [&](int f) { return b->ids[f].view().offsets[s + 1] - b->ids[f].view().offsets[s]; };
      EXPECT_EQ(length(1), length(2)); // same_length_as
      EXPECT_LE(length(3), 2);         // max_length
      EXPECT_EQ(length(4), 1);
    }
  }
  EXPECT_EQ(batches, 5);
  EXPECT_NE(shown[0], shown[1]);
  EXPECT_EQ(shown[0], shown[3]); // three distinct ones in turn
}

TEST(Synthetic, DoesNotDependOnRanks) {
  Program p = model();
  auto whole = make(p, options());
  const Batch *b = whole->next();
  int64_t done = 0;
  for (int64_t rank = 0; rank < 4; ++rank) {
    auto source = make(p, options(rank, 4));
    const Batch *mine = source->next();
    EXPECT_EQ(mine->firstSample, done);
    EXPECT_EQ(mine->globalSamples, 10);
    for (int64_t s = 0; s < mine->samples; ++s, ++done) {
      EXPECT_EQ(mine->inputs[0][s], b->inputs[0][done]);
      EXPECT_EQ(mine->labels[0][s], b->labels[0][done]);
      for (int f = 1; f < 5; ++f) {
        const SparsecJagged &x = mine->ids[f].view(), &y = b->ids[f].view();
        EXPECT_TRUE(std::equal(x.values + x.offsets[s], x.values + x.offsets[s + 1], y.values + y.offsets[done],
                               y.values + y.offsets[done + 1]));
      }
    }
  }
  EXPECT_EQ(done, 10);
}

TEST(Synthetic, FrequenciesFollowTheExponent) {
  Program p = program({"c"}, {category("c", "identity", 1000)});
  for (double exponent : {0.0, 1.0, 1.5}) {
    SyntheticOptions o;
    o.batchSize = 200000;
    o.distinct = 1;
    o.features = {{exponent, 1}};
    auto source = make(p, o);
    const SparsecJagged &j = source->next()->ids[0].view();
    std::map<int64_t, double> count;
    for (int64_t k = 0; k < o.batchSize; ++k)
      ++count[j.values[k]];
    // ids 10-19 against 100-199: the integral of x^-s over [11, 21) by that over [101, 201)
    double low = 0, high = 0;
    for (auto [id, n] : count)
      (id >= 10 && id < 20 ? low : id >= 100 && id < 200 ? high : n) += n;
    auto integral = [&](double a, double b) {
      return exponent == 1 ? std::log(b / a) : (std::pow(b, 1 - exponent) - std::pow(a, 1 - exponent)) / (1 - exponent);
    };
    EXPECT_NEAR(low / high, integral(11, 21) / integral(101, 201), 0.05 * low / high) << exponent;
  }
}

TEST(Synthetic, RefusesWhatDoesNotFit) {
  Program p = model();
  SyntheticOptions o = options();
  o.features.pop_back();
  EXPECT_FALSE(makeSynthetic(p, o).ok());
  o = options();
  o.features[1].zipf = -1;
  EXPECT_FALSE(makeSynthetic(p, o).ok());
  EXPECT_FALSE(makeSynthetic(p, options(4, 4)).ok());
  p.features[1].ids = 0;
  EXPECT_FALSE(makeSynthetic(p, options()).ok());
  auto source = make(model(), options());
  EXPECT_TRUE(source->seek({0, 4}).ok());
  EXPECT_TRUE(source->next()->lastOfEpoch);
  EXPECT_FALSE(source->seek({0, 6}).ok());
}
