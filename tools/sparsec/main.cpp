#include "tools/sparsec/Driver.h"
#include "tools/sparsec/Options.h"

int main(int argc, char **argv) {
  sparsec::driver::Options options;
  if (auto done = sparsec::driver::parseOptions(argc, argv, options))
    return *done;
  return sparsec::driver::run(options);
}
