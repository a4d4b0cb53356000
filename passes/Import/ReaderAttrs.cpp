// What the reader must know of columns, as dictionaries: field for field the structs of the runtime's Program.h.
#include "passes/Import/Importer.h"

using namespace sparsec;
using mlir::Attribute, mlir::Builder, mlir::DictionaryAttr;

namespace {

/// Collects fields, leaving out those at their default.
class Fields {
public:
  explicit Fields(Builder &builder) : b(builder) {}

  void text(llvm::StringRef name, const std::string &value, llvm::StringRef normal = "") {
    if (value != normal)
      list.set(name, b.getStringAttr(value));
  }
  void integer(llvm::StringRef name, int64_t value, int64_t normal = 0) {
    if (value != normal)
      list.set(name, b.getI64IntegerAttr(value));
  }
  void flag(llvm::StringRef name, bool value) {
    if (value)
      list.set(name, b.getBoolAttr(value));
  }
  void number(llvm::StringRef name, double value) { list.set(name, b.getF64FloatAttr(value)); }
  template <typename Range> void texts(llvm::StringRef name, const Range &values) {
    llvm::SmallVector<Attribute> elements;
    for (const std::string &value : values)
      elements.push_back(b.getStringAttr(value));
    attributes(name, elements);
  }
  void attributes(llvm::StringRef name, llvm::ArrayRef<Attribute> elements) {
    if (!elements.empty())
      list.set(name, b.getArrayAttr(elements));
  }
  void set(llvm::StringRef name, Attribute value) { list.set(name, value); }
  DictionaryAttr get() { return list.getDictionary(b.getContext()); }

private:
  Builder &b;
  mlir::NamedAttrList list;
};

DictionaryAttr stepReader(Builder &builder, const Step &step) {
  Fields fields(builder);
  auto one = [&](const char *kind, double value) {
    fields.text("kind", kind);
    fields.number("value", value);
  };
  switch (step.step_case()) {
  case Step::kMin:
    one("min", step.min());
    break;
  case Step::kMax:
    one("max", step.max());
    break;
  case Step::kLogPlus:
    one("log_plus", step.log_plus());
    break;
  case Step::kScale:
    one("scale", step.scale());
    break;
  case Step::kStandardise:
    fields.text("kind", "standardise");
    fields.number("mean", step.standardise().mean(0));
    fields.number("stddev", step.standardise().stddev(0));
    break;
  case Step::STEP_NOT_SET:
    break;
  }
  return fields.get();
}

void numberFields(Builder &builder, Fields &fields, const Number &number) {
  fields.text("kind", "number");
  if (number.has_fill())
    fields.number("fill", number.fill());
  llvm::SmallVector<Attribute> steps;
  for (const Step &step : number.step())
    steps.push_back(stepReader(builder, step));
  fields.attributes("steps", steps);
  fields.integer("width", number.width(), 1);
}

void idFields(Builder &builder, Fields &fields, const Feature &feature, const description::FeatureInfo &info) {
  fields.integer("ids", info.ids);
  switch (feature.transform_case()) {
  case Feature::kModulo:
    fields.text("kind", "modulo");
    break;
  case Feature::kHash:
    fields.text("kind", "hash");
    if (uint64_t seed = feature.hash().seed())
      fields.set("hashSeed", builder.getIntegerAttr(builder.getIntegerType(64, /*isSigned=*/false), int64_t(seed)));
    break;
  case Feature::kVocabulary:
    fields.text("kind", "vocabulary");
    fields.texts("words", info.words);
    fields.integer("oovIds", feature.vocabulary().oov_ids());
    break;
  case Feature::kBucketize: {
    fields.text("kind", "bucketize");
    llvm::SmallVector<Attribute> bounds;
    for (double bound : feature.bucketize().bound())
      bounds.push_back(builder.getF64FloatAttr(bound));
    fields.attributes("bounds", bounds);
    break;
  }
  default:
    fields.text("kind", "identity");
  }
  fields.text("weightSeparator", feature.weight_separator());
  fields.integer("maxLength", info.maxLength);
  fields.text("keep", Feature::Keep_Name(feature.keep()), "FIRST");
  fields.text("sameLengthAs", feature.same_length_as());
  fields.text("missing", Feature::Missing_Name(feature.missing()), "REFUSE");
  fields.text("outOfRange", Feature::OutOfRange_Name(feature.out_of_range()), "ERROR");
}

} // namespace

DictionaryAttr import::featureReader(Builder &builder, const Feature &feature, const description::FeatureInfo &info) {
  Fields fields(builder);
  fields.text("name", feature.name(0));
  fields.text("column", feature.column(0));
  fields.text("separator", feature.separator());
  if (info.number)
    numberFields(builder, fields, feature.number());
  else
    idFields(builder, fields, feature, info);
  return fields.get();
}

DictionaryAttr import::labelReader(Builder &builder, const Label &label) {
  Fields fields(builder);
  fields.text("name", label.name(0));
  fields.text("column", label.column(0));
  fields.texts("positive", label.positive());
  fields.texts("negative", label.negative());
  return fields.get();
}

DictionaryAttr import::dataReader(Builder &builder, const Data &data) {
  Fields fields(builder);
  fields.text("delimiter", data.delimiter(), ",");
  fields.flag("header", data.header());
  fields.texts("column", data.column());
  fields.texts("missing", data.missing());
  fields.flag("trim", data.trim());
  fields.text("quote", data.quote());
  fields.text("comment", data.comment());
  return fields.get();
}
