// The stages after `syntax`. Each runs only where the ones before found nothing, and adds what it infers to `loaded`.
#pragma once
#include "passes/Import/Description/Model.h"
#include <string>
#include <unordered_map>

namespace sparsec::description {

using Index = std::unordered_map<std::string, int>;

struct Context {
  Loaded &loaded;
  const Model &written; // the description before expansion, for hints at what to write
  Diagnostics &diagnostics;
  Index features, tables, labels, tasks;

  const Model &model() const { return loaded.model; }
  const Node &block(std::string_view kind, int index) const { return loaded.places->child(kind, index); }
};

/// names: every name is well formed and declared once, every reference finds something. Fills the indices, tensors,
/// groups and what refers to what.
void checkNames(Context &context);
/// data: columns, labels and the rules of features. Fills FeatureInfo.
void checkData(Context &context);
/// tables: readers, rows, pooling, initial values. Fills LookupInfo and the rows of tables without any.
void checkTables(Context &context);
/// layers: order, shapes, initial values. Fills LayerInfo and layerOrder.
void checkLayers(Context &context);
/// training: tasks, optimizers, schedule.
void checkTraining(Context &context);

/// last: every table, lookup and layer is read. A misspelt input elsewhere would otherwise be reported twice.
void checkUnread(Context &context);

/// Writes every default into a sound model.
void setDefaults(Loaded &loaded);
/// The defaults that stand in the schema alone, in a message and those inside it.
void setSchemaDefaults(google::protobuf::Message &message);

/// Checks that `values`, where given, has one number for each element of the parameter, and no rule beside it.
void checkInit(const Init &init, const Node &places, const std::string &parameter, int64_t elements,
               Diagnostics &diagnostics);

} // namespace sparsec::description
