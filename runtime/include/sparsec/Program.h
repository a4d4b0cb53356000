// What an executable knows about its model: the JSON that the compiler embeds, as structs. Reader, tables, checkpoints,
// metrics and the command line work from this; the arithmetic is in the entry points (abi.h).
//
// The JSON has exactly these field names; a field equal to its default here may be absent.
#pragma once
#include "sparsec/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsec {

/// T = groups * nodes * shards ranks; rank = (group * nodes + node) * shards + shard.
struct Mesh {
  int64_t groups = 1, nodes = 1, shards = 1;
  int64_t groupSize() const { return nodes * shards; }
  int64_t ranks() const { return groups * groupSize(); }
};

/// Layout of delimited text files.
struct DataFormat {
  std::string delimiter = ",";
  bool header = false;
  std::vector<std::string> column; // all columns in order, "_" skips one; empty: the header names them
  std::vector<std::string> missing;
  bool trim = false;
  std::string quote, comment; // empty: none
};

struct LabelColumn {
  std::string name, column;
  std::vector<std::string> positive, negative; // both empty: numbers
};

/// One step of a number: min, max, log_plus, scale take `value`; standardise takes mean and stddev.
struct NumberStep {
  std::string kind;
  double value = 0, mean = 0, stddev = 1;
};

struct FeatureColumn {
  std::string name, column;
  std::string kind; // number, identity, modulo, hash, vocabulary, bucketize
  // number
  std::optional<double> fill;
  std::vector<NumberStep> steps;
  int64_t width = 1;
  // ids
  int64_t ids = 0;
  uint64_t hashSeed = 0;
  std::vector<std::string> words; // vocabulary, the file's words included
  int64_t oovIds = 0;
  std::vector<double> bounds;             // bucketize
  std::string separator, weightSeparator; // empty: none
  int64_t maxLength = 0;                  // 0: any
  std::string keep = "FIRST";             // FIRST, LAST
  std::string sameLengthAs;
  std::string missing = "REFUSE";   // REFUSE, EMPTY_BAG, AS_TEXT
  std::string outOfRange = "ERROR"; // ERROR, DROP, CLAMP, ZERO
  bool isNumber() const { return kind == "number"; }
};

/// Number features side by side, as one tensor of the step.
struct InputBlock {
  std::vector<int64_t> features; // indices into Program::features
  int64_t width = 0;             // columns in all
};

/// Initial values, a function of (seed, name, row, column). kind: constant, uniform, normal (with `value`), values.
struct InitialValues {
  std::string kind = "constant";
  double value = 0;
  std::vector<double> values; // row by row
};

/// One piece of optimizer state: a number for each element, or one for each row.
struct StateField {
  std::string name; // checkpoint name: <parameter>/<rule>.<name>
  bool perRow = false;
  double start = 0;
};

struct OptimizerUse {
  std::string rule;                                            // sgd, adagrad, row_wise_adagrad, adam
  std::vector<std::pair<std::string, double>> hyperparameters; // lr first, for `info`; compiled in except lr's schedule
  std::vector<StateField> states;
};

/// Rows x columns of a table. Replicated: every rank of the group has it. Else its owners are the group's ranks
/// first ... first + count - 1; owner i holds the i-th block of ceil(rows / count) rows.
struct TablePart {
  int64_t col0 = 0, dim = 0;
  bool replicated = false;
  int64_t first = 0, count = 1;
};

struct TableInfo {
  std::string name; // checkpoint: table/<name>/weight
  int64_t rows = 0, dim = 0;
  std::string strategy; // for people: data_parallel, table_wise, ...
  InitialValues init;
  OptimizerUse optimizer;
  bool whole = false; // update: whole
  std::vector<TablePart> parts;
};

struct ParamInfo {
  std::string name; // checkpoint name, e.g. layer/top/0/weight
  std::vector<int64_t> shape;
  InitialValues init;
  OptimizerUse optimizer;
};

struct TaskInfo {
  std::string name;
  std::string loss; // bce, mse
  int64_t label = 0;
  double weight = 1;
};

struct Program {
  std::string model, fingerprint, target, compiler;
  std::string matmul = "fp32"; // products of matrices of floats: fp32, or on GPUs with less: tf32, bf16
  Mesh mesh;
  int64_t batchSize = 0, evalBatchSize = 0, epochs = 1, shuffleRows = 0, warmupSteps = 0;
  uint64_t seed = 1;
  DataFormat data;
  std::vector<LabelColumn> labels;
  std::vector<FeatureColumn> features;
  std::vector<InputBlock> inputs;
  std::vector<TableInfo> tables;
  std::vector<ParamInfo> params;
  std::vector<TaskInfo> tasks;
  std::string plan; // the plan file's text, for `info`
};

/// Reads the embedded JSON. Fails with the path of the field at fault.
Result<Program> readProgram(std::string_view json);
/// Writes it: readProgram(writeProgram(p)) == p.
std::string writeProgram(const Program &);

} // namespace sparsec
