#include "passes/Import/Description/Lexer.h"
#include "passes/Import/Description/Readers.h"
#include "passes/Import/Description/Words.h"
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

namespace sparsec::description {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Gives every field of a parsed binary message a place of the form `feature[3].ids[0]`.
class PathWalker {
public:
  PathWalker(const std::shared_ptr<const SourceFile> &file, Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics) {}

  void walk(const Message &message, Node &places, const std::string &path) {
    places.place = places.end = place(path);
    unknown(message, path);
    std::vector<const FieldDescriptor *> set;
    const auto *reflection = message.GetReflection();
    reflection->ListFields(message, &set);
    for (const FieldDescriptor *field : set) {
      int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
      auto &elements = places.add(field->name());
      for (int i = 0; i < size; ++i) {
        std::string here = path + (path.empty() ? "" : ".") + field->name();
        Node::Element element{place(here), {}, nullptr};
        if (field->is_repeated())
          here += fmt::format("[{}]", i);
        element.value = place(here);
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
          element.child = std::make_shared<Node>();
          walk(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                    : reflection->GetMessage(message, field),
               *element.child, here);
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
          std::string scratch;
          if (!isUtf8(field->is_repeated() ? reflection->GetRepeatedStringReference(message, field, i, &scratch)
                                           : reflection->GetStringReference(message, field, &scratch)))
            diagnostics.error(element.value, "this text is not UTF-8");
        }
        elements.push_back(std::move(element));
      }
    }
  }

private:
  Place place(const std::string &path) const { return {file, 0, 0, std::make_shared<const std::string>(path)}; }

  void unknown(const Message &message, const std::string &path) {
    const auto &fields = message.GetReflection()->GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
      const auto &field = fields.field(i);
      const FieldDescriptor *known = message.GetDescriptor()->FindFieldByNumber(field.number());
      if (!known) {
        diagnostics.error(place(path), fmt::format("unknown field number {}", field.number()))
            .note("a newer version of sparsec may know it");
        continue;
      }
      Place at = place(path + (path.empty() ? "" : ".") + known->name());
      // A closed enum of proto2 hides a value that it does not know among the unknown fields.
      if (known->enum_type() && field.type() == google::protobuf::UnknownField::TYPE_VARINT)
        diagnostics
            .error(at, fmt::format("unknown value `{}` for `{}`", static_cast<int64_t>(field.varint()), known->name()))
            .note("expected " + valuesOf(*known->enum_type()));
      else
        diagnostics.error(at, fmt::format("`{}` has the wrong wire type", known->name()));
    }
  }

  const std::shared_ptr<const SourceFile> &file;
  Diagnostics &diagnostics;
};

} // namespace

void readBinary(const std::shared_ptr<const SourceFile> &file, Message &message, Node &places,
                Diagnostics &diagnostics) {
  if (!message.ParsePartialFromString(file->text)) {
    Place start{file, 0, 0, std::make_shared<const std::string>()};
    diagnostics.error(start, "this is not a binary description: its bytes are no Protobuf message")
        .note("a file in text format needs a name that ends in neither `.binpb` nor `.pb`");
    return;
  }
  PathWalker(file, diagnostics).walk(message, places, "");
}

} // namespace sparsec::description
