#include "passes/Plan/strategies/Strategies.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::plan;

llvm::ArrayRef<const Strategy *> sparsec::plan::strategies() {
  static const Strategy *const all[] = {
#define STRATEGY(name) &name(),
#include "passes/Plan/strategies/Strategies.def"
#undef STRATEGY
  };
  return all;
}

const Strategy *sparsec::plan::findStrategy(StringRef name) {
  for (const Strategy *strategy : strategies())
    if (strategy->name() == name)
      return strategy;
  return nullptr;
}

std::pair<int64_t, int64_t> sparsec::plan::columnRange(int64_t dim, int64_t parts, int64_t i) {
  int64_t width = dim / parts, wider = dim % parts;
  return {i * width + std::min(i, wider), width + (i < wider)};
}

rec::PartAttr sparsec::plan::ownedPart(const GroupShape &group, int64_t column, int64_t width, int64_t first,
                                       int64_t count) {
  SmallVector<StringAttr> axes(group.axes.getAsRange<StringAttr>());
  return rec::PartAttr::get(group.axes.getContext(), column, width, axes, first, count);
}

std::string sparsec::plan::placesInside(const Choice &choice, int64_t places, StringRef kind) {
  for (int64_t place : choice.places)
    if (place < 0 || place >= places)
      return llvm::formatv("expected a {0} in [0, {1}), but got {2}", kind, places, place).str();
  return "";
}

std::string sparsec::plan::columnRefusal(const TableFacts &table, const Choice &choice, int64_t places,
                                         StringRef kind) {
  if (std::string why = placesInside(choice, places, kind); !why.empty())
    return why;
  if (int64_t(choice.places.size()) > table.dim)
    return llvm::formatv("{0} columns cannot be cut into {1} parts", table.dim, choice.places.size()).str();
  if (table.needsRowNorm && choice.places.size() > 1)
    return "the optimizer needs the norm of whole rows, which no rank has";
  return "";
}

SmallVector<Choice> sparsec::plan::powersOfTwo(int64_t limit, ArrayRef<int64_t> places) {
  SmallVector<Choice> choices;
  for (int64_t n = 2; n <= limit && n <= int64_t(places.size()); n *= 2)
    choices.push_back(Choice{SmallVector<int64_t>(places.take_front(n))});
  return choices;
}
