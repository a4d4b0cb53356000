#include "test/unit/description/Helpers.h"
#include <ctime>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sparsec::description::test {
namespace {

// Of this process: what else runs on the machine must not fail a test.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string wide(int features) {
  std::string text = "language: 1\nname: \"wide\"\nlabel { name: \"y\" }\n";
  for (int i = 0; i < features; ++i)
    text += fmt::format("feature {{ name: \"f{0}\" ids: {1} hash {{}} }}\ntable {{ name: \"f{0}\" dim: 16 }}\n", i,
                        1000 + i);
  text += "lookup { name: [";
  std::string names, inputs;
  for (int i = 0; i < features; ++i)
    names += fmt::format("{}\"f{}\"", i ? ", " : "", i), inputs += fmt::format("{}\"e/f{}\"", i ? ", " : "", i);
  text += inputs + "] feature: [" + names + "] table: [" + names + "] }\n";
  text += "layer { name: \"p\" input: [" + inputs + "] linear { units: 1 } }\n";
  text += "task { name: \"t\" input: \"p\" label: \"y\" bce {} }\n"
          "training { batch_size: 8 dense_optimizer { sgd { lr: 0.1 } } table_optimizer { sgd { lr: 0.1 } } }\n";
  return text;
}

// 0.1 s in a release build; the bound leaves room for sanitizers.
TEST(Speed, FiveThousandFeaturesAndTables) {
  std::string text = wide(5000);
  EXPECT_GT(text.size(), 400'000u);
  double start = cpuSeconds();
  EXPECT_EQ(modelErrors(text), "");
  double seconds = cpuSeconds() - start;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 5);
}

// One block with lists of as many values, nested ones too: nothing may grow with their square.
TEST(Speed, TwentyThousandNamesInABlock) {
  std::string ones, text = "language: 1\nname: \"wide\"\nlabel { name: \"y\" }\n";
  for (int i = 0; i < 20'000; ++i)
    ones += i ? ", 1" : "1";
  text += "feature { name: \"f{1..20000}\" group: \"g\" ids: [" + ones + "] hash {} hint { bag_length: [" + ones +
          "] } }\n"
          "table { name: \"{g}\" dim: [" +
          ones +
          "] }\n"
          "lookup { name: \"e/{g}\" feature: \"{g}\" table: \"{g}\" }\n"
          "layer { name: \"p\" input: \"e/{g}\" linear { units: 1 } }\n"
          "task { name: \"t\" input: \"p\" label: \"y\" bce {} }\n"
          "training { batch_size: 8 dense_optimizer { sgd { lr: 0.1 } } table_optimizer { sgd { lr: 0.1 } } }\n";
  double start = cpuSeconds();
  EXPECT_EQ(modelErrors(text), "");
  EXPECT_LT(cpuSeconds() - start, 20);
}

// The same with an error in each lookup: one error line and no search that grows with the square.
TEST(Speed, FiveThousandErrors) {
  std::string text = wide(5000);
  for (size_t at = 0; (at = text.find("table { name: \"f", at)) != std::string::npos; at += 10)
    text.replace(at, 16, "table { name: \"g");
  double start = cpuSeconds();
  EXPECT_NE(modelErrors(text), "");
  EXPECT_LT(cpuSeconds() - start, 10);
}

} // namespace
} // namespace sparsec::description::test
