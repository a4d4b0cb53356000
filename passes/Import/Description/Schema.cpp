#include "passes/Import/Description/Schema.h"
#include "dialect/proto/options.pb.h"

namespace sparsec::description {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {
template <class Predicate> bool any(const Descriptor &type, Predicate predicate) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor &field = *type.field(i);
    if (predicate(field) || (field.message_type() && any(*field.message_type(), predicate)))
      return true;
  }
  return false;
}
} // namespace

bool isRequired(const FieldDescriptor &field) { return field.options().GetExtension(required); }
bool isNames(const FieldDescriptor &field) { return field.options().GetExtension(names); }
bool isDealt(const FieldDescriptor &field) {
  return field.options().GetExtension(per_name) || (field.name() == "name" && field.is_repeated());
}
bool isRequired(const google::protobuf::OneofDescriptor &oneof) { return oneof.options().GetExtension(one_required); }
bool splitsRows(const FieldDescriptor &field) { return field.options().GetExtension(splits_rows); }
bool hasDealt(const Descriptor &type) { return any(type, isDealt); }
bool hasNames(const Descriptor &type) { return any(type, isNames); }

} // namespace sparsec::description
