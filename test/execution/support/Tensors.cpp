#include "support/Tensors.h"
#include "support/Process.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace sparsec::execution {

static void readSafetensors(const std::string &path, Tensors &tensors) {
  std::string bytes = readFile(path);
  uint64_t length = 0;
  if (bytes.size() < sizeof length)
    throw std::runtime_error(path + ": too short");
  std::memcpy(&length, bytes.data(), sizeof length);
  auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    Tensor &tensor = tensors[name];
    tensor.shape = entry["shape"].get<std::vector<int64_t>>();
    uint64_t first = entry["data_offsets"][0], end = entry["data_offsets"][1];
    if (entry["dtype"] != "F32" || end > bytes.size() - 8 - length)
      throw std::runtime_error(path + ": tensor " + name);
    tensor.values.resize((end - first) / sizeof(float));
    std::memcpy(tensor.values.data(), bytes.data() + 8 + length + first, end - first);
  }
}

Tensors readCheckpoint(const std::string &folder) {
  Tensors tensors;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".safetensors")
      readSafetensors(entry.path().string(), tensors);
  return tensors;
}

std::vector<double> readLosses(const std::string &path) {
  std::vector<double> losses;
  std::istringstream lines(readFile(path));
  for (std::string line; std::getline(lines, line);) {
    auto loss = nlohmann::json::parse(line)["loss"];
    losses.push_back(loss.is_null() ? std::nan("") : loss.get<double>());
  }
  return losses;
}

std::vector<std::vector<double>> readPredictions(const std::string &text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    auto &row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');)
      row.push_back(std::stod(field));
  }
  return rows;
}

double distance(const std::vector<float> &a, const std::vector<double> &b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double one = std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i]));
    if (!(one <= worst))
      worst = std::isnan(one) ? std::numeric_limits<double>::infinity() : one;
  }
  return worst;
}

} // namespace sparsec::execution
