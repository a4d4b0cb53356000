#include "dialect/proto/Clusters.h"
#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace sparsec::description {
namespace {

class ClusterCheck {
public:
  ClusterCheck(const Cluster &cluster, const Node &places, Diagnostics &diagnostics)
      : cluster(cluster), places(places), diagnostics(diagnostics) {}

  void run() {
    size_t before = diagnostics.errorCount();
    checkFile(cluster, places, "cluster", diagnostics);
    if (cluster.has_device())
      checkFields(cluster.device(), places.child("device"), "`device`", diagnostics);
    if (cluster.has_host())
      checkFields(cluster.host(), places.child("host"), "`host`", diagnostics);
    for (int i = 0; i < cluster.link_size(); ++i)
      checkFields(cluster.link(i), places.child("link", i), what(cluster.link(i)), diagnostics);
    if (diagnostics.errorCount() != before)
      return;
    device();
    host();
    std::set<std::string> names;
    double ranks = 1;
    for (int i = 0; i < cluster.link_size(); ++i) {
      link(i);
      ranks *= static_cast<double>(std::max<int64_t>(cluster.link(i).joins(), 1));
      if (!names.insert(cluster.link(i).name()).second)
        diagnostics.error(places.child("link", i).value("name"),
                          fmt::format("link {} is declared twice", ticked(cluster.link(i).name())));
      if (ranks > 0x7fffffff) {
        diagnostics.error(places.child("link", i).value("joins"), "the cluster has more than 2^31 - 1 devices");
        break;
      }
    }
  }

private:
  static std::string what(const Link &link) {
    return link.has_name() ? fmt::format("link {}", ticked(link.name())) : "`link`";
  }

  // Measured points: one for each size.
  template <class Points, class Size>
  void ascending(const Points &points, const Node &block, const char *field, const char *size, Size get) {
    for (int i = 1; i < points.size(); ++i)
      if (get(points[i]) <= get(points[i - 1]))
        diagnostics.error(block.child(field, i).value(size),
                          fmt::format("`{}` of `{}` must ascend, but {} follows {}", size, field, get(points[i]),
                                      get(points[i - 1])));
  }

  void device() {
    const Device &device = cluster.device();
    const Node &block = places.child("device");
    if (device.reserved_gib() >= device.memory_gib())
      diagnostics.error(block.value("reserved_gib"),
                        fmt::format("`reserved_gib` leaves nothing of {} GiB", decimal(device.memory_gib())));
    bool cuda = device.target() == Device::CUDA;
    if (device.has_architecture() && cuda != device.architecture().starts_with("sm_"))
      diagnostics
          .error(block.value("architecture"), fmt::format("{} is no architecture of {}", ticked(device.architecture()),
                                                          Device::Target_Name(device.target())))
          .note(cuda ? "write one such as `sm_90`" : "write one such as `x86-64-v4`");
    ascending(device.gather(), block, "gather", "row_bytes", [](const Gather &gather) { return gather.row_bytes(); });
  }

  void host() {
    const Host &host = cluster.host();
    const Node &block = places.child("host");
    if (host.disk_gib() > 0 && !host.has_disk_gb_per_s())
      diagnostics.error(block.place, "`host` needs `disk_gb_per_s`")
          .note(block.name("disk_gib"), "the host has a disk");
    if (cluster.device().target() == Device::CUDA && !host.has_to_device_gb_per_s())
      diagnostics.error(block.place, "`host` needs `to_device_gb_per_s`")
          .note(places.child("device").value("target"), "only CPU devices are the host itself");
    if (host.to_device_gb_per_s() > host.copy_gb_per_s())
      diagnostics.warning(block.value("to_device_gb_per_s"),
                          fmt::format("faster than the host's memory, {} GB/s", decimal(host.copy_gb_per_s())));
  }

  void link(int i) {
    const Link &link = cluster.link(i);
    const Node &block = places.child("link", i);
    if (!link.has_joins() && i + 1 < cluster.link_size())
      diagnostics.error(block.place, what(link) + " needs `joins`").note("only the last link may leave it to --ranks");
    if (i == 0 && link.has_joins() && link.joins() != cluster.host().devices())
      diagnostics
          .error(block.value("joins"), fmt::format("the first link joins the devices of a host, but {} are not {}",
                                                   link.joins(), cluster.host().devices()))
          .note(places.child("host").value("devices"), "the devices of a host");
    if (link.gb_per_s() > cluster.device().copy_gb_per_s())
      diagnostics.warning(block.value("gb_per_s"), fmt::format("faster than the memory it feeds, {} GB/s",
                                                               decimal(cluster.device().copy_gb_per_s())));
    ascending(link.transfer(), block, "transfer", "bytes", [](const Transfer &transfer) { return transfer.bytes(); });
  }

  const Cluster &cluster;
  const Node &places;
  Diagnostics &diagnostics;
};

} // namespace

std::optional<std::string> builtinCluster(std::string_view name) {
  for (const proto::ClusterText &cluster : proto::clusterTexts())
    if (cluster.name == name)
      return std::string(cluster.text);
  return std::nullopt;
}

std::vector<std::string> builtinClusters() {
  std::vector<std::string> names;
  for (const proto::ClusterText &cluster : proto::clusterTexts())
    names.emplace_back(cluster.name);
  return names;
}

std::optional<LoadedCluster> loadCluster(const std::string &pathOrName, Diagnostics &diagnostics) {
  LoadedCluster loaded;
  loaded.places = std::make_shared<Node>();
  size_t before = diagnostics.errorCount();
  std::error_code ignored;
  if (std::filesystem::exists(pathOrName, ignored)) {
    readFile(pathOrName, 0, loaded.cluster, *loaded.places, diagnostics);
  } else {
    auto file = std::make_shared<SourceFile>();
    file->name = pathOrName;
    auto text = builtinCluster(pathOrName);
    if (!text) {
      auto names = builtinClusters();
      diagnostics.error({file, 0, 0, nullptr}, "no such file, and no built-in cluster of that name")
          .note("built in are " + oneOf({names.begin(), names.end()}));
      return std::nullopt;
    }
    file->text = *text;
    readText(file, loaded.cluster, *loaded.places, diagnostics);
  }
  if (diagnostics.errorCount() == before)
    ClusterCheck(loaded.cluster, *loaded.places, diagnostics).run();
  if (diagnostics.errorCount() != before)
    return std::nullopt;
  setSchemaDefaults(loaded.cluster);
  Device &device = *loaded.cluster.mutable_device();
  if (!device.has_bf16_tflops())
    device.set_bf16_tflops(device.fp32_tflops());
  return loaded;
}

} // namespace sparsec::description
