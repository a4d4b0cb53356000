#include "sparsec/Program.h"
#include "Fields.h"
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

using nlohmann::json;

namespace sparsec {
namespace {

using Words = std::initializer_list<const char *>;
using Pair = std::pair<std::string, double>;

// JSON has no infinities and no bytes that are not UTF-8. Both occur in
// descriptions (bounds, words of a vocabulary), so they are written as "inf",
// "-inf", "nan" and {"hex": "..."}.
std::string toHex(const std::string &bytes) {
  std::string hex;
  for (unsigned char c : bytes)
    hex += fmt::format("{:02x}", c);
  return hex;
}

std::optional<std::string> fromHex(const std::string &hex) {
  if (hex.size() % 2 || hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

bool isUtf8(const std::string &text) {
  try {
    (void)json(text).dump();
    return true;
  } catch (const json::exception &) {
    return false;
  }
}

class Writer {
public:
  static json write(bool v) { return v; }
  static json write(int64_t v) { return v; }
  static json write(uint64_t v) { return v; }
  static json write(double v) {
    return std::isfinite(v) ? json(v) : json(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
  }
  static json write(const std::string &v) { return isUtf8(v) ? json(v) : json{{"hex", toHex(v)}}; }
  static json write(const Pair &v) { return json::array({write(v.first), write(v.second)}); }
  static json write(const std::optional<double> &v) { return v ? write(*v) : json(); }
  template <typename T> static json write(const std::vector<T> &v) {
    json list = json::array();
    for (const T &element : v)
      list.push_back(write(element));
    return list;
  }
  template <typename T> static json write(const T &v) {
    Writer all, defaults;
    T copy = v, fresh;
    program::fields(all, copy);
    program::fields(defaults, fresh);
    for (auto &[name, value] : defaults.object.items())
      if (all.object[name] == value)
        all.object.erase(name);
    return all.object;
  }
  template <typename T> void operator()(const char *name, T &field, Words = {}) { object[name] = write(field); }

private:
  json object = json::object();
};

class Reader {
public:
  Reader(const json &object, std::string path, std::string &error)
      : object(object), path(std::move(path)), error(error) {}

  template <typename T> void operator()(const char *name, T &field, Words words = {}) {
    known.insert(name);
    auto found = object.find(name);
    if (found == object.end() || !error.empty())
      return;
    std::string at = path.empty() ? name : path + "." + name;
    read(*found, field, at);
    if constexpr (std::is_same_v<T, std::string>)
      checkWord(field, words, at);
  }

  template <typename T> static void readObject(const json &j, T &v, const std::string &at, std::string &error) {
    if (!j.is_object())
      return fail(j, "an object", at, error);
    Reader fields(j, at, error);
    program::fields(fields, v);
    for (auto &[name, value] : j.items())
      if (error.empty() && !fields.known.count(name))
        error = fmt::format("program: unknown field `{}`", at.empty() ? name : at + "." + name);
  }

private:
  static void fail(const json &j, const char *expected, const std::string &at, std::string &error) {
    if (!error.empty())
      return;
    std::string got = j.dump(-1, ' ', false, json::error_handler_t::replace);
    if (got.size() > 60)
      got = got.substr(0, 60) + "...";
    error = at.empty() ? fmt::format("program: expected {}, but got `{}`", expected, got)
                       : fmt::format("program: `{}`: expected {}, but got `{}`", at, expected, got);
  }
  void fail(const json &j, const char *expected, const std::string &at) { fail(j, expected, at, error); }

  void checkWord(const std::string &word, Words words, const std::string &at) {
    if (!words.size() || !error.empty())
      return;
    std::string list;
    for (const char *w : words) {
      if (word == w)
        return;
      list += (list.empty() ? "" : ", ") + std::string(w);
    }
    error = fmt::format("program: `{}`: expected one of {}, but got `{}`", at, list, word);
  }

  void read(const json &j, bool &v, const std::string &at) {
    if (!j.is_boolean())
      return fail(j, "true or false", at);
    v = j.get<bool>();
  }
  void read(const json &j, int64_t &v, const std::string &at) {
    if (!j.is_number_integer() || (j.is_number_unsigned() && j.get<uint64_t>() > uint64_t(INT64_MAX)))
      return fail(j, "an integer of 64 bits", at);
    v = j.get<int64_t>();
  }
  void read(const json &j, uint64_t &v, const std::string &at) {
    if (!j.is_number_integer() || (!j.is_number_unsigned() && j.get<int64_t>() < 0))
      return fail(j, "an integer of 64 bits that is not negative", at);
    v = j.get<uint64_t>();
  }
  void read(const json &j, double &v, const std::string &at) {
    if (j == "inf" || j == "-inf")
      v = j == "inf" ? INFINITY : -INFINITY;
    else if (j == "nan")
      v = NAN;
    else if (j.is_number())
      v = j.get<double>();
    else
      fail(j, "a number", at);
  }
  void read(const json &j, std::string &v, const std::string &at) {
    if (j.is_object() && j.size() == 1 && j.contains("hex") && j["hex"].is_string()) {
      std::optional<std::string> bytes = fromHex(j["hex"].get<std::string>());
      if (!bytes)
        return fail(j, "pairs of hexadecimal digits", at);
      v = *bytes;
      return;
    }
    if (!j.is_string())
      return fail(j, "a text", at);
    v = j.get<std::string>();
  }
  void read(const json &j, Pair &v, const std::string &at) {
    if (!j.is_array() || j.size() != 2)
      return fail(j, "a name and a number: [\"lr\", 0.1]", at);
    read(j[0], v.first, at + "[0]");
    read(j[1], v.second, at + "[1]");
  }
  void read(const json &j, std::optional<double> &v, const std::string &at) {
    if (j.is_null()) {
      v.reset();
      return;
    }
    double number = 0;
    read(j, number, at);
    v = number;
  }
  template <typename T> void read(const json &j, std::vector<T> &v, const std::string &at) {
    if (!j.is_array())
      return fail(j, "a list", at);
    v.clear();
    v.reserve(j.size());
    for (size_t i = 0; i < j.size() && error.empty(); ++i) {
      T element{};
      read(j[i], element, fmt::format("{}[{}]", at, i));
      v.push_back(std::move(element));
    }
  }
  template <typename T> void read(const json &j, T &v, const std::string &at) { readObject(j, v, at, error); }

  const json &object;
  std::string path;
  std::string &error;
  std::set<std::string> known;
};

Status outside(std::string path, int64_t value, int64_t end) {
  return Status::error(fmt::format("program: `{}`: expected an index in [0, {}), but got {}", path, end, value));
}

Status positive(std::string path, int64_t value) {
  return Status::error(fmt::format("program: `{}`: expected at least 1, but got {}", path, value));
}

/// What everyone who indexes with these relies on.
Status check(const Program &p) {
  if (p.mesh.groups < 1)
    return positive("mesh.groups", p.mesh.groups);
  if (p.mesh.nodes < 1)
    return positive("mesh.nodes", p.mesh.nodes);
  if (p.mesh.shards < 1)
    return positive("mesh.shards", p.mesh.shards);
  int64_t features = p.features.size(), labels = p.labels.size();
  for (size_t b = 0; b < p.inputs.size(); ++b) {
    int64_t width = 0;
    for (size_t i = 0; i < p.inputs[b].features.size(); ++i) {
      int64_t f = p.inputs[b].features[i];
      std::string path = fmt::format("inputs[{}].features[{}]", b, i);
      if (f < 0 || f >= features)
        return outside(path, f, features);
      if (!p.features[f].isNumber())
        return Status::error(fmt::format("program: `{}`: feature `{}` is not a number", path, p.features[f].name));
      width += p.features[f].width;
    }
    if (p.inputs[b].width != width)
      return Status::error(fmt::format("program: `inputs[{}].width`: expected {}, the widths of "
                                       "its features, but got {}",
                                       b, width, p.inputs[b].width));
  }
  for (size_t t = 0; t < p.tasks.size(); ++t)
    if (p.tasks[t].label < 0 || p.tasks[t].label >= labels)
      return outside(fmt::format("tasks[{}].label", t), p.tasks[t].label, labels);
  return Status();
}

} // namespace

Result<Program> readProgram(std::string_view text) {
  json j;
  try {
    j = json::parse(text.begin(), text.end());
  } catch (const json::parse_error &e) {
    return Status::error(fmt::format("program: not JSON at byte {}", e.byte));
  } catch (const json::exception &e) {
    return Status::error(fmt::format("program: not JSON: {}", e.what()));
  }
  Program p;
  std::string error;
  Reader::readObject(j, p, "", error);
  if (!error.empty())
    return Status::error(std::move(error));
  if (Status s = check(p); !s)
    return s;
  return p;
}

std::string writeProgram(const Program &p) { return Writer::write(p).dump(); }

} // namespace sparsec
