#include "device/TableMirror.h"
#include <fmt/format.h>

namespace sparsec {

Status TableMirror::add(Device &device, const FloatBlock &from, const std::string &name, int64_t &total) {
  Block block(device.memory(), from.floats() * 4);
  if (!block)
    return Status::error(fmt::format("`{}`: the device has no memory for {} bytes of it", name, from.floats() * 4));
  total += block.bytes();
  fields.push_back({from.data(), std::move(block)});
  return {};
}

Result<TableMirror> TableMirror::create(Device &device, const Tables &from, const Program &program) {
  TableMirror mirror;
  for (const TableInfo &table : program.tables)
    mirror.index.emplace_back(table.parts.size(), -1);
  for (size_t i = 0; i < from.parts().size(); ++i) {
    const HeldPart &part = from.parts()[i];
    std::string name = "table/" + program.tables[part.table].name + "/weight";
    SparsecPart &place = mirror.held.emplace_back(part.place);
    mirror.index[part.table][part.part] = int32_t(i);
    std::span<const FloatBlock> blocks = from.fieldsOfPart(i);
    for (size_t field = 0; field < blocks.size(); ++field) {
      if (Status status = mirror.add(device, blocks[field], name, mirror.tables); !status)
        return status;
      place.field[field] = reinterpret_cast<float *>(mirror.fields.back().block.data());
    }
  }
  for (size_t i = 0; i < program.params.size(); ++i) {
    std::vector<float *> &places = mirror.paramFields.emplace_back();
    for (const FloatBlock &block : from.fieldsOfParam(i)) {
      if (Status status = mirror.add(device, block, program.params[i].name, mirror.params); !status)
        return status;
      places.push_back(reinterpret_cast<float *>(mirror.fields.back().block.data()));
    }
  }
  return mirror;
}

const SparsecPart *TableMirror::part(int64_t table, int64_t part) const {
  if (table < 0 || table >= int64_t(index.size()) || part < 0 || part >= int64_t(index[table].size()) ||
      index[table][part] < 0)
    return nullptr;
  return &held[index[table][part]];
}

float *TableMirror::param(int64_t param, int64_t field) const {
  if (param < 0 || param >= int64_t(paramFields.size()) || field < 0 || field >= int64_t(paramFields[param].size()))
    return nullptr;
  return paramFields[param][field];
}

Status TableMirror::upload(Device &device) const {
  for (const Field &field : fields)
    if (Status s = device.copyToDevice(DeviceStream::compute, field.block.data(), field.host, field.block.bytes()); !s)
      return s;
  return device.synchronize();
}

Status TableMirror::download(Device &device) const {
  for (const Field &field : fields)
    if (Status s = device.copyToHost(DeviceStream::compute, field.host, field.block.data(), field.block.bytes()); !s)
      return s;
  return device.synchronize();
}

} // namespace sparsec
