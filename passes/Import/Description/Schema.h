// Questions to the schemas' own annotations (dialect/proto/options.proto).
#pragma once
#include <google/protobuf/descriptor.h>

namespace sparsec::description {

bool isRequired(const google::protobuf::FieldDescriptor &field);
bool isNames(const google::protobuf::FieldDescriptor &field);
/// Per-name fields and the names themselves: lists that are dealt out when a block is split.
bool isDealt(const google::protobuf::FieldDescriptor &field);
bool isRequired(const google::protobuf::OneofDescriptor &oneof);
/// Of the strategies of plan.proto.
bool splitsRows(const google::protobuf::FieldDescriptor &field);
/// Whether a message type, or one inside it, has a field for which isDealt or isNames holds.
bool hasDealt(const google::protobuf::Descriptor &type);
bool hasNames(const google::protobuf::Descriptor &type);

} // namespace sparsec::description
