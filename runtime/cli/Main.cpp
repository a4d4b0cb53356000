// main() of an executable; the program is what the compiler generated beside it.
#include "sparsec/Cli.h"

extern "C" const SparsecProgramImage sparsec_program;

int main(int argc, char **argv) { return sparsec::runExecutable(argc, argv, &sparsec_program); }
