// The optimizers of tests by name, and their published formulas in double precision.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace sparsec::codegen {

inline const char *const rules[] = {"sgd", "adagrad", "row_wise_adagrad", "moment_scaled", "adam"};

/// Floats of a row in each field of its record, the weights first.
inline std::vector<int64_t> fieldWidths(const std::string &rule, int64_t dim) {
  if (rule == "adagrad")
    return {dim, dim};
  if (rule == "row_wise_adagrad" || rule == "moment_scaled")
    return {dim, 1};
  if (rule == "adam")
    return {dim, dim, dim};
  return {dim};
}

/// One row in double precision, by the published formulas, with the hyper-parameters above.
inline void reference(const std::string &rule, double lr, int64_t step, const std::vector<double> &g,
                      std::vector<double> &w, std::vector<std::vector<double>> &state) {
  lr *= 0.1;
  double mean = 0;
  for (double x : g)
    mean += x * x / double(g.size());
  bool rowWise = rule == "row_wise_adagrad" || rule == "moment_scaled";
  if (rowWise)
    state[0][0] += mean;
  for (size_t i = 0; i < g.size(); ++i)
    if (rule == "sgd") {
      w[i] -= lr * g[i];
    } else if (rule == "adagrad") {
      state[0][i] += g[i] * g[i];
      w[i] -= lr * g[i] / (std::sqrt(state[0][i]) + 1e-4);
    } else if (rowWise) {
      w[i] -= lr * g[i] / (std::sqrt(state[0][0] / (rule == "moment_scaled" ? 4 : 1)) + 1e-4);
    } else {
      double &m = state[0][i], &u = state[1][i];
      m = 0.9 * m + 0.1 * g[i];
      u = 0.99 * u + 0.01 * g[i] * g[i];
      w[i] -= lr * (m / (1 - std::pow(0.9, step))) / (std::sqrt(u / (1 - std::pow(0.99, step))) + 1e-4);
    }
}

} // namespace sparsec::codegen
