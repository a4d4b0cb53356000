#include "codegen/Emit/ReaderFields.h"
#include "runtime/program/Fields.h"

using namespace mlir;
using namespace sparsec;
using namespace sparsec::codegen;

namespace {

/// Visits a struct's fields (runtime/program/Fields.h) and takes each from the dictionary.
class DictionaryReader {
public:
  DictionaryReader(DictionaryAttr from, EmitError emitError) : from(from), emitError(emitError) {}

  template <typename T> LogicalResult read(T &to) {
    program::fields(*this, to);
    if (ok && taken != from.size())
      for (NamedAttribute entry : from)
        if (!llvm::is_contained(known, entry.getName().getValue()))
          return emitError() << "unknown field `" << entry.getName().getValue() << "` for the reader";
    return success(ok);
  }

  template <typename T> void operator()(const char *name, T &to, std::initializer_list<const char *> = {}) {
    known.push_back(name);
    Attribute value = from.get(name);
    if (!value || !ok)
      return;
    ++taken;
    if (!take(value, to)) {
      emitError() << "field `" << name << "` cannot be " << value;
      ok = false;
    }
  }

private:
  static bool take(Attribute value, std::string &to) {
    auto text = dyn_cast<StringAttr>(value);
    return text && (to = text.getValue().str(), true);
  }
  static bool take(Attribute value, bool &to) {
    if (isa<UnitAttr>(value))
      return to = true;
    auto flag = dyn_cast<BoolAttr>(value);
    return flag && (to = flag.getValue(), true);
  }
  static bool take(Attribute value, int64_t &to) {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && (to = number.getValue().getSExtValue(), true);
  }
  static bool take(Attribute value, uint64_t &to) {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && (to = number.getValue().getZExtValue(), true);
  }
  static bool take(Attribute value, double &to) {
    auto number = dyn_cast<FloatAttr>(value);
    return number && (to = number.getValueAsDouble(), true);
  }
  template <typename T> static bool take(Attribute value, std::optional<T> &to) { return take(value, to.emplace()); }
  template <typename T> bool take(Attribute value, std::vector<T> &to) {
    auto list = dyn_cast<ArrayAttr>(value);
    return list && llvm::all_of(list, [&](Attribute element) { return take(element, to.emplace_back()); });
  }
  bool take(Attribute value, NumberStep &to) {
    auto dictionary = dyn_cast<DictionaryAttr>(value);
    return dictionary && succeeded(DictionaryReader(dictionary, emitError).read(to));
  }

  DictionaryAttr from;
  EmitError emitError;
  SmallVector<StringRef> known;
  size_t taken = 0;
  bool ok = true;
};

} // namespace

LogicalResult sparsec::codegen::readFields(DictionaryAttr from, FeatureColumn &to, EmitError emitError) {
  return DictionaryReader(from, emitError).read(to);
}
LogicalResult sparsec::codegen::readFields(DictionaryAttr from, LabelColumn &to, EmitError emitError) {
  return DictionaryReader(from, emitError).read(to);
}
LogicalResult sparsec::codegen::readFields(DictionaryAttr from, DataFormat &to, EmitError emitError) {
  return DictionaryReader(from, emitError).read(to);
}
