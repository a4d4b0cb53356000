// execution-cover FIRST END [SEED [TARGET]]: combinations FIRST ... END-1 of the full product in a shuffled order, with
// dims drawn by the seed, each as a random model against the reference. Prints a line for each that fails and a
// summary; exit status 1 on failures. execution-cover write NUMBER FOLDER [SEED]: description, plan and data of one, to
// look into.
#include "random/Check.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace sparsec::execution;

static int write(const RandomModel &model, const std::string &folder) {
  writeFile(folder + "/model.textproto", model.description);
  writeFile(folder + "/plan.textproto", planText("random", model.mesh, model.tables));
  writeFile(folder + "/data.csv", model.data);
  std::printf("sparsec model.textproto -o model --plan=plan.textproto --ranks=%d # mesh %s\n", int(model.mesh.ranks()),
              model.mesh.name().c_str());
  return 0;
}

int main(int argc, char **argv) {
  bool writes = argc > 1 && std::string(argv[1]) == "write";
  uint64_t seed = argc > 3 + writes ? std::strtoull(argv[3 + writes], nullptr, 10) : 1;
  std::vector<Levels> all = productWithDims(seed);
  if (argc < 3) {
    std::printf("usage: execution-cover FIRST END [SEED [TARGET]]; there are %zu combinations\n", all.size());
    return 2;
  }
  sparsec::test::shuffle(all, seed);
  if (writes && argc > 3) {
    size_t i = std::strtoull(argv[2], nullptr, 10);
    return write(makeModel(seed * 1'000'000 + i, all.at(i)), argv[3]);
  }
  size_t first = std::strtoull(argv[1], nullptr, 10),
         end = std::min<size_t>(std::strtoull(argv[2], nullptr, 10), all.size());
  CheckOptions options;
  options.target = argc > 4 ? argv[4] : "cpu";
  size_t checked = 0, skipped = 0, failed = 0;
  double lossError = 0, weightError = 0;
  for (size_t i = first; i < end; ++i) {
    Outcome outcome;
    try {
      outcome = checkModel(makeModel(seed * 1'000'000 + i, all[i]), options);
    } catch (const std::exception &error) {
      outcome.failure = error.what();
    }
    ++checked;
    skipped += outcome.skipped;
    failed += !outcome.failure.empty();
    if (outcome.failure.empty()) {
      lossError = std::max(lossError, outcome.lossError);
      weightError = std::max(weightError, outcome.weightError);
    } else {
      std::printf("%zu: %s\n%s\n", i, describeLevels(all[i]).c_str(), outcome.failure.c_str());
      std::fflush(stdout);
    }
  }
  std::printf("checked %zu, skipped %zu, failed %zu; largest error of losses %.2g, of weights %.2g\n", checked, skipped,
              failed, lossError, weightError);
  return failed != 0;
}
