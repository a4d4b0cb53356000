#include "sparsec/Communicator.h"
#include "sparsec/abi.h"
#include <fmt/format.h>

using namespace sparsec;

Result<AxisCommunicators> AxisCommunicators::create(Communicator &world, const Mesh &mesh) {
  if (world.size() != mesh.ranks())
    return Status::error(
        fmt::format("the program was compiled for {} ranks ({} groups x {} nodes x {} shards), but got "
                    "{}; start it with `mpirun -np {}`, or compile it again for {}",
                    mesh.ranks(), mesh.groups, mesh.nodes, mesh.shards, world.size(), mesh.ranks(), world.size()));
  int32_t present = (mesh.groups > 1 ? SPARSEC_AXIS_REPLICATE : 0) | (mesh.nodes > 1 ? SPARSEC_AXIS_NODE : 0) |
                    (mesh.shards > 1 ? SPARSEC_AXIS_SHARD : 0);
  int64_t shard = world.rank() % mesh.shards, node = world.rank() / mesh.shards % mesh.nodes,
          group = world.rank() / mesh.groupSize();

  AxisCommunicators result;
  Communicator *made[8] = {}; // by mask without axes of size 1
  for (int32_t mask = 0; mask < 8; ++mask) {
    int32_t axes = mask & present;
    if (!made[axes] && axes == 0) {
      result.owned.push_back(makeLoopback(world.programRank()));
      made[axes] = result.owned.back().get();
    } else if (!made[axes] && axes == present) {
      made[axes] = &world;
    } else if (!made[axes]) {
      // The coordinates that the members share number the group.
      int64_t color = 0;
      color = color * mesh.groups + (axes & SPARSEC_AXIS_REPLICATE ? 0 : group);
      color = color * mesh.nodes + (axes & SPARSEC_AXIS_NODE ? 0 : node);
      color = color * mesh.shards + (axes & SPARSEC_AXIS_SHARD ? 0 : shard);
      Result<std::unique_ptr<Communicator>> group = world.split(static_cast<int>(color), world.rank());
      if (!group)
        return group.status();
      result.owned.push_back(std::move(*group));
      made[axes] = result.owned.back().get();
    }
    result.byMask[mask] = made[axes];
  }
  return result;
}
