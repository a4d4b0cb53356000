#include "sparsec/Tables.h"
#include "sparsec/InitialValue.h"
#include "sparsec/ThreadPool.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace sparsec {

namespace {

/// Rows [row0, row0 + rows) x columns [col0, col0 + dim) of a parameter, into dense memory.
void initialise(ThreadPool &pool, const InitialValue &value, int64_t row0, int64_t rows, int64_t col0, int64_t dim,
                float *out) {
  if (value.isZero() || rows * dim == 0)
    return;
  int64_t grain = std::max<int64_t>(1, 4096 / dim);
  pool.parallel(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      value.fill(row0 + row, col0, dim, out + row * dim);
  });
}

void initialiseState(ThreadPool &pool, double start, int64_t n, float *out) {
  float value = float(start);
  if (std::bit_cast<uint32_t>(value) == 0)
    return;
  pool.parallel(n, 4096, [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, value); });
}

Status checkStates(const OptimizerUse &optimizer, const std::string &name) {
  if (optimizer.states.size() < SPARSEC_MAX_FIELDS)
    return {};
  return Status::error(fmt::format("parameter `{}`: expected at most {} optimizer states, but got {}", name,
                                   SPARSEC_MAX_FIELDS - 1, optimizer.states.size()));
}

Status checkPart(const TableInfo &table, size_t index, const Mesh &mesh) {
  const TablePart &part = table.parts[index];
  bool columns = part.col0 >= 0 && part.dim >= 0 && part.dim <= table.dim && part.col0 <= table.dim - part.dim;
  bool owners = part.replicated || (part.first >= 0 && part.count >= 1 && part.count <= mesh.groupSize() &&
                                    part.first <= mesh.groupSize() - part.count);
  if (columns && owners)
    return {};
  return Status::error(fmt::format("table `{}`: part {} (columns {} + {}, owners {} + {}) is not inside {} columns and "
                                   "{} ranks",
                                   table.name, index, part.col0, part.dim, part.first, part.count, table.dim,
                                   mesh.groupSize()));
}

/// Allocates the fields of `rows` x `dim` elements: weight, then states.
Status allocate(std::vector<FloatBlock> &fields, const OptimizerUse &optimizer, bool states, int64_t rows, int64_t dim,
                const std::string &name) {
  for (size_t field = 0; field <= (states ? optimizer.states.size() : 0); ++field) {
    bool perRow = field > 0 && optimizer.states[field - 1].perRow;
    Result<FloatBlock> block = FloatBlock::create(perRow ? rows : rows * dim);
    if (!block)
      return Status::error(fmt::format("`{}`: {}", name, block.status().message()));
    fields.push_back(std::move(*block));
  }
  return {};
}

void initialiseStates(ThreadPool &pool, std::vector<FloatBlock> &fields, const OptimizerUse &optimizer, int64_t rows,
                      int64_t dim) {
  for (size_t field = 1; field < fields.size(); ++field) {
    const StateField &state = optimizer.states[field - 1];
    initialiseState(pool, state.start, state.perRow ? rows : rows * dim, fields[field].data());
  }
}

int64_t rowsOf(const ParamInfo &param) { return param.shape.empty() ? 1 : param.shape[0]; }

int64_t columnsOf(const ParamInfo &param) {
  int64_t columns = 1;
  for (size_t i = 1; i < param.shape.size(); ++i)
    columns *= param.shape[i];
  return columns;
}

int64_t bytesOf(const std::vector<std::vector<FloatBlock>> &blocks) {
  int64_t bytes = 0;
  for (const auto &fields : blocks)
    for (const FloatBlock &field : fields)
      bytes += field.bytes();
  return bytes;
}

} // namespace

RowBlock rowBlock(const TableInfo &table, const TablePart &part, int64_t rankInGroup) {
  if (part.replicated)
    return {true, 0, table.rows};
  int64_t owner = rankInGroup - part.first;
  if (owner < 0 || owner >= part.count)
    return {};
  int64_t block = (table.rows + part.count - 1) / part.count;
  int64_t row0 = std::min(owner * block, table.rows);
  return {true, row0, std::min(block, table.rows - row0)};
}

Tables::Tables(const Program &program, const TableOptions &options) : program(program), options(options) {}

Result<std::unique_ptr<Tables>> Tables::create(const Program &program, int64_t rank, ThreadPool &pool,
                                               const TableOptions &options) {
  std::unique_ptr<Tables> tables(new Tables(program, options));
  for (size_t i = 0; i < program.tables.size(); ++i)
    if (Status status = tables->addTable(int64_t(i), rank, pool); !status)
      return status;
  for (size_t i = 0; i < program.params.size(); ++i)
    if (Status status = tables->addParam(int64_t(i), pool); !status)
      return status;
  return tables;
}

Status Tables::addTable(int64_t number, int64_t rank, ThreadPool &pool) {
  const TableInfo &table = program.tables[number];
  const Mesh &mesh = program.mesh;
  std::string name = "table/" + table.name + "/weight";
  if (Status status = checkStates(table.optimizer, name); !status)
    return status;
  if (Status status = InitialValue::check(table.init, name, table.rows, table.dim); !status)
    return status;
  InitialValue value(table.init, options.seed, name, table.dim);
  std::vector<int32_t> &place = index.emplace_back(table.parts.size(), -1);
  for (size_t i = 0; i < table.parts.size(); ++i) {
    const TablePart &part = table.parts[i];
    if (Status status = checkPart(table, i, mesh); !status)
      return status;
    RowBlock block = rowBlock(table, part, rank % mesh.groupSize());
    if (!block.held)
      continue;
    std::vector<FloatBlock> fields;
    if (Status status = allocate(fields, table.optimizer, options.states, block.rows, part.dim, name); !status)
      return status;
    initialise(pool, value, block.row0, block.rows, part.col0, part.dim, fields[0].data());
    initialiseStates(pool, fields, table.optimizer, block.rows, part.dim);
    HeldPart here;
    here.table = number;
    here.part = int64_t(i);
    here.place.row0 = block.row0;
    here.place.rows = block.rows;
    here.place.col0 = part.col0;
    here.place.dim = part.dim;
    for (size_t field = 0; field < fields.size(); ++field)
      here.place.field[field] = fields[field].data();
    here.copies = part.replicated ? mesh.ranks() : mesh.groups;
    here.copy = part.replicated ? rank : rank / mesh.groupSize();
    place[i] = int32_t(held.size());
    held.push_back(here);
    partFields.push_back(std::move(fields));
  }
  return {};
}

Status Tables::addParam(int64_t number, ThreadPool &pool) {
  const ParamInfo &param = program.params[number];
  int64_t rows = rowsOf(param), columns = columnsOf(param);
  if (Status status = checkStates(param.optimizer, param.name); !status)
    return status;
  if (Status status = InitialValue::check(param.init, param.name, rows, columns); !status)
    return status;
  std::vector<FloatBlock> fields;
  if (Status status = allocate(fields, param.optimizer, options.states, rows, columns, param.name); !status)
    return status;
  initialise(pool, InitialValue(param.init, options.seed, param.name, columns), 0, rows, 0, columns, fields[0].data());
  initialiseStates(pool, fields, param.optimizer, rows, columns);
  paramFields.push_back(std::move(fields));
  return {};
}

const SparsecPart *Tables::part(int64_t table, int64_t part) const {
  if (table < 0 || table >= int64_t(index.size()) || part < 0 || part >= int64_t(index[table].size()) ||
      index[table][part] < 0)
    return nullptr;
  return &held[index[table][part]].place;
}

float *Tables::param(int64_t param, int64_t field) const {
  if (param < 0 || param >= int64_t(paramFields.size()) || field < 0 || field >= int64_t(paramFields[param].size()))
    return nullptr;
  return paramFields[param][field].data();
}

int64_t Tables::tableBytes() const { return bytesOf(partFields); }
int64_t Tables::paramBytes() const { return bytesOf(paramFields); }

} // namespace sparsec
