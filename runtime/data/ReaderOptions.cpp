#include "sparsec/Reader.h"

namespace sparsec {

ReaderOptions ReaderOptions::train(const Program &p, int64_t rank) {
  ReaderOptions o;
  o.batchSize = p.batchSize;
  o.rank = rank;
  o.ranks = p.mesh.ranks();
  o.epochs = p.epochs;
  o.seed = p.seed;
  o.shuffleRows = p.shuffleRows;
  return o;
}

ReaderOptions ReaderOptions::evaluate(const Program &p, int64_t rank) {
  ReaderOptions o = train(p, rank);
  if (p.evalBatchSize > 0)
    o.batchSize = p.evalBatchSize;
  o.epochs = 1;
  o.shuffleRows = 0;
  return o;
}

ReaderOptions ReaderOptions::predict(const Program &p, int64_t rank) {
  ReaderOptions o = evaluate(p, rank);
  o.labels = false;
  return o;
}

} // namespace sparsec
