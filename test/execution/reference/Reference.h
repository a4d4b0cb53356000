// A model in double precision on one rank, step by step: what every plan must compute. Straightforward on purpose, and
// without any arithmetic of the product.
#pragma once
#include "passes/Import/Description/Model.h"
#include "reference/Rows.h"
#include "reference/Tape.h"
#include <map>
#include <span>

namespace sparsec::reference {

/// By the names of checkpoints: `table/C3/weight`, `layer/top/0/bias`.
using Parameters = std::map<std::string, Parameter>;
using States = std::map<std::string, Matrix>;

class Reference {
public:
  /// Initial values as the description says. `loaded` must outlive this.
  explicit Reference(const description::Loaded &loaded);

  /// One training step on a global batch; the loss before it.
  double step(std::span<const Row> batch);
  /// Steps on the rows in order, round and round; the loss of each.
  std::vector<double> train(std::span<const Row> rows, int64_t steps);

  /// The loss of the step that would come next, and its gradients in `parameters`.
  double gradients(std::span<const Row> batch);
  /// [samples][tasks]: probabilities of bce, outputs of mse.
  std::vector<std::vector<double>> predict(std::span<const Row> rows);

  Parameters parameters;
  States states; // `table/C3/adagrad.sum`, `layer/top/0/weight/adam.m`

private:
  void addParameter(const std::string &name, Matrix value, const Optimizer &optimizer);
  void addLayer(const Layer &layer, int64_t width);

  const description::Loaded &loaded;
  int64_t steps = 0; // done
};

} // namespace sparsec::reference
