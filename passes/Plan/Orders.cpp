#include "passes/Plan/Orders.h"
#include "passes/Plan/Facts.h"
#include "passes/Plan/strategies/Strategies.h"

using namespace mlir;
using namespace sparsec;

static Location locationOf(MLIRContext *context, const description::Place &place) {
  return FileLineColLoc::get(StringAttr::get(context, place.fileName()), place.line, place.column);
}

static Location locationOf(MLIRContext *context, const description::Node &node) {
  return locationOf(context, node.place);
}

/// Adds to the module's `rec.order`.
static void order(ModuleOp module, StringRef name, Attribute value) {
  NamedAttrList list(module->getAttrOfType<DictionaryAttr>(plan::orderAttr));
  list.set(name, value);
  module->setAttr(plan::orderAttr, list.getDictionary(module.getContext()));
}

static int64_t devicesOf(const Cluster &c) {
  int64_t all = 1;
  for (const Link &link : c.link())
    all *= link.has_joins() ? link.joins() : 1;
  return all;
}

/// Whether there are as many hosts as one asks for.
static bool isOpen(const Cluster &c) { return c.link_size() && !c.link(c.link_size() - 1).has_joins(); }

/// As the attributes `rec.cluster` and `rec.machines` are.
static DictionaryAttr figuresOf(MLIRContext *context, const Cluster &c, int64_t ranks, int64_t devicesPerHost) {
  Builder b(context);
  NamedAttrList list;
  auto number = [&](StringRef name, double value) { list.set(name, b.getF64FloatAttr(value)); };
  list.set("name", b.getStringAttr(c.name()));
  list.set("ranks", b.getI64IntegerAttr(ranks));
  list.set("devices_per_host", b.getI64IntegerAttr(devicesPerHost));
  const Device &d = c.device();
  number("memory", (d.memory_gib() - d.reserved_gib()) * double(1 << 30));
  number("copy_rate", d.copy_gb_per_s() * 1e9);
  number("gather_rate", (d.gather_size() ? d.gather(d.gather_size() - 1).gb_per_s() : d.copy_gb_per_s() / 2) * 1e9);
  number("flop_rate", d.fp32_tflops() * 1e12 * 0.7);
  number("launch_latency", d.launch_us() * 1e-6);
  if (c.link_size()) {
    auto rate = [](const Link &link) { return link.gb_per_s() / double(link.shared_by()) * 1e9; };
    number("inside_rate", rate(c.link(0)));
    number("inside_latency", c.link(0).latency_us() * 1e-6);
    // Some ranks are only joined by the outermost link that so many need, and the others wait for them.
    const Link &first = c.link(c.link_size() > 1 ? 1 : 0);
    double slowest = rate(first), longest = first.latency_us();
    int64_t joined = c.link(0).joins() * first.joins();
    for (int i = 2; i < c.link_size() && joined < ranks; joined *= c.link(i++).joins()) {
      slowest = std::min(slowest, rate(c.link(i)));
      longest = std::max(longest, c.link(i).latency_us());
    }
    number("between_rate", slowest);
    number("between_latency", longest * 1e-6);
  }
  return list.getDictionary(context);
}

void sparsec::attachMachines(ModuleOp module, const description::LoadedCluster &loaded) {
  const Cluster &c = loaded.cluster;
  int64_t most = isOpen(c) ? rec::mostRanks : std::min(devicesOf(c), rec::mostRanks);
  module->setAttr(rec::machinesAttr, figuresOf(module.getContext(), c, most, c.host().devices()));
}

LogicalResult sparsec::attachCluster(ModuleOp module, const description::LoadedCluster &loaded, int64_t ranks) {
  const Cluster &c = loaded.cluster;
  int64_t all = devicesOf(c);
  if (ranks == 0)
    ranks = all;
  int64_t devices = c.host().devices();
  Location place = locationOf(module.getContext(), *loaded.places);
  if (!isOpen(c) && ranks > all)
    return emitError(place) << "cluster `" << c.name() << "` has " << all << " devices, but " << ranks
                            << " ranks are asked for";
  attachMachines(module, loaded);
  if (!rec::readMachines(module).fillsHosts(ranks))
    return emitError(place) << ranks << " ranks do not fill hosts of " << devices << " devices of cluster `" << c.name()
                            << "`";
  module->setAttr(rec::clusterAttr, figuresOf(module.getContext(), c, ranks, std::min(devices, ranks)));
  return success();
}

static LogicalResult refuseUnbuilt(const Twine &what, Location place) {
  return emitError(place) << what << " is not among what this version builds";
}

/// Strategy and places of one table's block. Fails where no strategy of this version reads the block's.
static LogicalResult orderStrategy(Builder &b, const Placement &placement, Location place, NamedAttrList &list) {
  for (const plan::Strategy *strategy : plan::strategies())
    if (std::optional<plan::Choice> choice = strategy->read(placement)) {
      list.set("strategy", b.getStringAttr(strategy->name()));
      if (!choice->places.empty())
        list.set("places", b.getDenseI64ArrayAttr(choice->places));
      return success();
    }
  const auto *ordered = Placement::descriptor()->FindFieldByNumber(placement.strategy_case());
  return ordered ? refuseUnbuilt("`" + ordered->name() + "`", place) : success();
}

/// What the language of plans has and this version does not build, strategies aside.
static LogicalResult checkBuilt(const Placement &p, Location place) {
  auto refuse = [&](const Twine &what) { return refuseUnbuilt(what, place); };
  if (p.row_wise().has_rows() && p.row_wise().rows() != RowWise::BLOCKS)
    return refuse("`rows: " + RowWise::Rows_Name(p.row_wise().rows()) + "`");
  if (p.tier() != Placement::DEVICE)
    return refuse("`tier: " + Placement::Tier_Name(p.tier()) + "`");
  if (p.hot_rows_size() && p.hot_rows(0))
    return refuse("`hot_rows`");
  return success();
}

LogicalResult sparsec::attachPlan(ModuleOp module, const description::LoadedPlan &loaded,
                                  const description::Loaded &model) {
  Builder b(module.getContext());
  SymbolTable symbols(module);
  bool sound = true;
  order(module, "place", LocationAttr(locationOf(module.getContext(), *loaded.places)));
  if (std::string name = rec::readCluster(module).name; loaded.plan.has_cluster() && loaded.plan.cluster() != name)
    emitWarning(locationOf(module.getContext(), loaded.places->value("cluster")))
        << "this plan was made for cluster `" << loaded.plan.cluster() << "`, but the cluster is `" << name << "`";
  const Mesh &mesh = loaded.plan.mesh();
  if (mesh.has_groups()) {
    order(module, "groups", b.getI64IntegerAttr(mesh.groups()));
    order(module, "groups_in_plan", b.getUnitAttr()); // no flag can say otherwise
  }
  if (mesh.has_shards())
    order(module, "shards", b.getI64IntegerAttr(mesh.shards()));
  if (mesh.inside_host() == Mesh::REPLICATE) {
    emitError(locationOf(module.getContext(), *loaded.places))
        << "`inside_host: REPLICATE` is not among what this version builds";
    sound = false;
  }
  llvm::StringMap<NamedAttrList> orders;
  for (int i = 0; i < loaded.plan.table_size(); ++i) {
    const Placement &placement = loaded.plan.table(i);
    Location place = locationOf(module.getContext(), loaded.places->child("table", i));
    NamedAttrList &list = orders[model.model.table(loaded.tables[i]).name(0)];
    list.set("place", LocationAttr(place));
    if (failed(checkBuilt(placement, place)) || failed(orderStrategy(b, placement, place, list))) {
      sound = false;
      continue;
    }
    if (placement.has_exchange())
      list.set("exchange", rec::ExchangeAttr::get(b.getContext(), placement.exchange() == Placement::UNIQUE_ROWS
                                                                      ? rec::Exchange::Unique
                                                                      : rec::Exchange::Pooled));
  }
  for (int i = 0; i < loaded.plan.together_size(); ++i)
    for (const std::string &name : loaded.plan.together(i).table()) {
      NamedAttrList &list = orders[name];
      list.set("together", b.getI64IntegerAttr(i));
      if (!list.get("strategy"))
        list.set("strategy", b.getStringAttr(plan::tableWise().name()));
      if (!list.get("place"))
        list.set("place", LocationAttr(locationOf(module.getContext(), loaded.places->child("together", i))));
    }
  for (auto table : module.getOps<rec::TableOp>())
    if (auto found = orders.find(table.getName()); found != orders.end())
      table->setAttr(plan::orderAttr, found->second.getDictionary(module.getContext()));
  return success(sound);
}

LogicalResult sparsec::attachGroups(ModuleOp module, int64_t groups) {
  auto orders = module->getAttrOfType<DictionaryAttr>(plan::orderAttr);
  if (auto said = orders ? orders.getAs<IntegerAttr>("groups") : IntegerAttr(); said && said.getInt() != groups)
    return emitError(orders.getAs<LocationAttr>("place"))
           << "the plan orders " << said.getInt() << " groups, but --groups=" << groups << " is given";
  order(module, "groups", Builder(module.getContext()).getI64IntegerAttr(groups));
  return success();
}
