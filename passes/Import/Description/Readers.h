// From the bytes of a description file to a message and the places of its fields. All errors are of the stage `syntax`.
#pragma once
#include "passes/Import/Description/Diagnostics.h"
#include "passes/Import/Description/Place.h"
#include <google/protobuf/message.h>
#include <memory>
#include <string>

namespace sparsec::description {

/// Reads a whole file; null, after an error, where it cannot be read. `order`: its rank on the command line.
std::shared_ptr<const SourceFile> openFile(const std::string &path, int order, Diagnostics &diagnostics);

/// Whether a file of that name is binary: it ends in `.binpb` or `.pb`.
bool isBinaryName(std::string_view path);

/// Protobuf text format.
void readText(const std::shared_ptr<const SourceFile> &file, google::protobuf::Message &message, Node &places,
              Diagnostics &diagnostics);

/// Protobuf wire format; unknown fields and unknown enum values are errors as in text.
void readBinary(const std::shared_ptr<const SourceFile> &file, google::protobuf::Message &message, Node &places,
                Diagnostics &diagnostics);

/// Opens and reads one file in the format its name says. False after an error.
bool readFile(const std::string &path, int order, google::protobuf::Message &message, Node &places,
              Diagnostics &diagnostics);

/// Appends `from` to `to`, as if both stood in one file; a single-valued field set by both is an error.
void mergeFile(google::protobuf::Message &to, Node &toPlaces, const google::protobuf::Message &from,
               const Node &fromPlaces, Diagnostics &diagnostics);

/// The names of the enum's values, as an error lists them.
std::string valuesOf(const google::protobuf::EnumDescriptor &type);

} // namespace sparsec::description
