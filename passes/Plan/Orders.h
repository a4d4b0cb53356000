// Cluster and plan files as attributes of the module, for rec-plan-sharding to read: stages hand over through the IR.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/Import/Description/Model.h"

namespace sparsec {

/// Sets `rec.machines`: what planning gives advice from.
void attachMachines(mlir::ModuleOp module, const description::LoadedCluster &cluster);

/// Sets `rec.cluster`, and `rec.machines`. `ranks` of 0: as many as the cluster has. Fails, with a diagnostic at the
/// file's place, where the ranks do not fill hosts.
mlir::LogicalResult attachCluster(mlir::ModuleOp module, const description::LoadedCluster &cluster, int64_t ranks);

/// Sets `rec.order` on the module and its tables.
mlir::LogicalResult attachPlan(mlir::ModuleOp module, const description::LoadedPlan &plan,
                               const description::Loaded &model);

/// Orders a group count; a plan that says otherwise is refused.
mlir::LogicalResult attachGroups(mlir::ModuleOp module, int64_t groups);

/// The plan of a planned module, as a plan file that orders all of it.
std::string emitPlan(mlir::ModuleOp module);

} // namespace sparsec
