#include "passes/Import/Description/Expand.h"
#include "dialect/proto/model.pb.h"
#include "passes/Import/Description/Schema.h"
#include "passes/Import/Description/Words.h"
#include <fmt/format.h>

namespace sparsec::description {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

constexpr size_t mostBytes = size_t(512) << 20;

std::vector<const FieldDescriptor *> setFields(const Message &message) {
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

const Message &childOf(const Message &message, const FieldDescriptor *field, int index) {
  const auto *r = message.GetReflection();
  return field->is_repeated() ? r->GetRepeatedMessage(message, field, index) : r->GetMessage(message, field);
}

Message *mutableChild(Message &message, const FieldDescriptor *field, int index) {
  const auto *r = message.GetReflection();
  return field->is_repeated() ? r->MutableRepeatedMessage(&message, field, index) : r->MutableMessage(&message, field);
}

int sizeOf(const Message &message, const FieldDescriptor *field) {
  return field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
}

// Calls visit(field, index) for every nested message that `wanted` holds for.
template <class Wanted, class Visit> void nested(const Message &message, Wanted wanted, Visit visit) {
  for (const FieldDescriptor *field : setFields(message))
    if (field->message_type() && wanted(*field->message_type()))
      for (int i = 0, n = sizeOf(message, field); i < n; ++i)
        visit(field, i);
}

// Leaves what all names of a block have in common, and counts the places of that.
size_t clearDealt(Message &message, Node &places) {
  for (const FieldDescriptor *field : setFields(message))
    if (isDealt(*field)) {
      message.GetReflection()->ClearField(&message, field);
      places.erase(field->name());
    }
  size_t elements = 0;
  for (const Node::Field &field : places.fields)
    elements += field.elements.size();
  nested(message, hasDealt, [&](const FieldDescriptor *field, int i) {
    Node::Element &element = places.add(field->name())[i];
    element.child = std::make_shared<Node>(*element.child);
    elements += clearDealt(*mutableChild(message, field, i), *element.child);
  });
  return elements;
}

void addElement(const Message &from, Message &to, const FieldDescriptor *field, int index) {
  const auto *r = from.GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
    r->AddString(&to, field, r->GetRepeatedString(from, field, index));
  else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
    r->AddInt64(&to, field, r->GetRepeatedInt64(from, field, index));
  else
    r->AddDouble(&to, field, r->GetRepeatedDouble(from, field, index));
}

// Deals the values for name `index` of `from` to `to`, a copy from which they were cleared.
void deal(const Message &from, const Node &fromPlaces, int index, Message &to, Node &toPlaces) {
  for (const FieldDescriptor *field : setFields(from)) {
    if (!isDealt(*field))
      continue;
    int size = sizeOf(from, field), chosen = size == 1 ? 0 : index;
    addElement(from, to, field, chosen);
    toPlaces.add(field->name()) = {fromPlaces.elements(field->name())[chosen]};
  }
  nested(from, hasDealt, [&](const FieldDescriptor *field, int i) {
    Node::Element &element = toPlaces.add(field->name())[i];
    element.child = std::make_shared<Node>(*element.child);
    deal(childOf(from, field, i), fromPlaces.child(field->name(), i), index, *mutableChild(to, field, i),
         *element.child);
  });
}

// What to do about a lookup, as it was written, whose names and features do not pair up.
std::string pairUp(const Message &written) {
  std::string note = "every lookup reads one feature";
  const auto &lookup = static_cast<const Lookup &>(written);
  if (lookup.name_size() == 1 && lookup.feature_size() == 1 && isPattern(lookup.feature(0)) &&
      !isPattern(lookup.name(0)))
    note += "; write `name: \"" + lookup.name(0) + "/" + lookup.feature(0) + "\"`";
  return note;
}

} // namespace

Expander::Expander(const Groups &groups, Diagnostics &diagnostics) : groups(groups), diagnostics(diagnostics) {
  for (const auto &[name, members] : groups)
    groupNames.push_back(name);
}

bool Expander::charge(size_t names, size_t bytes, const Place &place) {
  if (full)
    return false;
  madeNames += names;
  madeBytes += bytes;
  full = madeNames > mostNames || madeBytes > mostBytes;
  if (!full)
    return true;
  diagnostics.error(place, madeNames > mostNames
                               ? fmt::format("more than {} names in one description", mostNames)
                               : fmt::format("the expanded description has more than {} MiB", mostBytes >> 20));
  return false;
}

bool Expander::names(Message &message, Node &places) {
  bool sound = true;
  const auto *r = message.GetReflection();
  auto lookUp = [this](std::string_view name) {
    auto found = groups.find(std::string(name));
    return found == groups.end() ? nullptr : &found->second;
  };
  for (const FieldDescriptor *field : setFields(message)) {
    if (!isNames(*field))
      continue;
    auto &elements = places.add(field->name());
    std::vector<std::string> all;
    std::vector<Node::Element> allElements;
    for (int i = 0, n = r->FieldSize(message, field); i < n; ++i) {
      auto some =
          expandPattern(r->GetRepeatedString(message, field, i), elements[i].value, lookUp, groupNames, diagnostics);
      size_t bytes = 0;
      if (some)
        for (const std::string &name : *some)
          bytes += name.size() + sizeof(Node::Element);
      if (!some || some->empty() || !charge(some->size() == 1 ? 0 : some->size(), bytes, elements[i].value)) {
        sound = false;
        continue;
      }
      allElements.insert(allElements.end(), some->size(), elements[i]);
      all.insert(all.end(), std::make_move_iterator(some->begin()), std::make_move_iterator(some->end()));
    }
    r->ClearField(&message, field);
    for (std::string &name : all)
      r->AddString(&message, field, std::move(name));
    elements = std::move(allElements);
  }
  nested(message, hasNames, [&](const FieldDescriptor *field, int i) {
    Node::Element &element = places.add(field->name())[i];
    element.child = std::make_shared<Node>(*element.child);
    sound = names(*mutableChild(message, field, i), *element.child) && sound;
  });
  return sound;
}

bool Expander::checkCounts(const Message &message, const Node &places, int names, const Message &written) {
  bool sound = true;
  for (const FieldDescriptor *field : setFields(message)) {
    int size = sizeOf(message, field);
    if (!isDealt(*field) || field->name() == "name" || size == names)
      continue;
    if (field->full_name() == "sparsec.Lookup.feature") {
      diagnostics
          .error(places.name("feature"),
                 fmt::format("the block has {}, but {}", counted(names, "name"), counted(size, "feature")))
          .note(pairUp(written));
      return false;
    } else if (size != 1) {
      diagnostics
          .error(places.name(field->name()), fmt::format("`{}` has {}, but the block has {}", field->name(),
                                                         counted(size, "value"), counted(names, "name")))
          .note(names == 1 ? "write one value" : "write one value for all names, or one for each");
      sound = false;
    }
  }
  nested(message, hasDealt, [&](const FieldDescriptor *field, int i) {
    sound = checkCounts(childOf(message, field, i), places.child(field->name(), i), names, written) && sound;
  });
  return sound;
}

bool Expander::block(const Message &from, const Node &fromPlaces, const FieldDescriptor &field, Message &to,
                     Node &toPlaces, const Node::Element &element) {
  std::unique_ptr<Message> whole(from.New());
  whole->CopyFrom(from);
  Node places = fromPlaces;
  if (!names(*whole, places))
    return false;
  const FieldDescriptor *name = from.GetDescriptor()->FindFieldByName("name");
  int count = name && name->is_repeated() ? sizeOf(*whole, name) : 1;
  if (!count) {
    diagnostics.error(places.place, fmt::format("`{}` needs `name`", field.name()));
    return false;
  }
  if (!checkCounts(*whole, places, count, from))
    return false;
  std::unique_ptr<Message> stripped(whole->New());
  stripped->CopyFrom(*whole);
  Node strippedPlaces = places;
  size_t elements = clearDealt(*stripped, strippedPlaces);
  size_t bytes = stripped->ByteSizeLong() + sizeof(Node) + elements * sizeof(Node::Element);
  if (!charge(count, bytes * count, places.place))
    return false;
  const auto *r = to.GetReflection();
  for (int i = 0; i < count; ++i) {
    Message *one = field.is_repeated() ? r->AddMessage(&to, &field) : r->MutableMessage(&to, &field);
    one->CopyFrom(*stripped);
    Node::Element part = element;
    part.child = std::make_shared<Node>(strippedPlaces);
    deal(*whole, places, i, *one, *part.child);
    toPlaces.add(field.name()).push_back(std::move(part));
  }
  return true;
}

void Expander::file(const Message &from, const Node &fromPlaces, Message &to, Node &toPlaces) {
  toPlaces.place = fromPlaces.place;
  toPlaces.end = fromPlaces.end;
  to.CopyFrom(from);
  for (const FieldDescriptor *field : setFields(from)) {
    if (!field->message_type()) {
      toPlaces.add(field->name()) = fromPlaces.elements(field->name());
      continue;
    }
    to.GetReflection()->ClearField(&to, field);
    for (int i = 0, n = sizeOf(from, field); i < n; ++i)
      block(childOf(from, field, i), fromPlaces.child(field->name(), i), *field, to, toPlaces,
            fromPlaces.elements(field->name())[i]);
  }
}

Expander::Groups featureGroups(const Message &message, const Node &places, Diagnostics &diagnostics) {
  const auto &model = static_cast<const Model &>(message);
  Expander::Groups groups;
  Diagnostics repeated; // features are expanded again with all other blocks: their errors are reported then
  for (int i = 0; i < model.feature_size(); ++i) {
    const Feature &feature = model.feature(i);
    const Node &block = places.child("feature", i);
    for (int k = 0; k < feature.name_size(); ++k) {
      bool asked = false;
      auto none = [&](std::string_view) -> const std::vector<std::string> * {
        static const std::vector<std::string> empty;
        asked = true;
        return &empty;
      };
      auto names = expandPattern(feature.name(k), block.value("name", k), none, {}, repeated);
      if (asked)
        diagnostics.error(block.value("name", k), "the name of a feature cannot come from a group")
            .note("write a range such as `C{1..26}`, or a list");
      if (!feature.has_group())
        continue;
      auto &members = groups[feature.group()];
      if (names) {
        members.insert(members.end(), names->begin(), names->end());
      }
    }
  }
  return groups;
}

} // namespace sparsec::description
