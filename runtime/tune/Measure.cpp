#include "tune/Measure.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <random>

namespace sparsec::tune {

namespace {

/// Bags of a step where the program does not say; as many as the cost model takes.
constexpr int64_t usualBags = 4096;
/// Tables are cut to this much together, far more than any cache holds.
constexpr int64_t mostTableBytes = int64_t(4) << 30;

int64_t bytesOf(const std::string &element) { return element == "f32" ? 4 : 2; }

int64_t word(const void *pointer) {
  int64_t value;
  std::memcpy(&value, &pointer, sizeof value);
  return value;
}

} // namespace

Result<void *> Lookups::space(int64_t bytes) {
  Block block(device.memory(), std::max<int64_t>(bytes, 64));
  if (!block)
    return Status::error(fmt::format("the device has no memory for {} bytes", bytes));
  blocks.push_back(std::move(block));
  return static_cast<void *>(blocks.back().data());
}

template <typename T> Result<T *> Lookups::upload(const std::vector<T> &host) {
  auto bytes = int64_t(host.size() * sizeof(T));
  auto place = space(bytes);
  if (!place)
    return place.status();
  if (bytes > 0)
    if (Status status = device.copyToDevice(DeviceStream::compute, *place, host.data(), bytes); !status)
      return status;
  return static_cast<T *>(*place);
}

/// Lengths around the declared mean, geometric where a bag has several ids, as the cost model takes them; ids uniform,
/// which no cache helps. The same for all schedules.
void Lookups::makeBags() {
  double mean = of.bagLength > 0 ? of.bagLength : 1;
  std::mt19937_64 random(1);
  std::geometric_distribution<int64_t> several(1 / (1 + mean));
  std::bernoulli_distribution one(std::min(mean, 1.0));
  std::uniform_int_distribution<int64_t> row(0, rows - 1);
  for (int64_t table = 0; table < of.tables; ++table) {
    auto &starts = offsets.emplace_back(1, 0);
    auto &ids = values.emplace_back();
    for (int64_t bag = 0; bag < bagsOfTable; ++bag) {
      for (int64_t n = mean > 1 ? several(random) : one(random); n > 0; --n)
        ids.push_back(row(random));
      starts.push_back(int64_t(ids.size()));
    }
  }
}

Status Lookups::make() {
  int64_t wanted = of.bags > 0 ? int64_t(std::ceil(of.bags)) : usualBags;
  if (options.mostBags > 0)
    wanted = std::min(wanted, options.mostBags);
  bagsOfTable = (wanted + of.tables - 1) / of.tables;
  allBags = bagsOfTable * of.tables;
  int64_t rowBytes = of.dim * bytesOf(of.element);
  rows = std::clamp<int64_t>(mostTableBytes / (of.tables * rowBytes), 1, std::max<int64_t>(of.tableRows, 1));
  makeBags();
  for (int64_t table = 0; table < of.tables; ++table) {
    std::vector<float> weights(of.weighted ? values[table].size() : 0, 0.5f);
    auto starts = upload(offsets[table]), ids = upload(values[table]);
    auto factors = upload(weights);
    auto floats = space(rows * rowBytes), out = space(bagsOfTable * of.dim * 4);
    for (const Status *status : {&starts.status(), &ids.status(), &factors.status(), &floats.status(), &out.status()})
      if (!*status)
        return *status;
    entries.push_back({table * bagsOfTable, 0, *starts, *ids, of.weighted ? *factors : nullptr,
                       static_cast<const float *>(*floats), 0, static_cast<float *>(*out)});
    if (Status status = device.synchronize(); !status) // `weights` goes
      return status;
  }
  entries.push_back({allBags, 0, nullptr, nullptr, nullptr, nullptr, 0, nullptr});
  return {};
}

Status Lookups::makeList(const SparsecKernel &kernel) {
  chunks = 0;
  for (int64_t table = 0; table <= of.tables; ++table) {
    entries[table].first_chunk = chunks;
    if (kernel.chunk && table < of.tables)
      chunks += (int64_t(values[table].size()) + kernel.chunk - 1) / kernel.chunk;
  }
  auto uploaded = upload(entries);
  auto kept = space(kernel.chunk ? chunks * 2 * of.dim * 4 : 0);
  if (!uploaded || !kept)
    return uploaded ? kept.status() : uploaded.status();
  list = *uploaded;
  partial = *kept;
  return device.synchronize();
}

Status Lookups::launchOnce(const SparsecKernel &kernel) {
  auto launch = [&](const SparsecKernel &which, int64_t units, std::vector<int64_t> words) {
    return device.launch(DeviceStream::compute, which, (units + which.units - 1) / which.units, words.data());
  };
  if (!kernel.chunk)
    return launch(kernel, allBags, {word(list), of.tables});
  if (Status status = launch(kernel, chunks, {word(list), of.tables, word(partial)}); !status)
    return status;
  return launch(*kernel.then, allBags, {word(list), of.tables, word(partial)});
}

Result<double> Lookups::measure(const SparsecKernel &kernel) {
  size_t before = blocks.size();
  if (Status status = makeList(kernel); !status)
    return status;
  std::vector<double> times;
  for (int64_t repeat = 0; repeat < options.warmUps + options.repeats; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < options.launches; ++i)
      if (Status status = launchOnce(kernel); !status)
        return status;
    if (Status status = device.synchronize(); !status)
      return status;
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (repeat >= options.warmUps)
      times.push_back(took.count() / double(options.launches));
  }
  blocks.resize(before);
  std::nth_element(times.begin(), times.begin() + int64_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

} // namespace sparsec::tune
