// From blocks with n names, patterns and groups to blocks with one name each. Errors are of the stage `names`.
#pragma once
#include "passes/Import/Description/Diagnostics.h"
#include "passes/Import/Description/Pattern.h"
#include <google/protobuf/message.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparsec::description {

/// Expands every list of names in a file, then splits its blocks.
class Expander {
public:
  using Groups = std::map<std::string, std::vector<std::string>>;

  /// `groups`: the names that `{group}` stands for. What reads an empty group is left out without another error.
  Expander(const Groups &groups, Diagnostics &diagnostics);

  /// `to` gets the fields of `from` with all names written out and all blocks split. Each error leaves its block out.
  void file(const google::protobuf::Message &from, const Node &fromPlaces, google::protobuf::Message &to,
            Node &toPlaces);

  /// Writes out the names of one message, those of nested messages included. False after an error.
  bool names(google::protobuf::Message &message, Node &places);

private:
  bool block(const google::protobuf::Message &from, const Node &fromPlaces,
             const google::protobuf::FieldDescriptor &field, google::protobuf::Message &to, Node &toPlaces,
             const Node::Element &element);
  bool checkCounts(const google::protobuf::Message &message, const Node &places, int names,
                   const google::protobuf::Message &written);
  bool charge(size_t names, size_t bytes, const Place &place);

  const Groups &groups;
  std::vector<std::string_view> groupNames;
  Diagnostics &diagnostics;
  size_t madeNames = 0, madeBytes = 0;
  bool full = false; // a limit was passed, and said so
};

/// The features of each group, in order of declaration. Feature names may use ranges but no groups.
Expander::Groups featureGroups(const google::protobuf::Message &model, const Node &places, Diagnostics &diagnostics);

} // namespace sparsec::description
