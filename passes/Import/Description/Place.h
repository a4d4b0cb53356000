// Where things stand in description files: the place of every field's name and value, kept beside the message.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparsec::description {

/// A file that was read. `order` is its rank on the command line, by which diagnostics are sorted.
struct SourceFile {
  std::string name;
  std::string text; // empty for a binary file
  int order = 0;
};

/// A place in a description. Text files have line and column, both from 1 (a tab is one column, bytes are counted);
/// binary files have line 0 and a path such as `feature[3].ids[0]`.
struct Place {
  std::shared_ptr<const SourceFile> file;
  int line = 0, column = 0;
  std::shared_ptr<const std::string> path;

  explicit operator bool() const { return file != nullptr; }
  std::string_view fileName() const { return file ? std::string_view(file->name) : std::string_view("<unknown>"); }
  /// `m.textproto:3:7` or `m.binpb: feature[3]`.
  std::string str() const;
  /// The place of byte `index` of the text whose literal starts here: escapes and adjacent literals are followed.
  Place insideText(size_t index) const;
  bool operator==(const Place &other) const;
};

/// The places of one message's fields, field by field in the order of first appearance.
class Node {
public:
  struct Element {
    Place name;                  // of the field's name
    Place value;                 // of the value: the literal, or the `{` of a block
    std::shared_ptr<Node> child; // for a block
  };
  struct Field {
    std::string name;
    std::vector<Element> elements;
  };

  Place place; // the `{` of this block; 1:1 for a whole file
  Place end;   // its `}`
  std::vector<Field> fields;

  /// The elements of a field; empty where it is not set.
  const std::vector<Element> &elements(std::string_view field) const;
  std::vector<Element> &add(std::string_view field);
  void erase(std::string_view field);
  bool has(std::string_view field) const { return !elements(field).empty(); }

  /// Place of element `index` of a field; where the field was not written (a default): the block's own place.
  Place value(std::string_view field, size_t index = 0) const;
  Place name(std::string_view field, size_t index = 0) const;
  /// The places of a nested block; an empty node at this block's place where it was not written.
  const Node &child(std::string_view field, size_t index = 0) const;

private:
  mutable std::shared_ptr<Node> missing;
};

} // namespace sparsec::description
