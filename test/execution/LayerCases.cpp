#include "LayerCases.h"

namespace sparsec::reference {

const std::vector<const char *> layerCases = {
    "input: [\"x{0..1}\", \"a\"] linear { units: 2 }",
    "input: [\"x{0..1}\", \"b\"] linear { units: 2 activation: TANH use_bias: false }",
    "input: [\"a\", \"c\"] mlp { units: [3, 2] activation: SIGMOID }",
    "input: [\"a\", \"b\"] mlp { units: [4, 3] activation: RELU dropout: 0.25 }",
    "input: [\"a\", \"x{0..1}\"] cross { layers: 2 }",
    "input: [\"b\", \"x{0..1}\"] cross { layers: 3 rank: 2 }",
    "input: [\"a\", \"b\"] activate { activation: TANH }",
    "input: [\"a\", \"b\"] dropout { rate: 0.5 }",
    "input: [\"a\", \"b\"] slice { begin: 1 end: 5 }",
    "input: [\"a\", \"b\"] sum {}",
    "input: [\"a\", \"c\"] mean {}",
    "input: [\"a\", \"b\", \"x0\"] concat {}",
    "input: [\"a\", \"b\", \"c\"] add {}",
    "input: [\"a\", \"b\", \"c\"] multiply {}",
    "subtract { left: \"a\" right: \"b\" }",
    "input: [\"a\", \"b\", \"c\"] dot {}",
    "input: [\"a\", \"b\", \"c\"] dot { self: true }",
    "input: [\"a\", \"b\", \"c\"] fm {}"};

// Five samples: two labels, two numbers, bags with repeats, an empty bag, weights that cancel, ids that count as zero.
const std::string layerRows = "1;0.5;0.25;-1;1;0|1|1;2:0.5|1:-1.5;0|9\n"
                              "0;-0.25;1.5;0.5;0;;0:1|1:-1;1|2|0\n"
                              "1;0.125;-0.75;0.25;2;2;;9\n"
                              "0;1;0.5;2;3;3|0|3|2;3:2;2|2\n"
                              "1;-1;0.3;0.7;1;1|2;1:0.25|1:0.5|2:1;0|1\n";

namespace {

std::string describe(const std::string &poolings, const std::string &layers, const std::string &tasks,
                     int64_t dim = 3) {
  return R"(language: 1 name: "m" data { delimiter: ";" column: ["y", "z", "x{0..1}", "one", "many", "weighted", "zero"] }
label { name: ["y", "z"] }
feature { name: "x{0..1}" number {} }
feature { name: "one" ids: 4 identity {} }
feature { name: "many" ids: 4 identity {} separator: "|" missing: EMPTY_BAG }
feature { name: "weighted" ids: 4 identity {} separator: "|" weight_separator: ":" missing: EMPTY_BAG }
feature { name: "zero" ids: 4 identity {} separator: "|" out_of_range: ZERO }
table { name: "t" init { normal: 0.8 } dim: )" +
         std::to_string(dim) + R"( }
table { name: "u" dim: 2 init { uniform: 0.9 } }
)" + poolings +
         layers + tasks + R"(
training { batch_size: 5 dense_optimizer { sgd { lr: 0.5 } } table_optimizer { sgd { lr: 0.5 } } })";
}

std::string lookups(const std::string &many, const std::string &weighted) {
  return "lookup { name: \"a\" feature: \"one\" table: \"t\" }\n"
         "lookup { name: \"b\" feature: \"many\" table: \"t\" pooling: " +
         many +
         " }\n"
         "lookup { name: \"c\" feature: \"weighted\" table: \"t\" pooling: " +
         weighted +
         " }\n"
         "lookup { name: \"d\" feature: \"zero\" table: \"u\" pooling: " +
         many + " }\n";
}

const std::string bce = "task { name: \"p\" input: \"logit\" label: \"y\" bce {} weight: 0.75 }\n";
const std::string logit = "layer { name: \"logit\" input: [\"h\", \"d\", \"a\", \"b\", \"c\"] linear { units: 1 } }\n";

} // namespace

std::string layerModel(const std::string &layer, const std::string &pooling, int64_t dim) {
  return describe(lookups(pooling, pooling == "MAX" ? "SUM" : pooling), "layer { name: \"h\" " + layer + " }\n" + logit,
                  bce, dim);
}

std::string twoTasksModel() {
  std::string second = "layer { name: \"out\" input: [\"a\", \"x0\"] linear { units: 1 activation: SIGMOID } }\n";
  return describe(lookups("MEAN", "MEAN"), "layer { name: \"h\" input: \"a\" mean {} }\n" + logit + second,
                  bce + "task { name: \"q\" input: \"out\" label: \"z\" mse {} weight: 2.5 }\n");
}

double centralDifference(Reference &reference, std::span<const Row> batch, const std::string &name, size_t i) {
  const double h = 1e-5;
  double &w = reference.parameters.at(name).value.values[i], middle = w;
  w = middle + h;
  double above = reference.gradients(batch);
  w = middle - h;
  double below = reference.gradients(batch);
  w = middle;
  return (above - below) / (2 * h);
}

} // namespace sparsec::reference
