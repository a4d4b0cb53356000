// A description, read, expanded and checked: what the import to MLIR builds ops from. No MLIR here.
//
//   Diagnostics diagnostics;
//   std::optional<Loaded> loaded = loadModel(paths, diagnostics);
//   if (loaded && checkSupported(*loaded, diagnostics)) ... build ops ...
//   llvm::errs() << diagnostics.str();
//
// Nothing here prints, throws or aborts on user input.
#pragma once
#include "dialect/proto/cluster.pb.h"
#include "dialect/proto/model.pb.h"
#include "dialect/proto/plan.pb.h"
#include "dialect/proto/schedules.pb.h"
#include "passes/Import/Description/Diagnostics.h"
#include "passes/Import/Description/Place.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparsec::description {

/// A tensor of the description: a number feature, a lookup or a layer, and its index in the model's list of those.
struct TensorRef {
  enum Kind { Feature, Lookup, Layer } kind = Feature;
  int index = -1;
  bool operator==(const TensorRef &) const = default;
};

/// Shape [batch, width], or, for a sequence, one row of `width` for each id of the feature `lengths`.
struct Shape {
  int64_t width = 0;
  bool sequence = false;
  int lengths = -1; // sequences: index of the feature that gives the lengths (the representative under same_length_as)
};

/// What was inferred about feature i.
struct FeatureInfo {
  bool number = false;   // a number: tensor [batch, width]; else ids
  int64_t width = 0;     // numbers only
  int64_t ids = 0;       // ids only: valid ids are 0 ... ids-1 (vocabulary: words + oov_ids, bucketize: bounds + 1)
  bool bag = false;      // several ids a sample (multi-hot); else at most one
  bool weighted = false; // ids come with weights
  int64_t maxLength = 0; // of a bag; 0: unlimited
  std::string group;     // "" for none
  std::vector<std::string> words; // of a vocabulary, from the description or its file: word i has id i
  Place place;                    // of its name; Node::place of the block is places.child("feature", i).place
};

/// Rows and dim of table i are model.table(i).rows(0) and .dim(0).
struct TableInfo {
  std::vector<int> lookups; // that read it, in order of declaration
  Place place;
};

struct LookupInfo {
  int feature = -1, table = -1; // indices into the model
  Shape shape;
  Place place;
};

struct LayerInfo {
  /// What it reads. Layers with named parts: subtract {left, right}, gate {value, gate}, target_attention {query,
  /// keys}, mixture {gate, expert...}.
  std::vector<TensorRef> inputs;
  int64_t inputWidth = 0; // the sum of the inputs' widths: `in` for layers that work on one tensor
  Shape shape;            // of its output
  Place place;
};

struct TaskInfo {
  TensorRef input;
  int label = -1; // index into the model
  Place place;
};

/// A checked model. `model` is expanded: every block has one name, every (per name) list one value, every list of names
/// is written out and every default is set, those that depend on others included (column, rows, init, table optimizer).
/// An mlp stays an mlp. `places` mirrors `model` field by field; a default has the place of its block.
struct Loaded {
  sparsec::Model model;
  std::shared_ptr<Node> places;

  std::vector<FeatureInfo> features; // by index in model.feature(), and so on
  std::vector<TableInfo> tables;
  std::vector<LookupInfo> lookups;
  std::vector<LayerInfo> layers;
  std::vector<TaskInfo> tasks;
  std::vector<int> layerOrder; // every layer after what it reads; else as declared

  std::map<std::string, std::vector<int>> groups; // features of each group, in order of declaration
  std::map<std::string, TensorRef> tensors;       // by name

  Shape shapeOf(TensorRef tensor) const;
  const std::string &nameOf(TensorRef tensor) const;
  Place placeOf(TensorRef tensor) const;
};

struct LoadedCluster {
  sparsec::Cluster cluster; // defaults set; an open last `joins` stays unset
  std::shared_ptr<Node> places;
};

struct LoadedPlan {
  sparsec::Plan plan; // every table block has one name
  std::shared_ptr<Node> places;
  std::vector<int> tables; // the model's table of each plan.table()
};

struct LoadedSchedules {
  sparsec::Schedules schedules; // each class once
  std::shared_ptr<Node> places;
};

/// Reads the files as one model. Text, or binary where the name ends in `.binpb` or `.pb`. nullopt after errors.
std::optional<Loaded> loadModel(std::span<const std::string> paths, Diagnostics &diagnostics);

/// A cluster file, or a built-in cluster by its name (see builtinClusters); a file of that name wins.
std::optional<LoadedCluster> loadCluster(const std::string &pathOrName, Diagnostics &diagnostics);

/// A plan for `model`. Rank and group counts that the plan leaves open are not checked here.
std::optional<LoadedPlan> loadPlan(const std::string &path, const Loaded &model, Diagnostics &diagnostics);

/// What a tuner wrote. Whether the compiler has these schedules is not checked here.
std::optional<LoadedSchedules> loadSchedules(const std::string &path, Diagnostics &diagnostics);

/// The text behind --print-cluster=NAME; nullopt for an unknown name.
std::optional<std::string> builtinCluster(std::string_view name);
std::vector<std::string> builtinClusters();

/// Refuses, each at its place, what the language has and this version does not compile. True if nothing was refused.
bool checkSupported(const Loaded &model, Diagnostics &diagnostics);

/// The text of --emit=model: loading it gives the identical expanded model.
std::string emitModel(const Loaded &model);

/// 16 hex digits: XXH64 of the expanded model without training, optimizers, hints and data. What must agree for
/// weights to fit.
std::string fingerprint(const Loaded &model);

} // namespace sparsec::description
