#include "Fields.h"

namespace sparsec::data {

Result<std::unique_ptr<Field>> makeFeatureField(const Program &p, int64_t feature) {
  return p.features[feature].isNumber() ? makeNumberField(p, feature) : makeBagField(p, feature);
}

} // namespace sparsec::data
