#include "passes/Import/Description/Fields.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Stages.h"
#include "passes/Import/Description/Words.h"
#include <filesystem>
#include <fmt/format.h>
#include <unordered_set>

namespace sparsec::description {
namespace {

class DataStage {
public:
  explicit DataStage(Context &context) : c(context), model(context.model()), diagnostics(context.diagnostics) {}

  void run() {
    if (model.has_data())
      layout();
    for (int i = 0; i < model.label_size(); ++i)
      label(i);
    for (int i = 0; i < model.feature_size(); ++i)
      feature(i);
    sameLengths();
  }

private:
  void oneByte(const Node &block, std::string_view field, bool has, const std::string &value) {
    if (!has)
      return;
    if (value.size() == 1 && std::string_view("\n\r\0", 3).find(value) != std::string_view::npos)
      diagnostics.error(block.value(field), fmt::format("`{}` cannot be a line end or a zero byte", field));
    else if (value.size() != 1)
      diagnostics.error(block.value(field), fmt::format("`{}` is one byte, but got {}", field, ticked(value)));
  }

  void layout() {
    const Data &data = model.data();
    const Node &block = c.loaded.places->child("data");
    checkFields(data, block, "`data`", diagnostics);
    oneByte(block, "delimiter", true, data.delimiter());
    oneByte(block, "quote", data.has_quote(), data.quote());
    if (data.has_quote() && data.quote() == data.delimiter())
      diagnostics.error(block.value("quote"), "`quote` and `delimiter` are the same byte");
    if (data.has_comment() && data.comment().empty())
      diagnostics.error(block.value("comment"), "`comment` is empty, so every line would be one");
    if (data.header() && data.column_size())
      diagnostics.error(block.name("column"), "`column` and `header` exclude each other")
          .note("the header names the columns; rename one with `column` in its feature");
    if (!data.header() && !data.column_size())
      diagnostics.error(block.place, "`data` needs `column` or `header`")
          .note("write `header: true`, or the names of all columns in order");
    for (int i = 0; i < data.column_size(); ++i)
      if (data.column(i) != "_")
        if (auto [entry, isNew] = columns.try_emplace(data.column(i), i); !isNew)
          diagnostics
              .perPattern(block.value("column", i), "twice",
                          fmt::format("column {} is named twice", ticked(data.column(i))))
              .note(block.value("column", entry->second), "the first is here");
  }

  template <class Block> void column(const Block &block, const Node &places, std::string_view kind) {
    if (!model.data().column_size())
      return;
    const std::string &column = block.column_size() ? block.column(0) : block.name(0);
    if (columns.contains(column))
      return;
    diagnostics
        .perPattern(places.value(block.column_size() ? "column" : "name"), "no column",
                    fmt::format("no column {} for this {}", ticked(column), kind))
        .note(c.loaded.places->child("data").name("column"), "columns are named here");
  }

  void label(int i) {
    const Label &label = model.label(i);
    const Node &block = c.block("label", i);
    checkFields(label, block, fmt::format("label `{}`", label.name(0)), diagnostics);
    column(label, block, "label");
    std::unordered_set<std::string> positive(label.positive().begin(), label.positive().end());
    for (int k = 0; k < label.negative_size(); ++k)
      if (positive.contains(label.negative(k)))
        diagnostics.error(block.value("negative", k),
                          fmt::format("text {} is both positive and negative", ticked(label.negative(k))));
    if (label.negative_size() && !label.positive_size())
      diagnostics.error(block.name("negative"), "`negative` needs `positive`").note("say which texts mean 1");
  }

  void feature(int i) {
    const Feature &feature = model.feature(i);
    const Node &block = c.block("feature", i);
    FeatureInfo &info = c.loaded.features[i];
    const std::string what = fmt::format("feature `{}`", feature.name(0));
    checkFields(feature, block, what, diagnostics);
    column(feature, block, "feature");
    separators(feature, block);
    info.bag = feature.has_separator() && !feature.has_number();
    info.weighted = feature.has_weight_separator();
    info.maxLength = feature.max_length_size() ? feature.max_length(0) : 0;
    info.width = feature.has_number() ? feature.number().width() : 0;
    if (feature.has_number())
      return number(feature, block);
    if (feature.max_length_size() && !feature.has_separator())
      diagnostics.error(block.name("max_length"), "`max_length` needs `separator`")
          .note("without one there is one id a sample");
    if (feature.has_keep() && !feature.max_length_size())
      diagnostics.error(block.name("keep"), "`keep` needs `max_length`");
    outOfRange(feature, block);
    ids(feature, block, info, what);
  }

  void separators(const Feature &feature, const Node &block) {
    auto check = [&](const char *field, bool has, const std::string &text) {
      if (!has)
        return;
      if (text.empty())
        diagnostics.error(block.value(field), fmt::format("`{}` is empty", field));
      else if (model.has_data() && text == model.data().delimiter())
        diagnostics.error(block.value(field), fmt::format("`{}` is the delimiter of the columns", field));
    };
    check("separator", feature.has_separator(), feature.separator());
    check("weight_separator", feature.has_weight_separator(), feature.weight_separator());
    if (feature.has_separator() && feature.has_weight_separator() && feature.separator() == feature.weight_separator())
      diagnostics.error(block.value("weight_separator"), "`weight_separator` and `separator` are the same text");
  }

  void number(const Feature &feature, const Node &block) {
    for (const char *field :
         {"ids", "weight_separator", "max_length", "keep", "same_length_as", "out_of_range", "hint"})
      if (block.has(field))
        diagnostics.error(block.name(field), fmt::format("`{}` does not go with `number`", field))
            .note("it is for features that make ids");
    if (feature.has_missing())
      diagnostics.error(block.name("missing"), "`missing` does not go with `number`")
          .note("write `number { fill: 0 }`");
    int64_t width = feature.number().width();
    if (width > 1 && inRange(feature.number(), "width") && !feature.has_separator())
      diagnostics.error(block.child("number").value("width"),
                        fmt::format("{} numbers in one field need `separator`", width));
    if (width == 1 && feature.has_separator())
      diagnostics.error(block.name("separator"), "`separator` does not go with one number")
          .note("write `number { width: ... }` for several in one field");
    const Node &number = block.child("number");
    for (int k = 0; k < feature.number().step_size(); ++k)
      if (feature.number().step(k).step_case() == Step::STEP_NOT_SET)
        diagnostics.error(number.value("step", k), "`step` is empty")
            .note("expected min, max, log_plus, scale or standardise");
  }

  void outOfRange(const Feature &feature, const Node &block) {
    if (!feature.has_out_of_range())
      return;
    const Place place = block.value("out_of_range");
    const char *never = feature.has_modulo()      ? "modulo"
                        : feature.has_hash()      ? "hash"
                        : feature.has_bucketize() ? "bucketize"
                                                  : nullptr;
    if (never)
      diagnostics.error(block.name("out_of_range"), fmt::format("`{}` never makes an id out of range", never))
          .note("drop `out_of_range`");
    else if (feature.has_vocabulary() && feature.vocabulary().oov_ids() > 0)
      diagnostics.error(block.name("out_of_range"), "with `oov_ids` no word is out of range")
          .note("drop one of the two");
    else if (feature.out_of_range() == Feature::CLAMP && !feature.has_identity())
      diagnostics.error(place, "CLAMP is for `identity` only").note("a word has no nearest id");
  }

  void ids(const Feature &feature, const Node &block, FeatureInfo &info, const std::string &what) {
    if (feature.has_vocabulary())
      vocabulary(feature.vocabulary(), block.child("vocabulary"), info);
    if (feature.has_bucketize())
      bounds(feature.bucketize(), block.child("bucketize"), info);
    const char *rule = feature.has_identity() ? "identity" : feature.has_modulo() ? "modulo" : "hash";
    if (feature.has_vocabulary() || feature.has_bucketize()) {
      if (feature.ids_size())
        diagnostics
            .error(block.name("ids"),
                   fmt::format("`ids` does not go with `{}`", feature.has_vocabulary() ? "vocabulary" : "bucketize"))
            .note("it knows how many ids there are");
    } else if (feature.ids_size())
      info.ids = feature.ids(0);
    else if (feature.transform_case() != Feature::TRANSFORM_NOT_SET)
      diagnostics.error(block.place, fmt::format("{} needs `ids`", what), "needs ids")
          .note(fmt::format("`{}` does not say how many ids there are", rule));
  }

  void vocabulary(const Vocabulary &vocabulary, const Node &block, FeatureInfo &info) {
    bool inFile = vocabulary.has_file();
    if (inFile == (vocabulary.word_size() > 0)) {
      diagnostics.error(block.place,
                        inFile ? "`word` and `file` exclude each other" : "`vocabulary` needs `word` or `file`");
      return;
    }
    std::unordered_map<std::string, size_t> seen;
    if (!inFile)
      for (int k = 0; k < vocabulary.word_size(); ++k) {
        if (auto [entry, isNew] = seen.try_emplace(vocabulary.word(k), k); !isNew)
          diagnostics.error(block.value("word", k), fmt::format("word {} is listed twice", ticked(vocabulary.word(k))));
        info.words.push_back(vocabulary.word(k));
      }
    else
      wordFile(vocabulary.file(), block.value("file"), info);
    if (inRange(vocabulary, "oov_ids"))
      info.ids = static_cast<int64_t>(info.words.size()) + vocabulary.oov_ids();
  }

  void wordFile(const std::string &name, const Place &place, FeatureInfo &info) {
    auto path = std::filesystem::path(std::string(place.fileName())).parent_path() / name;
    Diagnostics opening;
    auto file = openFile(path.string(), 0, opening);
    if (!file) {
      diagnostics.error(place, fmt::format("cannot read {}: {}", ticked(path.string()), opening.sorted().front()->text))
          .note("the path is relative to the description");
      return;
    }
    std::unordered_map<std::string_view, int> seen;
    std::string_view rest = file->text;
    for (int line = 1; !rest.empty(); ++line) {
      size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.ends_with('\r'))
        word.remove_suffix(1);
      if (auto [entry, isNew] = seen.try_emplace(word, line); !isNew)
        diagnostics.error(place, fmt::format("word {} is listed twice", ticked(word)), "word twice")
            .note({file, line, 1, nullptr}, fmt::format("here, and in line {}", entry->second));
      info.words.emplace_back(word);
    }
    if (info.words.empty())
      diagnostics.error(place, fmt::format("{} has no words", ticked(path.string())));
  }

  void bounds(const Bucketize &bucketize, const Node &block, FeatureInfo &info) {
    if (!bucketize.bound_size())
      diagnostics.error(block.place, "`bucketize` needs `bound`");
    for (int k = 1; k < bucketize.bound_size(); ++k)
      if (!(bucketize.bound(k - 1) < bucketize.bound(k)))
        diagnostics.error(block.value("bound", k),
                          fmt::format("`bound` must ascend, but {} follows {}", decimal(bucketize.bound(k)),
                                      decimal(bucketize.bound(k - 1))));
    info.ids = bucketize.bound_size() + 1;
  }

  void sameLengths() {
    for (int i = 0; i < model.feature_size(); ++i) {
      const Feature &feature = model.feature(i);
      if (!feature.has_same_length_as() || feature.has_number())
        continue;
      const Place place = c.block("feature", i).value("same_length_as");
      const FeatureInfo &other = c.loaded.features[c.features.at(feature.same_length_as())];
      if (!c.loaded.features[i].bag)
        diagnostics.error(c.block("feature", i).name("same_length_as"), "`same_length_as` needs `separator`");
      else if (!other.bag)
        diagnostics.error(place, fmt::format("feature `{}` has no bags", feature.same_length_as()));
    }
  }

  Context &c;
  const Model &model;
  Diagnostics &diagnostics;
  std::unordered_map<std::string, int> columns;
};

} // namespace

void checkData(Context &context) { DataStage(context).run(); }

} // namespace sparsec::description
