#include "cli/Info.h"
#include "cli/MemoryNeed.h"
#include "sparsec/abi.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace sparsec::cli {

namespace {

/// "1 group", "2 groups"
std::string counted(int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// "adagrad lr=0.1 eps=1e-08"
std::string describe(const OptimizerUse &optimizer) {
  std::string text = optimizer.rule;
  for (const auto &[name, value] : optimizer.hyperparameters)
    text += fmt::format(" {}={}", name, value);
  return text;
}

nlohmann::ordered_json optimizerJson(const OptimizerUse &optimizer) {
  nlohmann::ordered_json json = {{"rule", optimizer.rule}};
  for (const auto &[name, value] : optimizer.hyperparameters)
    json[name] = value;
  return json;
}

nlohmann::ordered_json meshJson(const Mesh &mesh) {
  return {{"groups", mesh.groups}, {"nodes", mesh.nodes}, {"shards", mesh.shards}};
}

/// Many tables and layers, few ways to train them: each way once, with whom it is for.
std::string optimizerLines(const Program &program) {
  std::map<std::string, std::vector<std::string>> users;
  for (const TableInfo &t : program.tables)
    users[describe(t.optimizer) + (t.whole ? " (update: whole)" : "")].push_back("table " + t.name);
  for (const ParamInfo &p : program.params)
    users[describe(p.optimizer)].push_back(p.name);
  std::string text;
  constexpr size_t shown = 4;
  for (auto &[optimizer, names] : users) {
    size_t n = names.size();
    names.resize(std::min(n, shown));
    text += fmt::format("  {}: {}{}\n", optimizer, fmt::join(names, ", "),
                        n > shown ? fmt::format(" and {} more", n - shown) : "");
  }
  return text;
}

} // namespace

std::string infoJson(const Program &program) {
  nlohmann::ordered_json json = {{"model", program.model},
                                 {"fingerprint", program.fingerprint},
                                 {"target", program.target},
                                 {"matmul", program.matmul},
                                 {"compiler", program.compiler},
                                 {"runtime", SPARSEC_VERSION},
                                 {"abi", int64_t(SPARSEC_ABI)},
                                 {"ranks", program.mesh.ranks()},
                                 {"mesh", meshJson(program.mesh)},
                                 {"memory_per_rank", bytesOfRanks(program)},
                                 {"batch_size", program.batchSize},
                                 {"eval_batch_size", program.evalBatchSize},
                                 {"epochs", program.epochs},
                                 {"seed", program.seed},
                                 {"shuffle_rows", program.shuffleRows},
                                 {"warmup_steps", program.warmupSteps}};
  for (const char *list : {"features", "tables", "params", "tasks"})
    json[list] = nlohmann::ordered_json::array();
  for (const FeatureColumn &f : program.features)
    json["features"].push_back({{"name", f.name}, {"column", f.column}, {"kind", f.kind}});
  for (const TableInfo &t : program.tables)
    json["tables"].push_back({{"name", t.name},
                              {"rows", t.rows},
                              {"dim", t.dim},
                              {"strategy", t.strategy},
                              {"parts", t.parts.size()},
                              {"update", t.whole ? "whole" : "touched"},
                              {"optimizer", optimizerJson(t.optimizer)}});
  for (const ParamInfo &p : program.params)
    json["params"].push_back({{"name", p.name}, {"shape", p.shape}, {"optimizer", optimizerJson(p.optimizer)}});
  for (const TaskInfo &t : program.tasks)
    json["tasks"].push_back({{"name", t.name}, {"loss", t.loss}, {"weight", t.weight}});
  json["plan"] = program.plan;
  return json.dump();
}

std::string infoText(const Program &program) {
  std::vector<int64_t> bytes = bytesOfRanks(program);
  auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  int64_t rows = 0, numbers = 0;
  for (const TableInfo &t : program.tables)
    rows += t.rows, numbers += t.rows * t.dim;
  const Mesh &mesh = program.mesh;
  std::string text = fmt::format("model         {} ({})\n", program.model, program.fingerprint);
  text += fmt::format("target        {}, products of matrices in {}\n", program.target, program.matmul);
  text += fmt::format("compiled by   {}; runtime {}, abi {}\n", program.compiler, SPARSEC_VERSION, int(SPARSEC_ABI));
  text += fmt::format("ranks         {} = {} x {} x {}\n", mesh.ranks(), counted(mesh.groups, "group"),
                      counted(mesh.nodes, "node"), counted(mesh.shards, "shard"));
  text += *least == *most
              ? fmt::format("memory/rank   {} of weights and optimizer state\n", amount(*most))
              : fmt::format("memory/rank   {} to {} of weights and optimizer state\n", amount(*least), amount(*most));
  text += fmt::format("training      batch size {}, {}, seed {}, shuffle window {}, warm-up {}\n", program.batchSize,
                      counted(program.epochs, "epoch"), program.seed, program.shuffleRows,
                      counted(program.warmupSteps, "step"));
  text +=
      fmt::format("tables        {} with {}, {}\n", program.tables.size(), counted(rows, "row"), amount(numbers * 4));
  for (const TableInfo &t : program.tables)
    text += fmt::format("  {}: {} x {}, {}, {}\n", t.name, t.rows, t.dim, t.strategy, counted(t.parts.size(), "part"));
  text += fmt::format("dense         {}\n", counted(program.params.size(), "parameter"));
  for (const ParamInfo &p : program.params)
    text += fmt::format("  {}: [{}]\n", p.name, fmt::join(p.shape, ", "));
  text += "optimizers\n" + optimizerLines(program);
  text += "tasks\n";
  for (const TaskInfo &t : program.tasks)
    text += fmt::format("  {}: {}, weight {}\n", t.name, t.loss, t.weight);
  if (!program.plan.empty())
    text += "plan\n" + program.plan + (program.plan.back() == '\n' ? "" : "\n");
  return text;
}

} // namespace sparsec::cli
