#include "reference/LoadText.h"
#include "support/Process.h"
#include <stdexcept>

namespace sparsec::reference {

description::Loaded loadText(const std::string &text) {
  execution::TemporaryFolder folder;
  std::vector<std::string> paths = {folder / "model.textproto"};
  execution::writeFile(paths[0], text);
  description::Diagnostics diagnostics;
  auto loaded = description::loadModel(paths, diagnostics);
  if (!loaded || !description::checkSupported(*loaded, diagnostics))
    throw std::runtime_error(diagnostics.str());
  return std::move(*loaded);
}

} // namespace sparsec::reference
