#include "support/Compiled.h"
#include <fmt/format.h>

namespace sparsec::execution {

std::string Mesh::name() const {
  return nodes == 1 ? fmt::format("{}x{}", groups, shards) : fmt::format("{}x({}x{})", groups, nodes, shards);
}

std::string planText(const std::string &model, const Mesh &mesh, const std::vector<TablePlan> &tables) {
  std::string text = fmt::format("language: 1\nmodel: \"{}\"\nmesh {{ groups: {} shards: {} }}\n", model, mesh.groups,
                                 mesh.nodes * mesh.shards);
  for (const TablePlan &table : tables)
    text += fmt::format("table {{ name: \"{}\" {} {} {} }}\n", table.table, table.strategy,
                        table.strategy.ends_with('}') ? "" : "{}",
                        table.strategy == "data_parallel" ? ""
                        : table.unique                    ? "exchange: UNIQUE_ROWS"
                                                          : "exchange: POOLED_ROWS");
  return text;
}

/// What crosses this network in 16 times its latency is 80 bytes, so that even small models sum gradients in several
/// buckets.
static std::string clusterText(const Mesh &mesh) {
  return fmt::format(R"(language: 1
name: "virtual"
device {{ name: "core" target: CPU memory_gib: 8 copy_gb_per_s: 10 fp32_tflops: 0.1 launch_us: 0.1 source: "made up" }}
host {{ devices: {} cores: {} memory_gib: 64 copy_gb_per_s: 20 source: "made up" }}
link {{ name: "memory" joins: {} gb_per_s: 5 latency_us: 1 source: "made up" }}
link {{ name: "network" gb_per_s: 1 latency_us: 0.005 source: "made up" }}
)",
                     mesh.shards, mesh.shards, mesh.shards);
}

Compiled::Compiled(const std::vector<std::string> &description, const Mesh &mesh, const std::string &plan,
                   const std::string &target)
    : mesh(mesh) {
  std::vector<std::string> words = {SPARSEC_PROGRAM};
  words.insert(words.end(), description.begin(), description.end());
  for (const std::string &option : {std::string("-o"), folder / "model", std::string("--cpu=native"),
                                    fmt::format("--ranks={}", mesh.ranks()), "--target=" + target})
    words.push_back(option);
  if (mesh.nodes > 1) {
    writeFile(folder / "cluster.textproto", clusterText(mesh));
    words.push_back("--cluster=" + (folder / "cluster.textproto"));
  }
  if (!plan.empty()) {
    writeFile(folder / "plan.textproto", plan);
    words.push_back("--plan=" + (folder / "plan.textproto"));
  }
  compilation = runProgram(words);
}

std::vector<std::string> Compiled::start(bool mpi) const {
  if (!mpi)
    return {folder / "model"};
  return {"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", std::to_string(mesh.ranks()), folder / "model"};
}

Ran Compiled::run(std::vector<std::string> command, bool mpi, int threads) const {
  std::vector<std::string> words = start(mpi);
  words.insert(words.end(), command.begin(), command.end());
  words.push_back("--threads=" + std::to_string(threads));
  if (!mpi)
    words.push_back("--in-process");
  return runProgram(words);
}

Trained Compiled::train(const std::string &data, const std::string &checkpoint, const TrainOptions &options) const {
  std::string log = (folder / checkpoint) + ".jsonl";
  std::vector<std::string> command = {"train", "--quiet", "--data", data, "--log", log, "--save", folder / checkpoint};
  if (options.steps)
    command.push_back(fmt::format("--steps={}", *options.steps));
  if (!options.load.empty())
    command.push_back("--load=" + (folder / options.load));
  Trained trained{run(command, options.mpi, options.threads), {}, {}, {}};
  if (!trained.ran.ok())
    return trained;
  trained.log = readFile(log);
  trained.losses = readLosses(log);
  trained.tensors = readCheckpoint(folder / checkpoint);
  return trained;
}

Ran Compiled::predict(const std::string &data, const std::string &checkpoint) const {
  return run({"predict", "--quiet", "--data", data, "--load", folder / checkpoint});
}

bool haveMpirun() {
  static const bool found = runProgram({"mpirun", "--version"}).ok();
  return found;
}

} // namespace sparsec::execution
