#include "passes/Import/Description/Model.h"
#include "passes/Import/Description/Pattern.h"
#include "passes/Import/Description/Schema.h"
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sparsec::description {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void escapeNames(Message &message) {
  const auto *r = message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  r->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields)
    for (int i = 0, n = field->is_repeated() ? r->FieldSize(message, field) : 1; i < n; ++i) {
      if (field->message_type())
        escapeNames(field->is_repeated() ? *r->MutableRepeatedMessage(&message, field, i)
                                         : *r->MutableMessage(&message, field));
      else if (isNames(*field))
        r->SetRepeatedString(&message, field, i, escapeBraces(r->GetRepeatedString(message, field, i)));
    }
}

} // namespace

std::string emitModel(const Loaded &loaded) {
  Model copy = loaded.model;
  escapeNames(copy);
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(copy, &text);
  return "# proto-file: model.proto\n# proto-message: sparsec.Model\n" + text;
}

std::string fingerprint(const Loaded &loaded) {
  Model copy = loaded.model;
  copy.clear_training();
  copy.clear_data();
  for (Feature &feature : *copy.mutable_feature())
    feature.clear_hint();
  for (Table &table : *copy.mutable_table()) {
    table.clear_optimizer(); // of the same kind as training, where most tables have theirs
    table.clear_update();
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    copy.SerializePartialToCodedStream(&out);
  }
  return fmt::format("{:016x}", XXH64(bytes.data(), bytes.size(), 0));
}

} // namespace sparsec::description
