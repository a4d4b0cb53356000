// gpu-cover DIM [FIRST STEP]: all cases of the full product with rows of DIM, or every STEPth of them, in an order that
// is shuffled. Prints a line for each that fails and a summary; exit status 1 on failures.
#include "test/unit/gpu/cover/Cover.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace sparsec::codegen::device::cover;

int main(int argc, char **argv) {
  int64_t dim = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 0;
  size_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0,
         step = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  if (std::find(dims().begin(), dims().end(), dim) == dims().end() || step == 0) {
    std::fprintf(stderr, "usage: gpu-cover DIM [FIRST STEP]; DIM is one of");
    for (int64_t each : dims())
      std::fprintf(stderr, " %d", int(each));
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::vector<Case> all = fullProduct(dim), mine;
  sparsec::test::shuffle(all, 1);
  for (size_t i = first; i < all.size(); i += step)
    mine.push_back(all[i]);
  size_t checked = 0, failed = 0;
  try {
    Cover cover(mine);
    for (const Case &of : mine) {
      std::string wrong = cover.check(of);
      ++checked;
      if (wrong.empty())
        continue;
      ++failed;
      std::printf("%s: %s\n", of.name().c_str(), wrong.c_str());
      std::fflush(stdout);
    }
  } catch (const std::exception &error) {
    std::printf("d%d: %s\n", int(dim), error.what());
    ++failed;
  }
  std::printf("checked %zu of %zu cases of d%d, failed %zu\n", checked, mine.size(), int(dim), failed);
  return failed != 0;
}
