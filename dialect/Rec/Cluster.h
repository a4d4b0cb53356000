// The machines a module is compiled for, as its attribute `rec.cluster` says, and those it could be compiled for.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace sparsec::rec {

/// Module attribute: a dictionary of the figures below.
inline constexpr llvm::StringLiteral clusterAttr = "rec.cluster";
/// Module attribute: the same of all machines there are, for advice on how many ranks to take. `ranks`: the most there
/// can be; `devices_per_host`: of a whole host. What planning needs alone; gone after it.
inline constexpr llvm::StringLiteral machinesAttr = "rec.machines";
/// The most ranks that a program is compiled for.
inline constexpr int64_t mostRanks = int64_t(1) << 20;

/// Machines. Rates in bytes/s and flop/s of one device, times in seconds.
struct Cluster {
  std::string name;
  int64_t ranks = 1, devicesPerHost = 1;
  double memory = 0; // bytes of one device that are ours
  double gatherRate = 0, copyRate = 0, flopRate = 0;
  double insideRate = 0, insideLatency = 0;   // between devices of a host
  double betweenRate = 0, betweenLatency = 0; // between hosts
  double launchLatency = 0;                   // starting a kernel

  /// Of all machines there are: whether so many ranks fill hosts, or part of one.
  bool fillsHosts(int64_t count) const { return count <= devicesPerHost || count % devicesPerHost == 0; }
  /// Of all machines there are: those that so many ranks take.
  Cluster taken(int64_t count) const;
};

/// What the attribute leaves out has a figure of `generic-80gb`.
Cluster readCluster(mlir::ModuleOp module);
/// Without the attribute: as many machines as one could want like those of `rec.cluster`, whose hosts, where it says
/// nothing of them, are as large as one could want.
Cluster readMachines(mlir::ModuleOp module);

} // namespace sparsec::rec
