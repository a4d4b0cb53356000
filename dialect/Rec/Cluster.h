// The machines a module is compiled for, as its attribute `rec.cluster` says.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace sparsec::rec {

/// Module attribute: a dictionary of the figures below.
inline constexpr llvm::StringLiteral clusterAttr = "rec.cluster";

/// Machines. Rates in bytes/s and flop/s of one device, times in seconds.
struct Cluster {
  std::string name;
  int64_t ranks = 1, devicesPerHost = 1;
  double memory = 0; // bytes of one device that are ours
  double gatherRate = 0, copyRate = 0, flopRate = 0;
  double insideRate = 0, insideLatency = 0;   // between devices of a host
  double betweenRate = 0, betweenLatency = 0; // between hosts
};

/// What the attribute leaves out has a figure of `generic-80gb`.
Cluster readCluster(mlir::ModuleOp module);

} // namespace sparsec::rec
