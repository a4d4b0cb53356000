#include "test/unit/gpu/cover/Cover.h"
#include "codegen/GPU/KernelNames.h"
#include <fmt/format.h>

using namespace sparsec;
using namespace sparsec::codegen;
using namespace sparsec::codegen::device;
using namespace sparsec::codegen::device::cover;

const Families &cover::families() {
  static const Families all = [] {
    Families all;
    for (const Families &some :
         {lookupFamilies(), rowFamilies(), segmentFamilies(), poolingFamilies(), interactionFamilies()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return all;
}

float *cover::putFar(TestDevice &device, const std::vector<float> &values, int64_t before) {
  auto *place = static_cast<float *>(device.place->allocate((before + int64_t(values.size())) * 4));
  if (!place)
    throw std::runtime_error("the emulated device has no room for a table");
  std::copy(values.begin(), values.end(), place + before);
  return place;
}

std::array<int, 5> Cover::classOf(const Case &of) {
  const Levels &levels = of.levels;
  return {levels[familyFactor], levels[dimFactor], levels[weightsFactor], levels[tablesFactor],
          levels[optimizerFactor]};
}

Cover::Cover(const std::vector<Case> &cases) {
  for (const Case &of : cases) {
    std::vector<std::string> &mine = names[classOf(of)];
    if (mine.empty())
      for (mlir::LLVM::GlobalOp record : families()[of.levels[familyFactor]]->ask(runner, of))
        mine.push_back(record.getSymName().drop_front(recordName("").size()).str());
  }
  runner.compile();
}

static std::string compare(const Expected &expected, const Results &results) {
  if (expected.words.size() != results.words.size() || expected.numbers.size() != results.numbers.size())
    return fmt::format("{} words and {} numbers where {} and {} are expected", results.words.size(),
                       results.numbers.size(), expected.words.size(), expected.numbers.size());
  for (size_t i = 0; i < expected.words.size(); ++i)
    if (expected.words[i] != results.words[i])
      return fmt::format("word {} is {}: expected {}", i, results.words[i], expected.words[i]);
  for (size_t i = 0; i < expected.numbers.size(); ++i)
    if (!(std::abs(double(results.numbers[i]) - expected.numbers[i]) <= expected.tolerances[i])) // a NaN is wrong
      return fmt::format("number {} of {} is {:.9g}: expected {:.9g} within {:.2g}", i, results.numbers.size(),
                         results.numbers[i], expected.numbers[i], expected.tolerances[i]);
  return "";
}

static bool sameBits(const Results &left, const Results &right) {
  return left.words == right.words && left.numbers.size() == right.numbers.size() &&
         std::memcmp(left.numbers.data(), right.numbers.data(), left.numbers.size() * sizeof(float)) == 0;
}

std::string Cover::check(const Case &of) {
  const Family &family = *families()[of.levels[familyFactor]];
  Kernels kernels;
  for (const std::string &name : names.at(classOf(of)))
    kernels.push_back(&runner.kernel(name));
  Problem problem(of);
  Results first;
  for (LaunchOrder order : orders()) {
    TestDevice device(order);
    Results results;
    if (Status status = family.run(problem, kernels, device, results); !status)
      return status.message();
    if (order.kind == EmulationOrder::forward) {
      if (std::string wrong = compare(family.expect(problem), results); !wrong.empty())
        return wrong;
      first = std::move(results);
    } else if (!sameBits(first, results)) {
      return fmt::format("other bits in order {}, seed {}", int(order.kind), order.seed);
    }
  }
  return "";
}
