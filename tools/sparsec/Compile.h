// From a sound description to IR, a plan or an executable.
#pragma once
#include "passes/Import/Description/Model.h"
#include "tools/sparsec/Options.h"
#include "llvm/ADT/ArrayRef.h"

namespace sparsec::codegen {
class Target;
}

namespace sparsec::driver {

/// The files besides the model.
struct Inputs {
  std::optional<description::LoadedCluster> cluster;  // to plan for
  std::optional<description::LoadedCluster> machines; // without one: what more ranks would be planned for
  std::optional<description::LoadedPlan> plan;
};

/// Reads the cluster (a preset where none is named but ranks are asked for) and the plan. False after complaints.
bool loadInputs(const Options &options, const description::Loaded &model, Inputs &inputs,
                description::Diagnostics &diagnostics);

/// What --emit knows beyond the stages.
llvm::ArrayRef<llvm::StringRef> generatedKinds();

/// Runs the stages that the options ask for and writes the result. Returns the exit code.
int compile(const Options &options, const description::Loaded &model, const Inputs &inputs,
            const codegen::Target &target);

} // namespace sparsec::driver
