// The fake model as the generated object of an executable: main() comes from sparsec_main.
#include "FakeModel.h"

namespace {
// Found before main() by a constructor; a real program has constants here.
const auto model = sparsec::test::makeFakeModel({RANKS, 1, 1});
} // namespace

extern "C" {
extern const SparsecProgramImage sparsec_program;
const SparsecProgramImage sparsec_program = model->image;
}
