#include "passes/Import/Description/Expand.h"
#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <filesystem>
#include <fmt/format.h>

namespace sparsec::description {

Shape Loaded::shapeOf(TensorRef tensor) const {
  switch (tensor.kind) {
  case TensorRef::Feature:
    return {features[tensor.index].width, false, -1};
  case TensorRef::Lookup:
    return lookups[tensor.index].shape;
  case TensorRef::Layer:
    break;
  }
  return layers[tensor.index].shape;
}

const std::string &Loaded::nameOf(TensorRef tensor) const {
  switch (tensor.kind) {
  case TensorRef::Feature:
    return model.feature(tensor.index).name(0);
  case TensorRef::Lookup:
    return model.lookup(tensor.index).name(0);
  case TensorRef::Layer:
    break;
  }
  return model.layer(tensor.index).name(0);
}

Place Loaded::placeOf(TensorRef tensor) const {
  constexpr const char *kinds[] = {"feature", "lookup", "layer"};
  return places->child(kinds[tensor.kind], tensor.index).value("name");
}

// Else every single-valued field in it would be an error of its own.
static bool givenBefore(std::span<const std::string> paths, size_t index, Diagnostics &diagnostics) {
  for (size_t i = 0; i < index; ++i) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(paths[i], ignored) ||
        !std::filesystem::equivalent(paths[i], paths[index], ignored))
      continue;
    auto file = std::make_shared<SourceFile>(SourceFile{paths[index], "", static_cast<int>(index)});
    Diagnostic &d = diagnostics.error({file, 0, 0, nullptr}, "this file is given twice");
    if (paths[i] != paths[index])
      d.note(fmt::format("{} is the same file", ticked(paths[i])));
    return true;
  }
  return false;
}

std::optional<Loaded> loadModel(std::span<const std::string> paths, Diagnostics &diagnostics) {
  Model written;
  Node writtenPlaces;
  size_t before = diagnostics.errorCount();
  auto sound = [&] { return diagnostics.errorCount() == before; };

  for (size_t i = 0; i < paths.size(); ++i) {
    if (givenBefore(paths, i, diagnostics))
      continue;
    Model file;
    Node places;
    if (readFile(paths[i], static_cast<int>(i), file, places, diagnostics))
      mergeFile(written, writtenPlaces, file, places, diagnostics);
  }
  if (sound())
    checkFile(written, writtenPlaces, "description", diagnostics);
  if (!sound())
    return std::nullopt;

  Loaded loaded;
  loaded.places = std::make_shared<Node>();
  auto groups = featureGroups(written, writtenPlaces, diagnostics);
  Expander(groups, diagnostics).file(written, writtenPlaces, loaded.model, *loaded.places);
  if (!sound())
    return std::nullopt;

  Context context{loaded, written, diagnostics, {}, {}, {}, {}};
  for (auto stage : {checkNames, checkData, checkTables, checkLayers, checkTraining, checkUnread}) {
    stage(context);
    if (!sound())
      return std::nullopt;
  }
  setDefaults(loaded);
  for (int i = 0; i < loaded.model.feature_size(); ++i) {
    loaded.features[i].ids = loaded.features[i].number ? 0 : loaded.features[i].ids;
    loaded.features[i].group = loaded.model.feature(i).group();
  }
  return loaded;
}

} // namespace sparsec::description
