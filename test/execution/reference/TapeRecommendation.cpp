// The functions of a tape that recommendation models add: lookups, interactions and losses.
#include "reference/Tape.h"
#include <algorithm>
#include <cmath>

namespace sparsec::reference {

//===- lookups ---------------------------------------------------------------------------------------------------===//

static double weightOf(const Bag &bag, size_t i) { return bag.weights.empty() ? 1 : bag.weights[i]; }

/// What id i of a bag is multiplied by under `sum` and `mean`.
static double shareOf(const Bag &bag, size_t i, Pooling pooling) {
  if (pooling == Pooling::sum)
    return weightOf(bag, i);
  double total = 0;
  for (size_t k = 0; k < bag.ids.size(); ++k)
    total += weightOf(bag, k);
  return total == 0 ? 0 : weightOf(bag, i) / total;
}

/// The place in the bag whose row has the largest component; the earliest of equals. The bag is not empty.
static size_t winner(const Bag &bag, const Matrix &table, int64_t column) {
  auto component = [&](size_t i) { return bag.ids[i] < 0 ? 0 : table(bag.ids[i], column); };
  size_t best = 0;
  for (size_t i = 1; i < bag.ids.size(); ++i)
    if (component(i) > component(best))
      best = i;
  return best;
}

/// Calls visit(id, column, factor) for all that a pooled row is the sum of.
template <typename F> static void visitBag(const Bag &bag, const Matrix &table, Pooling pooling, F visit) {
  for (int64_t c = 0; c < table.cols; ++c) {
    if (pooling == Pooling::max && !bag.ids.empty()) {
      if (int64_t id = bag.ids[winner(bag, table, c)]; id >= 0)
        visit(id, c, 1.0);
    }
    for (size_t i = 0; i < bag.ids.size() && pooling != Pooling::max; ++i)
      if (bag.ids[i] >= 0)
        visit(bag.ids[i], c, shareOf(bag, i, pooling));
  }
}

Value *Tape::lookup(Parameter &table, const std::vector<const Bag *> &bags, Pooling pooling) {
  Matrix y(int64_t(bags.size()), table.value.cols);
  for (int64_t n = 0; n < y.rows; ++n) {
    for (int64_t id : bags[n]->ids)
      if (id >= 0)
        table.touched[id] = true;
    visitBag(*bags[n], table.value, pooling,
             [&](int64_t id, int64_t c, double factor) { y(n, c) += factor * table.value(id, c); });
  }
  return record(std::move(y), [&table, bags, pooling](const Matrix &g) {
    for (int64_t n = 0; n < g.rows; ++n)
      visitBag(*bags[n], table.value, pooling,
               [&](int64_t id, int64_t c, double factor) { table.gradient(id, c) += factor * g(n, c); });
  });
}

//===- interactions ----------------------------------------------------------------------------------------------===//

Value *Tape::dot(const std::vector<Value *> &xs, bool self) {
  std::vector<std::pair<Value *, Value *>> pairs;
  for (size_t i = 0; i < xs.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      pairs.emplace_back(xs[i], xs[j]);
    if (self)
      pairs.emplace_back(xs[i], xs[i]);
  }
  Matrix y(xs[0]->x.rows, int64_t(pairs.size()));
  for (int64_t n = 0; n < y.rows; ++n)
    for (int64_t p = 0; p < y.cols; ++p)
      for (int64_t c = 0; c < xs[0]->x.cols; ++c)
        y(n, p) += pairs[p].first->x(n, c) * pairs[p].second->x(n, c);
  return record(std::move(y), [pairs](const Matrix &g) {
    for (int64_t n = 0; n < g.rows; ++n)
      for (int64_t p = 0; p < g.cols; ++p) {
        auto [a, b] = pairs[p];
        for (int64_t c = 0; c < a->x.cols; ++c) {
          a->g(n, c) += g(n, p) * b->x(n, c);
          b->g(n, c) += g(n, p) * a->x(n, c);
        }
      }
  });
}

// Pair by pair, as the definition has it.
Value *Tape::fm(const std::vector<Value *> &xs) { return rowSum(dot(xs, false)); }

//===- losses ----------------------------------------------------------------------------------------------------===//

Value *Tape::binaryCrossEntropy(Value *logits, const Matrix &labels, double weight) {
  double factor = weight / double(labels.rows);
  Matrix loss(1, 1);
  for (int64_t n = 0; n < labels.rows; ++n) {
    double z = logits->x(n, 0), y = labels(n, 0);
    loss(0, 0) += factor * (std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::abs(z))));
  }
  return record(std::move(loss), [logits, labels, factor](const Matrix &g) {
    for (int64_t n = 0; n < labels.rows; ++n)
      logits->g(n, 0) += g(0, 0) * factor * (1 / (1 + std::exp(-logits->x(n, 0))) - labels(n, 0));
  });
}

Value *Tape::squaredError(Value *outputs, const Matrix &labels, double weight) {
  double factor = weight / double(labels.rows);
  Matrix loss(1, 1);
  for (int64_t n = 0; n < labels.rows; ++n)
    loss(0, 0) += factor * (outputs->x(n, 0) - labels(n, 0)) * (outputs->x(n, 0) - labels(n, 0));
  return record(std::move(loss), [outputs, labels, factor](const Matrix &g) {
    for (int64_t n = 0; n < labels.rows; ++n)
      outputs->g(n, 0) += g(0, 0) * factor * 2 * (outputs->x(n, 0) - labels(n, 0));
  });
}

} // namespace sparsec::reference
