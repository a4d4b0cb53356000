#include "sparsec/Reader.h"
#include "InputFile.h"
#include "Layout.h"
#include "RowParser.h"
#include "SampleStream.h"
#include "TextForMessage.h"
#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace sparsec {
namespace {

using namespace data;

/// A batch on its way: rows, then parsed.
struct Slot {
  BatchRows rows;
  Batch batch;
  RowSplitter splitter;
  std::vector<std::string_view> fields;
  bool ready = false;
};

constexpr int lentBatches = 2; // the caller's, at most

/// Tickets number the batches to come. Ticket t lives in slot t modulo slots; a worker plans the next ticket (its rows;
/// one worker at a time, in order), parses it on its own, and the caller takes tickets in order. So the number of
/// threads changes nothing in what comes out.
class Reader : public BatchSource {
public:
  Reader(std::vector<InputFile> files, SampleStream stream, std::unique_ptr<RowParser> parser, const DataFormat &format,
         const ReaderOptions &o, size_t features)
      : files(std::move(files)), stream(std::move(stream)), parser(std::move(parser)), options(o) {
    totals.features.resize(features);
    int slotCount = lentBatches + (o.threads > 0 ? o.threads + std::max(o.prefetch, 0) : 0);
    for (int i = 0; i < slotCount; ++i)
      slots.push_back(std::unique_ptr<Slot>(new Slot{{}, {}, RowSplitter(format), {}, false}));
  }
  ~Reader() override { stop(); }

  const Batch *next() override;
  BatchPosition position() const override { return ahead; }
  Status seek(BatchPosition) override;
  int64_t epochSamples() override {
    std::lock_guard lock(streamMutex);
    return stream.total();
  }
  DataCounters counters() const override {
    std::lock_guard lock(streamMutex);
    DataCounters result = totals;
    result.commentLines = stream.commentLines();
    return result;
  }

private:
  bool isEnd(BatchPosition p) const { return options.epochs > 0 && p.epoch >= options.epochs; }
  BatchPosition after(const BatchRows &rows) const {
    return rows.lastOfEpoch ? BatchPosition{rows.position.epoch + 1, 0}
                            : BatchPosition{rows.position.epoch, rows.position.batch + 1};
  }
  void start();
  void stop();
  void work();
  Status checkFiles() const;
  void plan(Slot &);
  void parse(Slot &);
  void parseRows(Slot &);
  Status explain(int64_t row, const RowFault &) const;
  const Batch *take(Slot &);

  std::vector<InputFile> files; // what the rows point into
  mutable std::mutex streamMutex;
  mutable SampleStream stream;
  std::unique_ptr<RowParser> parser;
  ReaderOptions options;
  DataCounters totals;
  BatchPosition ahead; // of the caller

  std::mutex mutex; // for everything below
  std::condition_variable room, ready;
  std::vector<std::unique_ptr<Slot>> slots;
  BatchPosition toPlan;
  int64_t planned = 0, returned = 0; // tickets
  int lent = 0;                      // tickets between returned and those still to be taken
  bool planning = false, stopping = false;
  std::vector<std::thread> threads;
};

static Status failed(BatchPosition at, const std::exception &e) {
  return Status::error(fmt::format("data: cannot read batch {} of epoch {}: {}", at.batch, at.epoch, e.what()));
}

Status Reader::checkFiles() const {
  for (const InputFile &file : files)
    if (Status s = file.checkWhole(); !s)
      return s;
  return {};
}

void Reader::start() {
  stopping = planning = false;
  planned = returned = lent = 0;
  toPlan = ahead;
  for (auto &slot : slots)
    slot->ready = false;
  for (int i = 0; i < options.threads; ++i)
    threads.emplace_back([this] { work(); });
}

void Reader::stop() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  room.notify_all();
  for (std::thread &t : threads)
    t.join();
  threads.clear();
}

void Reader::plan(Slot &slot) {
  std::lock_guard lock(streamMutex);
  slot.batch.status = Status();
  auto withoutRows = [&](Status status) {
    slot.rows = BatchRows();
    slot.rows.position = toPlan;
    slot.batch.status = std::move(status);
  };
  try {
    if (Status whole = checkFiles(); whole.ok())
      stream.batch(toPlan, slot.rows);
    else
      withoutRows(whole);
  } catch (const std::exception &e) {
    withoutRows(failed(toPlan, e));
  }
  toPlan = after(slot.rows);
}

void Reader::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    room.wait(lock,
              [&] { return stopping || (!planning && !isEnd(toPlan) && planned - returned < int64_t(slots.size())); });
    if (stopping)
      return;
    planning = true;
    Slot &slot = *slots[planned % slots.size()];
    lock.unlock();
    plan(slot);
    lock.lock();
    ++planned;
    planning = false;
    lock.unlock();
    room.notify_one();
    parse(slot);
    lock.lock();
    slot.ready = true;
    ready.notify_one();
  }
}

const Batch *Reader::next() {
  if (isEnd(ahead))
    return nullptr;
  if (options.threads == 0) {
    Slot &slot = *slots[planned++ % lentBatches];
    toPlan = ahead;
    plan(slot);
    parse(slot);
    return take(slot);
  }
  if (threads.empty())
    start();
  std::unique_lock lock(mutex);
  if (lent == lentBatches) {
    slots[returned++ % slots.size()]->ready = false;
    --lent;
    room.notify_one();
  }
  Slot &slot = *slots[(returned + lent) % slots.size()];
  ready.wait(lock, [&] { return slot.ready; });
  ++lent;
  return take(slot);
}

const Batch *Reader::take(Slot &slot) {
  ahead = after(slot.rows);
  totals.samples += slot.batch.samples;
  for (size_t f = 0; f < totals.features.size(); ++f)
    totals.features[f] += slot.batch.counters[f];
  return &slot.batch;
}

Status Reader::seek(BatchPosition p) {
  std::string wanted = fmt::format("batch {} of epoch {}", p.batch, p.epoch);
  if (p.epoch < 0 || p.batch < 0 || (isEnd(p) && !(p == BatchPosition{options.epochs, 0})))
    return Status::error(fmt::format("data: no {}: expected one of {} epochs", wanted, options.epochs));
  std::unique_lock lock(streamMutex);
  if (p.batch > 0 && !stream.hasBatch(p.batch))
    return Status::error(fmt::format("data: no {}: the files have {} samples, and a batch has {}", wanted,
                                     stream.total(), options.batchSize));
  lock.unlock();
  stop();
  ahead = p;
  return Status();
}

void Reader::parse(Slot &slot) {
  Batch &batch = slot.batch;
  try {
    parser->clear(batch, slot.rows.texts.size());
    parseRows(slot);
  } catch (const std::exception &e) {
    batch.status = failed(slot.rows.position, e);
  }
  parser->finish(batch);
  batch.firstSample = slot.rows.firstSample;
  batch.globalSamples = slot.rows.globalSamples;
  batch.epoch = slot.rows.position.epoch;
  batch.batchIndex = slot.rows.position.batch;
  batch.lastOfEpoch = slot.rows.lastOfEpoch;
}

void Reader::parseRows(Slot &slot) {
  RowState row{slot.batch};
  RowFault fault;
  for (std::string_view text : slot.rows.texts) {
    if (!parser->parse(text, row, slot.splitter, slot.fields, fault)) {
      slot.batch.status = explain(slot.rows.rows[row.sample], fault);
      return;
    }
    slot.batch.samples = ++row.sample;
  }
}

Status Reader::explain(int64_t row, const RowFault &fault) const {
  std::lock_guard lock(streamMutex);
  RowLocation place = stream.locate(row);
  return Status::error(fmt::format("{}:{}:{}: {} (sample {})", place.source->path, place.line,
                                   characters(place.text.substr(0, fault.byte)) + 1, fault.text, row));
}

Status checkOptions(const Program &p, const ReaderOptions &o) {
  constexpr int64_t most = int64_t(1) << 40; // so that no product of these overflows
  if (o.batchSize < 1 || o.batchSize > most)
    return Status::error(fmt::format("data: the batch size must lie in [1, {}], but is {}", most, o.batchSize));
  if (o.ranks < 1 || o.rank < 0 || o.rank >= o.ranks)
    return Status::error(fmt::format("data: expected a rank in [0, {}), but got {}", o.ranks, o.rank));
  if (o.shuffleRows < 0 || o.shuffleRows > most || o.epochs < 0)
    return Status::error(
        fmt::format("data: the shuffle window must lie in [0, {}] and the epochs must not be negative, but "
                    "they are {} and {}",
                    most, o.shuffleRows, o.epochs));
  if (p.data.delimiter.size() != 1 || p.data.quote.size() > 1)
    return Status::error("data: `delimiter` and `quote` must be one byte");
  if (p.data.delimiter == p.data.quote || p.data.delimiter == "\n" || p.data.quote == "\n")
    return Status::error("data: `delimiter`, `quote` and the line end must differ");
  return Status();
}

} // namespace

Result<std::unique_ptr<BatchSource>> openReader(const Program &p, const std::vector<std::string> &paths,
                                                const ReaderOptions &o) {
  if (Status s = checkOptions(p, o); !s)
    return s;
  if (paths.empty())
    return Status::error("data: no files");
  std::vector<InputFile> files;
  for (const std::string &path : paths) {
    Result<InputFile> file = InputFile::openText(path);
    if (!file)
      return file.status();
    files.push_back(std::move(*file));
  }
  std::vector<RowSource> sources;
  Result<Layout> layout = makeLayout(p, o.labels, files, sources);
  if (!layout)
    return layout.status();
  Result<std::unique_ptr<RowParser>> parser = RowParser::make(p, *layout);
  if (!parser)
    return parser.status();
  SampleStream stream(RowIndex(std::move(sources), p.data.comment, blanksOf(p.data)), o);
  return std::unique_ptr<BatchSource>(
      std::make_unique<Reader>(std::move(files), std::move(stream), std::move(*parser), p.data, o, p.features.size()));
}

} // namespace sparsec
