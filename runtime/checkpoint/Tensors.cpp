// Which tensors a program has, and which pieces of them a rank holds.
#include "sparsec/Checkpoint.h"
#include "sparsec/Tables.h"
#include <algorithm>

namespace sparsec {

int64_t CheckpointTensor::columns() const {
  int64_t n = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    n *= shape[i];
  return n;
}

namespace {

/// A weight, then its states under `owner`: the order of pieces below.
void addTensors(const std::string &weight, const std::string &owner, const std::vector<int64_t> &shape,
                const OptimizerUse &optimizer, bool weightsOnly, std::vector<CheckpointTensor> &out) {
  out.push_back({weight, shape});
  if (weightsOnly)
    return;
  for (const StateField &state : optimizer.states) {
    std::vector<int64_t> stateShape = shape;
    if (state.perRow)
      stateShape.resize(std::min<size_t>(shape.size(), 1));
    out.push_back({owner + "/" + optimizer.rule + "." + state.name, stateShape});
  }
}

/// Of `copies` equal pieces, the copy-th saves this share of its rows.
void saveShare(CheckpointPiece &piece, int64_t copy, int64_t copies) {
  int64_t share = (piece.rows + copies - 1) / copies;
  int64_t begin = std::min(copy * share, piece.rows);
  piece.saveRow0 = piece.row0 + begin;
  piece.saveRows = std::min(share, piece.rows - begin);
}

} // namespace

std::vector<CheckpointTensor> checkpointTensors(const Program &program, bool weightsOnly) {
  std::vector<CheckpointTensor> tensors;
  for (const TableInfo &t : program.tables)
    addTensors("table/" + t.name + "/weight", "table/" + t.name, {t.rows, t.dim}, t.optimizer, weightsOnly, tensors);
  for (const ParamInfo &p : program.params)
    addTensors(p.name, p.name, p.shape, p.optimizer, weightsOnly, tensors);
  return tensors;
}

std::vector<CheckpointPiece> checkpointPieces(const Program &program, const Tables &tables, int64_t rank,
                                              bool weightsOnly) {
  std::vector<int64_t> firstOfTable;
  int64_t tensor = 0;
  for (const TableInfo &table : program.tables) {
    firstOfTable.push_back(tensor);
    tensor += 1 + (weightsOnly ? 0 : int64_t(table.optimizer.states.size()));
  }

  std::vector<CheckpointPiece> pieces;
  for (const HeldPart &held : tables.parts()) {
    const std::vector<StateField> &states = program.tables[size_t(held.table)].optimizer.states;
    const SparsecPart &part = held.place;
    for (size_t f = 0; f < 1 + (weightsOnly ? 0 : states.size()); ++f) {
      bool perRow = f > 0 && states[f - 1].perRow;
      CheckpointPiece piece{firstOfTable[size_t(held.table)] + int64_t(f),
                            part.row0,
                            part.rows,
                            perRow ? 0 : part.col0,
                            perRow ? 1 : part.dim,
                            part.field[f]};
      if (!(perRow && part.col0 > 0)) // column parts hold equal row states
        saveShare(piece, held.copy, held.copies);
      pieces.push_back(piece);
    }
  }

  for (size_t i = 0; i < program.params.size(); ++i) {
    const ParamInfo &param = program.params[i];
    CheckpointTensor whole{{}, param.shape};
    for (size_t f = 0; f < 1 + (weightsOnly ? 0 : param.optimizer.states.size()); ++f, ++tensor) {
      bool perRow = f > 0 && param.optimizer.states[f - 1].perRow;
      CheckpointPiece piece{
          tensor, 0, whole.rows(), 0, perRow ? 1 : whole.columns(), tables.param(int64_t(i), int64_t(f))};
      saveShare(piece, rank, program.mesh.ranks());
      pieces.push_back(piece);
    }
  }
  return pieces;
}

} // namespace sparsec
