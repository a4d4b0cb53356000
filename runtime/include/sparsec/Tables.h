// The parameters one rank holds: parts of embedding tables and copies of the dense parameters, each with the
// optimizer's states. Structure of arrays: field 0 is the weight [rows, dim], field i > 0 the i-th state, [rows, dim]
// or [rows]; each is its own 64-byte aligned block.
#pragma once
#include "sparsec/Program.h"
#include "sparsec/Status.h"
#include "sparsec/abi.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sparsec {

class ThreadPool;

/// Zeros at first, aligned to 64 bytes. A large block is mapped memory: a page costs nothing until it is touched.
class FloatBlock {
public:
  FloatBlock() = default;
  static Result<FloatBlock> create(int64_t floats);
  FloatBlock(FloatBlock &&) noexcept;
  FloatBlock &operator=(FloatBlock &&) noexcept;
  ~FloatBlock();
  float *data() const { return start; }
  int64_t bytes() const { return size; }
  int64_t floats() const { return count; }

private:
  float *start = nullptr;
  int64_t size = 0, count = 0;
  bool mapped = false;
};

/// A part of a table as this rank holds it. An owner of no rows has a part with rows = 0.
struct HeldPart {
  int64_t table = 0, part = 0; // indices into Program::tables and its parts
  SparsecPart place{};         // global row0, rows, col0, dim; absent states are null
  int64_t copies = 1;          // how many ranks hold exactly these rows and columns ...
  int64_t copy = 0;            // ... and which of them this is
};

/// Which rows of a part a rank of the group holds; none: nothing of it is here (not even an empty block).
struct RowBlock {
  bool held = false;
  int64_t row0 = 0, rows = 0;
};
RowBlock rowBlock(const TableInfo &, const TablePart &, int64_t rankInGroup);

struct TableOptions {
  uint64_t seed = 1;  // of initial values
  bool states = true; // false: weights alone, as eval and predict need
};

class Tables {
public:
  /// Allocates and initialises everything `rank` of the mesh holds, in parallel; the result depends on no thread
  /// count. `program` must outlive it. Errors: a part outside its table, too many states, values that do not fit, no
  /// memory.
  static Result<std::unique_ptr<Tables>> create(const Program &program, int64_t rank, ThreadPool &,
                                                const TableOptions & = {});

  /// Null: nothing of it here, or no such part.
  const SparsecPart *part(int64_t table, int64_t part) const;
  /// Field 0: the weight; i > 0: the i-th state (null under states = false, or if there is none).
  float *param(int64_t param, int64_t field) const;
  /// Everything held of tables, by table, then part.
  const std::vector<HeldPart> &parts() const { return held; }
  /// All fields of parts()[i], and of a parameter: for copies to a device and back.
  std::span<const FloatBlock> fieldsOfPart(size_t i) const { return partFields[i]; }
  std::span<const FloatBlock> fieldsOfParam(size_t param) const { return paramFields[param]; }

  int64_t tableBytes() const;
  int64_t paramBytes() const;

private:
  Tables(const Program &, const TableOptions &);
  Status addTable(int64_t table, int64_t rank, ThreadPool &);
  Status addParam(int64_t param, ThreadPool &);
  const Program &program;
  TableOptions options;
  std::vector<HeldPart> held;
  std::vector<std::vector<int32_t>> index;          // [table][part]: into `held`, or -1
  std::vector<std::vector<FloatBlock>> partFields;  // of held[i]
  std::vector<std::vector<FloatBlock>> paramFields; // [param][field]
};

} // namespace sparsec
