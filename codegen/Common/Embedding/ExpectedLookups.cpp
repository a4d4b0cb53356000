// Which classes of lookups a program has, before they are lowered.
#include "codegen/Common/Embedding/Expected.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {
using List = SmallVector<ExpectedLookups>;
}

static void add(List &list, const LookupClass &of, double bags, double tables, double rows) {
  auto *found = llvm::find_if(list, [&](const ExpectedLookups &other) { return other.of == of; });
  ExpectedLookups &into = found == list.end() ? list.emplace_back(ExpectedLookups{of}) : *found;
  into.bags += bags;
  into.tables += tables;
  into.rows = std::max(into.rows, rows);
}

static List lookupsOf(ModuleOp module, func::FuncOp entry) {
  List list;
  auto table = [&](FlatSymbolRefAttr name) { return module.lookupSymbol<rec::TableOp>(name.getValue()); };
  entry.walk([&](rec::LookupLocalOp op) {
    for (auto [i, ids] : llvm::enumerate(op.getIds())) {
      rec::TableOp of = table(rec::tableOf(op.getTables()[op.getTableOf()[i]]));
      add(list, lookupClass(ids, of.getDim()), expectedBags(ids).bags, 1, double(of.getRows()));
    }
  });
  entry.walk([&](rec::LookupServedOp op) {
    rec::RouteOp route = routeOf(op.getReceived());
    for (auto item : route.getItems().getAsRange<rec::ItemAttr>()) {
      rec::TableOp of = table(item.getTable());
      auto part = of.getPart(item.getPart());
      Value ids = route.getIds()[item.getLookup()];
      // Every owner gets all bags: those of as many ranks as own the part, each with its share of the ids.
      LookupClass served = lookupClass(ids, part.getDim());
      add(list, served, expectedBags(ids).bags * double(part.getCount()), 1, double(of.getRows() / part.getCount()));
    }
  });
  return list;
}

SmallVector<ExpectedLookups> codegen::expectedLookups(ModuleOp module) {
  List all;
  for (auto entry : module.getOps<func::FuncOp>())
    for (const ExpectedLookups &mine : lookupsOf(module, entry)) {
      auto *found = llvm::find_if(all, [&](const ExpectedLookups &other) { return other.of == mine.of; });
      if (found == all.end())
        all.push_back(mine);
      else if (found->bags < mine.bags)
        *found = mine;
    }
  return all;
}
