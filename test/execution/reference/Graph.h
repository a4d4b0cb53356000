// The description's graph on a tape.
#pragma once
#include "reference/Reference.h"

namespace sparsec::reference {

class Graph {
public:
  /// `step`: of training, from 1, for dropout; 0: none drops.
  Graph(const description::Loaded &loaded, Parameters &parameters, std::span<const Row> batch, int64_t step);

  Value *tensor(description::TensorRef ref) const;
  /// The weighted sum of the tasks' losses.
  Value *loss();
  void reverse(Value *loss) { tape.reverse(loss); }

private:
  Value *numbers(int feature);
  Value *lookup(int index);
  Value *layer(int index);
  Value *mlp(Value *x, const Mlp &mlp, const std::string &name);
  Value *cross(Value *x0, const Cross &cross, const std::string &name);
  Value *dropout(Value *x, double rate, const std::string &stream);
  Parameter &parameter(const std::string &name) { return parameters.at(name); }

  const description::Loaded &loaded;
  Parameters &parameters;
  std::span<const Row> batch;
  int64_t step;
  Tape tape;
  std::vector<Value *> features, lookups, layers; // by index; null: not a tensor
};

} // namespace sparsec::reference
