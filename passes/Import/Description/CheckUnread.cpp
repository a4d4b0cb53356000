#include "passes/Import/Description/Stages.h"
#include <fmt/format.h>

namespace sparsec::description {

void checkUnread(Context &context) {
  const Loaded &loaded = context.loaded;
  const Model &model = loaded.model;
  std::vector<bool> tables(model.table_size()), lookups(model.lookup_size()), layers(model.layer_size());
  auto read = [&](TensorRef tensor) {
    if (tensor.index >= 0 && tensor.kind != TensorRef::Feature)
      (tensor.kind == TensorRef::Lookup ? lookups : layers)[tensor.index] = true;
  };
  for (const LookupInfo &lookup : loaded.lookups)
    tables[lookup.table] = true;
  for (const LayerInfo &layer : loaded.layers)
    for (TensorRef input : layer.inputs)
      read(input);
  for (int i = 0; i < model.task_size(); ++i) {
    read(loaded.tasks[i].input);
    for (const std::string &tower : {model.task(i).twin_focus().easy(), model.task(i).twin_focus().hard()})
      if (!tower.empty())
        read(loaded.tensors.at(tower));
  }
  auto report = [&](const std::vector<bool> &isRead, const auto &blocks, std::string_view kind,
                    std::string_view readers) {
    for (int i = 0; i < blocks.size(); ++i)
      if (!isRead[i])
        context.diagnostics.perPattern(context.block(kind, i).value("name"), "unread",
                                       fmt::format("{} `{}` is read by {}", kind, blocks[i].name(0), readers));
  };
  report(tables, model.table(), "table", "no lookup");
  report(lookups, model.lookup(), "lookup", "no layer and no task");
  report(layers, model.layer(), "layer", "no layer and no task");
}

} // namespace sparsec::description
