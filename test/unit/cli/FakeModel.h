// A logistic regression of two numbers, written by hand against abi.h: what the compiler would make, small enough to
// check by hand. Columns y,a,b; SGD with momentum, so that there is optimizer state.
#pragma once
#include "sparsec/Program.h"
#include "sparsec/abi.h"
#include <memory>
#include <string>

namespace sparsec::test {

struct FakeModel {
  Program program;
  std::string description;
  SparsecProgramImage image;
};

constexpr double fakeRate = .5, fakeMomentum = .9;

std::unique_ptr<FakeModel> makeFakeModel(Mesh mesh = {}, int64_t batchSize = 8);

} // namespace sparsec::test
