#include "checkpoint/Manifest.h"
#include "checkpoint/BlockHash.h"
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparsec::checkpoint {

namespace {

constexpr int64_t formatVersion = 1;
constexpr std::string_view formatName = "sparsec checkpoint";

std::string hex(uint64_t value) { return fmt::format("{:016x}", value); }

uint64_t fromHex(const std::string &text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

std::string sealed(const nlohmann::ordered_json &json) {
  std::string body = json.dump(1);
  body.resize(body.size() - 2); // without "\n}"
  return fmt::format("{},\n \"checksum\": \"{}\"\n}}\n", body, hex(hashBytes(body.data(), int64_t(body.size()))));
}

/// Throws nlohmann's exceptions on missing fields and wrong types.
Manifest fromJson(const nlohmann::ordered_json &json) {
  Manifest m;
  m.state.model = json.at("model").get<std::string>();
  m.state.fingerprint = json.at("fingerprint").get<std::string>();
  m.state.step = json.at("step").get<int64_t>();
  m.state.epoch = json.at("epoch").get<int64_t>();
  m.state.position = json.at("position").get<int64_t>();
  m.state.seed = json.at("seed").get<uint64_t>();
  m.blockBytes = json.at("block_bytes").get<int64_t>();
  for (const auto &file : json.at("files")) {
    ManifestFile f;
    f.name = file.at("name").get<std::string>();
    f.bytes = file.at("bytes").get<int64_t>();
    for (const auto &block : file.at("blocks"))
      f.blocks.push_back(fromHex(block.get<std::string>()));
    m.files.push_back(std::move(f));
  }
  return m;
}

} // namespace

std::string writeManifest(const Manifest &m) {
  nlohmann::ordered_json json = {{"format", formatName},         {"version", formatVersion},
                                 {"model", m.state.model},       {"fingerprint", m.state.fingerprint},
                                 {"step", m.state.step},         {"epoch", m.state.epoch},
                                 {"position", m.state.position}, {"seed", m.state.seed},
                                 {"block_bytes", m.blockBytes},  {"files", nlohmann::ordered_json::array()}};
  for (const ManifestFile &f : m.files) {
    nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
    for (uint64_t block : f.blocks)
      blocks.push_back(hex(block));
    json["files"].push_back({{"name", f.name}, {"bytes", f.bytes}, {"blocks", std::move(blocks)}});
  }
  return sealed(json);
}

Result<Manifest> readManifest(const std::string &text, const std::string &path) {
  auto refuse = [&](std::string_view why) { return Status::error(fmt::format("{}: {}", path, why)); };
  auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", nlohmann::ordered_json()) != formatName)
    return refuse("expected the manifest of a sparsec checkpoint");
  if (json.value("version", nlohmann::ordered_json()) != formatVersion)
    return refuse(fmt::format("expected version {} of the checkpoint format", formatVersion));
  Manifest manifest;
  try {
    manifest = fromJson(json);
  } catch (const nlohmann::json::exception &) {
    return refuse("the manifest is damaged: a field is missing or of the wrong type");
  }
  if (writeManifest(manifest) != text)
    return refuse("the manifest is damaged: it does not match its checksum");
  if (manifest.blockBytes <= 0)
    return refuse("expected `block_bytes` above 0");
  for (const ManifestFile &f : manifest.files)
    if (f.bytes < 0 || f.name.find('/') != std::string::npos ||
        int64_t(f.blocks.size()) != blockCount(f.bytes, manifest.blockBytes))
      return refuse(fmt::format("file `{}`: its size and its checksums disagree", f.name));
  return manifest;
}

} // namespace sparsec::checkpoint
