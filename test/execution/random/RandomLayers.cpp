#include "random/RandomLayers.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sparsec::execution {
namespace {

class LayerMaker {
public:
  LayerMaker(Dice &dice, std::vector<Column> tensors) : dice(dice), tensors(std::move(tensors)) {}

  std::string make(int tasks) {
    for (int64_t i = dice.between(0, 3); i > 0; --i)
      dice.chance(55) ? interaction() : alone();
    top(tasks);
    return text;
  }

private:
  std::string list(const std::vector<Column> &inputs) {
    std::string names;
    for (const Column &input : inputs) {
      names += (names.empty() ? "\"" : ", \"") + input.name + "\"";
      read.insert(input.name);
    }
    return "[" + names + "]";
  }

  void layer(const std::vector<Column> &inputs, const std::string &kind, int64_t width) {
    std::string name = fmt::format("l{}", made++);
    text += fmt::format("layer {{ name: \"{}\" input: {} {} }}\n", name, list(inputs), kind);
    tensors.push_back({name, width});
  }

  std::string activation() {
    const std::vector<std::string> all = {"LINEAR", "RELU", "SIGMOID", "TANH"};
    return dice.pick(all);
  }

  /// Two to four tensors, of one width where there are such.
  std::vector<Column> equals() {
    std::map<int64_t, std::vector<Column>> byWidth;
    for (const Column &tensor : tensors)
      byWidth[tensor.width].push_back(tensor);
    std::vector<std::vector<Column>> groups;
    for (auto &[width, group] : byWidth)
      if (group.size() > 1)
        groups.push_back(group);
    if (groups.empty())
      return {};
    std::vector<Column> group = dice.pick(groups);
    while (group.size() > 2 && (group.size() > 4 || dice.chance(30)))
      group.erase(group.begin() + dice.below(int64_t(group.size())));
    return group;
  }

  void interaction() {
    std::vector<Column> in = equals();
    if (in.empty())
      return alone();
    int64_t n = int64_t(in.size()), width = in[0].width;
    switch (dice.below(6)) {
    case 0:
      return layer(in, "dot {}", n * (n - 1) / 2);
    case 1:
      return layer(in, "dot { self: true }", n * (n + 1) / 2);
    case 2:
      return layer(in, "fm {}", 1);
    case 3:
      return layer(in, "add {}", width);
    case 4:
      return layer(in, "multiply {}", width);
    default:
      list({in[0], in[1]});
      std::string name = fmt::format("l{}", made++);
      text += fmt::format("layer {{ name: \"{}\" subtract {{ left: \"{}\" right: \"{}\" }} }}\n", name, in[0].name,
                          in[1].name);
      tensors.push_back({name, width});
    }
  }

  void alone() {
    std::vector<Column> in = {dice.pick(tensors)};
    if (const Column &other = dice.pick(tensors); other.name != in[0].name)
      in.push_back(other);
    int64_t width = 0;
    for (const Column &input : in)
      width += input.width;
    switch (dice.below(9)) {
    case 0: // sums of many columns are large, and products of them cancel
      return layer(in, width > 16 ? "mean {}" : "sum {}", 1);
    case 1:
      return layer(in, "mean {}", 1);
    case 2:
      return layer(in, "dropout { rate: 0.3 }", width);
    case 3:
      return layer(in, "activate { activation: " + activation() + " }", width);
    case 4: {
      int64_t begin = dice.below(width), end = dice.between(begin + 1, width);
      return layer(in, fmt::format("slice {{ begin: {} end: {} }}", begin, end), end - begin);
    }
    case 5:
      return layer(in, fmt::format("cross {{ layers: {} }}", dice.between(1, 2)), width);
    case 6:
      return layer(in, fmt::format("cross {{ layers: {} rank: {} }}", dice.between(1, 3), dice.between(1, 4)), width);
    case 7:
      return layer(in, "concat {}", width);
    default: {
      int64_t units = dice.between(1, 9);
      return layer(in,
                   fmt::format("linear {{ units: {} activation: {} {} }}", units, activation(),
                               dice.chance(30) ? "use_bias: false" : "bias { uniform: 0.2 }"),
                   units);
    }
    }
  }

  void top(int tasks) {
    std::vector<Column> open;
    for (const Column &tensor : tensors)
      if (!read.contains(tensor.name) || dice.chance(20))
        open.push_back(tensor);
    std::string names = list(open);
    if (dice.chance(80)) {
      text += fmt::format("layer {{ name: \"top\" input: {} mlp {{ units: [{}, {}] activation: {} {} }} }}\n", names,
                          dice.between(3, 17), dice.between(2, 8), activation(), dice.chance(25) ? "dropout: 0.2" : "");
      names = "\"top\"";
    }
    for (int t = 0; t < tasks; ++t)
      text += fmt::format("layer {{ name: \"logit{}\" input: {} linear {{ units: 1 }} }}\n", t, names);
  }

  Dice &dice;
  std::vector<Column> tensors;
  std::set<std::string> read;
  std::string text;
  int made = 0;
};

} // namespace

std::string randomLayers(Dice &dice, std::vector<Column> tensors, int tasks) {
  return LayerMaker(dice, std::move(tensors)).make(tasks);
}

} // namespace sparsec::execution
