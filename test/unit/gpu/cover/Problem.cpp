#include "test/unit/gpu/cover/Problem.h"
#include <algorithm>
#include <cmath>

using namespace sparsec::codegen::device::cover;

int64_t Table::bagOf(int64_t position) const {
  return std::upper_bound(offsets.begin(), offsets.end(), position) - offsets.begin() - 1;
}

/// Of `rows`, by the case's kind: Zipf's favours the first.
static int64_t drawRow(Case::Ids ids, int64_t rows, sparsec::test::Dice &dice) {
  if (ids == Case::one)
    return rows / 2;
  if (ids == Case::uniform)
    return dice.below(rows);
  double u = double(dice.below(1 << 20)) / (1 << 20);
  return std::min(rows - 1, int64_t(std::exp(u * std::log(double(rows + 1)))) - 1);
}

/// Zipf: bag k of 200 has about 300 / k ids.
static int64_t drawLength(int64_t kind, sparsec::test::Dice &dice) {
  return kind >= 0 ? kind : int64_t(300.0 / double(1 + dice.below(200)));
}

// A case is to take milliseconds: the first bag has the length of the case whatever it costs, all further ones as long
// as there are floats to spend; then they are empty. Many wide tables have one bag and two rows each.
Problem::Problem(const Case &of) : of(of), dim(of.dim()) {
  test::Dice dice(of.seed());
  constexpr int64_t most = 1 << 15;
  int64_t spent = 0, window = of.tables() * dim > most ? 2 : std::clamp<int64_t>(8192 / dim, 3, 37),
          mostBags = of.tables() * dim > most ? 1 : of.batch();
  for (int64_t t = 0; t < of.tables(); ++t) {
    Table table;
    table.rows = window;
    if (of.far() && t < 2) {
      table.row0 = int64_t(1) << 35;
      table.first = (int64_t(1) << 31) / dim + 11;
    }
    int64_t bags = t % 7 == 5 ? 0 : std::min(of.batch(), mostBags);
    for (int64_t bag = 0; bag < bags; ++bag) {
      int64_t length = drawLength(of.length(), dice);
      if (spent > 0 && spent + length * dim > most)
        length = 0;
      spent += length * dim;
      for (int64_t k = 0; k < length; ++k)
        table.values.push_back(table.row0 + table.first + drawRow(of.ids(), table.rows, dice));
      table.offsets.push_back(int64_t(table.values.size()));
    }
    if (of.weighted() && t % 3 != 1)
      table.weights = floats(int64_t(table.values.size()), 1000 + t);
    rows.push_back(floats(table.rows * dim, t));
    tables.push_back(std::move(table));
  }
}

int64_t Problem::occurrences() const {
  int64_t sum = 0;
  for (const Table &table : tables)
    sum += int64_t(table.values.size());
  return sum;
}

std::vector<float> Problem::floats(int64_t count, uint64_t number) const {
  test::Dice dice(of.seed() * 4096 + number);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(dice.below(1 << 24)) / (1 << 23) - 1;
  return values;
}
