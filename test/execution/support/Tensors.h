// What an executable leaves behind, read by code of our own: checkpoints, logs, predictions.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sparsec::execution {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};
using Tensors = std::map<std::string, Tensor>;

/// Every tensor of a checkpoint folder. Throws std::runtime_error where a file is not what it should be.
Tensors readCheckpoint(const std::string &folder);

/// The losses of a step log, in order.
std::vector<double> readLosses(const std::string &path);

/// Predictions, [samples][tasks], without the header line.
std::vector<std::vector<double>> readPredictions(const std::string &text);

/// The largest |a - b| / max(1, |b|) over all elements of two tensors of one size; infinity where sizes differ or an
/// element is not a number.
double distance(const std::vector<float> &a, const std::vector<double> &b);

} // namespace sparsec::execution
