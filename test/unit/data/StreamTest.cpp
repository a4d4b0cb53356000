// Which sample is where: the rows of all files in order are one stream, cut into batches and dealt to ranks.
#include "DataTest.h"
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

using namespace sparsec;
using namespace sparsec::datatest;

namespace {

/// `n` rows in files of uneven lengths; the number is the row's own.
class Rows {
public:
  explicit Rows(int n, std::vector<int> cuts = {})
      : p(program({"n", "c", "s"}, {number("n"), category("c", "hash", 97)})) {
    FeatureColumn bag = category("s", "identity", 50);
    bag.separator = "|";
    bag.missing = "EMPTY_BAG";
    bag.outOfRange = "ZERO";
    p.features.push_back(bag);
    cuts.push_back(n);
    int row = 0;
    for (size_t f = 0; f < cuts.size(); ++f) {
      std::string text;
      for (; row < cuts[f]; ++row) {
        text += std::to_string(row) + ",word" + std::to_string(row * 31 % 57) + ",";
        for (int k = 0; k < row % 4; ++k)
          text += (k ? "|" : "") + std::to_string((row * 7 + k) % 55);
        text += row % 5 ? "\n" : "\n\n"; // blank lines here and there
      }
      paths.push_back(files.write("part" + std::to_string(f), text));
    }
  }
  Files files;
  Program p;
  std::vector<std::string> paths;
};

ReaderOptions options(int64_t batch, int64_t rank = 0, int64_t ranks = 1) {
  ReaderOptions o;
  o.batchSize = batch;
  o.rank = rank;
  o.ranks = ranks;
  return o;
}

std::vector<int> rowsOf(const Batch &b) {
  std::vector<int> rows;
  for (int64_t i = 0; i < b.samples; ++i)
    rows.push_back(int(b.inputs[0][i]));
  return rows;
}

/// Rows of all batches, in order.
std::vector<int> stream(const Rows &r, const ReaderOptions &o, int64_t batches = INT64_MAX) {
  std::vector<int> all;
  auto source = open(r.p, r.paths, o);
  for (const Batch *b; batches-- > 0 && (b = source->next());) {
    EXPECT_TRUE(b->status.ok()) << b->status.message();
    std::vector<int> rows = rowsOf(*b);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<int> iota(int begin, int end) {
  std::vector<int> v(end - begin);
  std::iota(v.begin(), v.end(), begin);
  return v;
}

/// Everything a source gives, batch by batch.
std::vector<std::string> all(const Program &p, BatchSource &source, int limit = 1 << 30) {
  std::vector<std::string> result;
  for (const Batch *b; limit-- > 0 && (b = source.next());)
    result.push_back(std::to_string(b->epoch) + "/" + std::to_string(b->batchIndex) +
                     (b->lastOfEpoch ? " last " : " ") + std::to_string(b->firstSample) + "+" +
                     std::to_string(b->samples) + "/" + std::to_string(b->globalSamples) + show(p, *b));
  return result;
}

} // namespace

TEST(Stream, FilesInOrderNothingDropped) {
  Rows r(103, {1, 2, 40, 77});
  for (int64_t batch : {1, 2, 7, 50, 103, 104, 1000})
    EXPECT_EQ(stream(r, options(batch)), iota(0, 103)) << batch;
}

TEST(Stream, Batches) {
  Rows r(10);
  ReaderOptions o = options(4);
  o.epochs = 2;
  auto source = open(r.p, r.paths, o);
  EXPECT_EQ(source->epochSamples(), 10);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int t = 0; t < 3; ++t) {
      EXPECT_EQ(source->position(), (BatchPosition{epoch, t}));
      const Batch *b = source->next();
      ASSERT_NE(b, nullptr);
      EXPECT_EQ(b->epoch, epoch);
      EXPECT_EQ(b->batchIndex, t);
      EXPECT_EQ(b->samples, t == 2 ? 2 : 4); // a batch never crosses an epoch
      EXPECT_EQ(b->globalSamples, b->samples);
      EXPECT_EQ(b->lastOfEpoch, t == 2);
      EXPECT_EQ(rowsOf(*b), iota(4 * t, std::min(4 * t + 4, 10)));
    }
  EXPECT_EQ(source->position(), (BatchPosition{2, 0}));
  EXPECT_EQ(source->next(), nullptr);
  EXPECT_EQ(source->next(), nullptr);
  EXPECT_EQ(source->counters().samples, 20);
}

TEST(Stream, ExactlyFullLastBatch) {
  Rows r(8);
  auto source = open(r.p, r.paths, options(4));
  EXPECT_FALSE(source->next()->lastOfEpoch);
  EXPECT_TRUE(source->next()->lastOfEpoch);
  EXPECT_EQ(source->next(), nullptr);
}

TEST(Stream, EndlessEpochs) {
  Rows r(5);
  ReaderOptions o = options(2);
  o.epochs = 0;
  std::vector<int> rows = stream(r, o, 9);
  ASSERT_EQ(rows.size(), 15u);
  EXPECT_EQ(std::vector<int>(rows.begin() + 10, rows.end()), iota(0, 5));
}

// Concatenating the blocks of the ranks is the batch of one rank, for every field.
TEST(Stream, RanksPartitionTheBatch) {
  Rows r(101, {13, 60});
  for (int64_t window : {0, 1, 10, 33, 1000})
    for (int64_t batch : {1, 5, 8, 32, 200}) {
      ReaderOptions o = options(batch);
      o.epochs = 2;
      o.shuffleRows = window;
      std::vector<std::vector<int>> whole;
      auto one = open(r.p, r.paths, o);
      while (const Batch *b = one->next())
        whole.push_back(rowsOf(*b));
      for (int64_t ranks : {2, 3, 7, 16}) {
        std::vector<std::vector<int>> joined(whole.size());
        for (int64_t rank = 0; rank < ranks; ++rank) {
          o.rank = rank;
          o.ranks = ranks;
          auto source = open(r.p, r.paths, o);
          int64_t block = (batch + ranks - 1) / ranks;
          for (size_t t = 0; t < whole.size(); ++t) {
            const Batch *b = source->next();
            ASSERT_NE(b, nullptr);
            int64_t size = whole[t].size();
            EXPECT_EQ(b->globalSamples, size);
            EXPECT_EQ(b->firstSample, std::min(rank * block, size));
            EXPECT_EQ(b->samples, std::min((rank + 1) * block, size) - b->firstSample);
            EXPECT_EQ(b->firstSample, int64_t(joined[t].size()));
            std::vector<int> mine = rowsOf(*b);
            joined[t].insert(joined[t].end(), mine.begin(), mine.end());
          }
          EXPECT_EQ(source->next(), nullptr); // as many batches on every rank
        }
        EXPECT_EQ(joined, whole) << window << " " << batch << " " << ranks;
      }
    }
}

TEST(Stream, RanksWithoutSamples) {
  Rows r(3);
  auto source = open(r.p, r.paths, options(2, 3, 4));
  for (int t = 0; t < 2; ++t) {
    const Batch *b = source->next();
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->samples, 0);
    EXPECT_EQ(b->globalSamples, t ? 1 : 2);
    EXPECT_EQ(b->firstSample, b->globalSamples);
    for (const IdBatch &ids : b->ids) {
      EXPECT_EQ(ids.view().bags, 0);
      EXPECT_EQ(ids.view().offsets[0], 0);
      EXPECT_NE(ids.view().values, nullptr);
    }
    EXPECT_NE(b->inputs[0].data(), nullptr);
  }
  EXPECT_EQ(source->next(), nullptr);
}

TEST(Stream, ShuffleIsAPermutationOfEachWindow) {
  Rows r(1000, {333});
  for (int64_t window : {1, 2, 64, 999, 1000, 5000}) {
    ReaderOptions o = options(10);
    o.shuffleRows = window;
    std::vector<int> rows = stream(r, o);
    ASSERT_EQ(rows.size(), 1000u);
    for (int64_t start = 0; start < 1000; start += window) {
      int64_t end = std::min<int64_t>(start + window, 1000);
      std::vector<int> part(rows.begin() + start, rows.begin() + end);
      if (end - start > 20) {
        EXPECT_NE(part, iota(start, end));
      }
      std::sort(part.begin(), part.end());
      EXPECT_EQ(part, iota(start, end)) << window;
    }
  }
}

TEST(Stream, ShuffleDependsOnSeedAndEpochAlone) {
  Rows r(500), cut(500, {100, 101});
  ReaderOptions o = options(7);
  o.shuffleRows = 200;
  std::vector<int> first = stream(r, o);
  EXPECT_EQ(stream(r, o), first);
  EXPECT_EQ(stream(cut, o), first); // not on files
  o.batchSize = 64;
  EXPECT_EQ(stream(r, o), first); // nor on batches
  o.seed = 2;
  EXPECT_NE(stream(r, o), first);
  o.seed = 1;
  o.epochs = 2;
  std::vector<int> two = stream(r, o);
  EXPECT_EQ(std::vector<int>(two.begin(), two.begin() + 500), first);
  EXPECT_NE(std::vector<int>(two.begin() + 500, two.end()), first);
}

// The order is part of the contract: a checkpoint of today resumes with the reader of tomorrow.
TEST(Stream, ShuffleIsPinned) {
  Rows r(8);
  ReaderOptions o = options(8);
  o.shuffleRows = 8;
  o.epochs = 2;
  EXPECT_EQ(stream(r, o), (std::vector<int>{7, 1, 6, 4, 5, 2, 3, 0, 2, 3, 6, 0, 1, 5, 7, 4}));
}

// In later windows too the key is the row's number in the stream, not in the window.
TEST(Stream, ShuffleOfWindowsIsPinned) {
  Rows r(13);
  ReaderOptions o = options(4);
  o.shuffleRows = 5;
  o.seed = 7;
  EXPECT_EQ(stream(r, o), (std::vector<int>{3, 4, 1, 2, 0, 9, 8, 5, 7, 6, 12, 11, 10}));
}

TEST(Stream, SameBytesForEveryThreadCount) {
  Rows r(700, {100, 650});
  ReaderOptions o = options(16);
  o.epochs = 3;
  o.shuffleRows = 50;
  o.threads = 0;
  auto reference = open(r.p, r.paths, o);
  std::vector<std::string> expected = all(r.p, *reference);
  ASSERT_EQ(expected.size(), 132u);
  for (int threads : {1, 2, 4, 9})
    for (int prefetch : {0, 1, 5}) {
      o.threads = threads;
      o.prefetch = prefetch;
      auto source = open(r.p, r.paths, o);
      EXPECT_EQ(all(r.p, *source), expected) << threads << " " << prefetch;
      DataCounters a = source->counters(), b = reference->counters();
      EXPECT_EQ(a.samples, b.samples);
      EXPECT_GT(b.features[2].zeroed, 0);
      EXPECT_EQ(a.features[2].zeroed, b.features[2].zeroed);
    }
}

TEST(Stream, Resume) {
  Rows r(300, {50});
  for (int threads : {0, 3})
    for (int64_t window : {0, 40}) {
      ReaderOptions o = options(16);
      o.epochs = 3;
      o.shuffleRows = window;
      o.threads = threads;
      auto whole = open(r.p, r.paths, o);
      std::vector<std::string> expected = all(r.p, *whole);
      for (int done : {0, 1, 18, 19, 20, 37, 38, 56, 57}) {
        auto first = open(r.p, r.paths, o);
        std::vector<std::string> got = all(r.p, *first, done);
        BatchPosition place = first->position();
        auto second = open(r.p, r.paths, o);
        ASSERT_TRUE(second->seek(place).ok());
        EXPECT_EQ(second->position(), place);
        std::vector<std::string> rest = all(r.p, *second);
        got.insert(got.end(), rest.begin(), rest.end());
        EXPECT_EQ(got, expected) << done;
      }
    }
}

TEST(Stream, SeekBackAndForth) {
  Rows r(300);
  for (int threads : {0, 2}) {
    ReaderOptions o = options(10);
    o.epochs = 0;
    o.threads = threads;
    auto source = open(r.p, r.paths, o);
    for (int64_t t : {29, 0, 17, 3, 29}) {
      ASSERT_TRUE(source->seek({5, t}).ok());
      EXPECT_EQ(rowsOf(*source->next()), iota(10 * t, 10 * t + 10));
    }
    EXPECT_EQ(source->position(), (BatchPosition{6, 0}));
  }
}

TEST(Stream, CommentsCountOnce) {
  Files files;
  Program p = program({"n"}, {number("n")});
  p.data.comment = "#";
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "# before " + std::to_string(i) + "\n" + std::to_string(i) + "\n";
  ReaderOptions o = options(10);
  o.epochs = 2;
  o.shuffleRows = 15;
  auto source = open(p, {files.write("f", text + "#")}, o);
  all(p, *source);
  ASSERT_TRUE(source->seek({0, 3}).ok());
  all(p, *source);
  EXPECT_EQ(source->counters().commentLines, 101);
}

TEST(Stream, SeekRefusesWhatIsNotThere) {
  Rows r(100);
  ReaderOptions o = options(10);
  o.epochs = 2;
  auto source = open(r.p, r.paths, o);
  EXPECT_EQ(source->seek({0, 10}).message(),
            "data: no batch 10 of epoch 0: the files have 100 samples, and a batch has 10");
  EXPECT_EQ(source->seek({2, 1}).message(), "data: no batch 1 of epoch 2: expected one of 2 epochs");
  EXPECT_FALSE(source->seek({-1, 0}).ok());
  EXPECT_FALSE(source->seek({0, -1}).ok());
  EXPECT_FALSE(source->seek({0, INT64_MAX}).ok());
  EXPECT_FALSE(source->seek({INT64_MAX, 0}).ok());
  EXPECT_EQ(rowsOf(*source->next()), iota(0, 10)); // a refused seek changes nothing
  ASSERT_TRUE(source->seek({2, 0}).ok());          // the end
  EXPECT_EQ(source->next(), nullptr);
}

// More rows than lie between two marks of the index, so that going back uses them.
TEST(Stream, ManyRows) {
  Rows r(20000, {5000, 4096 * 3});
  ReaderOptions o = options(1000, 1, 3);
  o.shuffleRows = 3000;
  o.threads = 2;
  auto source = open(r.p, r.paths, o);
  std::vector<std::string> expected = all(r.p, *source);
  ASSERT_EQ(expected.size(), 20u);
  for (int64_t t : {19, 4, 12, 0}) {
    ASSERT_TRUE(source->seek({0, t}).ok());
    EXPECT_EQ(all(r.p, *source, 1)[0], expected[t]);
  }
  auto late = open(r.p, r.paths, options(7));
  EXPECT_EQ(late->epochSamples(), 20000);
  ASSERT_TRUE(late->seek({0, 1755}).ok());
  EXPECT_EQ(rowsOf(*late->next()), iota(12285, 12292));
}

TEST(Stream, StopsWithBatchesInFlight) {
  Rows r(2000);
  for (int i = 0; i < 50; ++i) {
    ReaderOptions o = options(3);
    o.epochs = 0;
    o.threads = 4;
    o.prefetch = 3;
    auto source = open(r.p, r.paths, o);
    for (int k = 0; k < i % 5; ++k)
      source->next();
  }
}

TEST(Stream, SteadyStateKeepsItsMemory) {
  Rows r(64);
  ReaderOptions o = options(8);
  o.epochs = 0;
  o.threads = 0;
  auto source = open(r.p, r.paths, o);
  for (int i = 0; i < 16; ++i)
    source->next();
  auto places = [&] {
    const Batch *b = source->next();
    return std::vector<const void *>{b->inputs[0].data(), b->ids[1].values.data(), b->ids[2].values.data(),
                                     b->ids[2].offsets.data()};
  };
  const std::vector<const void *> before[] = {places(), places()}; // two batches take turns
  for (int i = 0; i < 30; ++i) {
    std::vector<const void *> now = places();
    EXPECT_EQ(now, before[i % 2]);
    for (const void *p : now)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
  }
}

TEST(Stream, TheLastTwoBatchesAreValid) {
  Rows r(200);
  for (int threads : {0, 1, 3}) {
    ReaderOptions o = options(8);
    o.threads = threads;
    o.prefetch = 0;
    auto source = open(r.p, r.paths, o);
    const Batch *older = source->next();
    std::vector<int64_t> seen(older->ids[1].values.data(), older->ids[1].values.data() + older->ids[1].values.size());
    while (const Batch *newer = source->next()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1)); // time to overwrite what it may not
      EXPECT_NE(newer, older);
      EXPECT_EQ(newer->batchIndex, older->batchIndex + 1);
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), older->ids[1].values.data()));
      older = newer;
      seen.assign(newer->ids[1].values.data(), newer->ids[1].values.data() + newer->ids[1].values.size());
    }
  }
}

TEST(Stream, OptionsOfAProgram) {
  Program p;
  p.batchSize = 32;
  p.mesh = {2, 1, 3};
  p.epochs = 4;
  p.seed = 9;
  p.shuffleRows = 100;
  ReaderOptions t = ReaderOptions::train(p, 5);
  EXPECT_EQ(t.batchSize, 32);
  EXPECT_EQ(t.ranks, 6);
  EXPECT_EQ(t.rank, 5);
  EXPECT_EQ(t.epochs, 4);
  EXPECT_EQ(t.seed, 9u);
  EXPECT_EQ(t.shuffleRows, 100);
  EXPECT_TRUE(t.labels);
  ReaderOptions e = ReaderOptions::evaluate(p, 0);
  EXPECT_EQ(e.batchSize, 32);
  EXPECT_EQ(e.epochs, 1);
  EXPECT_EQ(e.shuffleRows, 0);
  p.evalBatchSize = 64;
  EXPECT_EQ(ReaderOptions::predict(p, 0).batchSize, 64);
  EXPECT_FALSE(ReaderOptions::predict(p, 0).labels);
}
