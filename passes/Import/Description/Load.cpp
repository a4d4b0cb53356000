#include "passes/Import/Description/Expand.h"
#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Stages.h"

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

std::optional<Loaded> loadModel(std::span<const std::string> paths, Diagnostics &diagnostics) {
  Model written;
  Node writtenPlaces;
  size_t before = diagnostics.errorCount();
  auto sound = [&] { return diagnostics.errorCount() == before; };

  for (size_t i = 0; i < paths.size(); ++i) {
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
