// The parameters and tables of a rank in the memory of its device; Tables stays the host's copy, for checkpoints.
#pragma once
#include "device/Device.h"
#include "sparsec/Tables.h"

namespace sparsec {

class TableMirror {
public:
  /// Allocates; copies nothing. The error says how much memory there was not.
  static Result<TableMirror> create(Device &, const Tables &, const Program &);

  const SparsecPart *part(int64_t table, int64_t part) const; // null: nothing of it here
  float *param(int64_t param, int64_t field) const;           // null: there is no such field
  int64_t tableBytes() const { return tables; }
  int64_t paramBytes() const { return params; }

  Status upload(Device &) const;
  Status download(Device &) const;

private:
  struct Field {
    float *host;
    Block block;
  };
  Status add(Device &, const FloatBlock &, const std::string &name, int64_t &total);
  std::vector<std::vector<int32_t>> index; // [table][part]: into `held`, or -1
  std::vector<SparsecPart> held;
  std::vector<std::vector<float *>> paramFields; // [param][field]
  std::vector<Field> fields;
  int64_t tables = 0, params = 0;
};

} // namespace sparsec
