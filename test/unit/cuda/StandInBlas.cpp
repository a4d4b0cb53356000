// A library with cuBLASLt's names that multiplies on the host, by columns, in double: what runtime/cuda asks for can be
// compared with what it wants. Epilogues are those of cublasLt.h; it has no algorithm for gradients where the result
// has an odd number of rows, and says so in two ways.
#include "cuda/Blas.h"

using namespace sparsec::cuda::blas;

namespace sparsec::cuda::blas {
struct OpaqueOperation {
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = epilogueNone;
  float *bias = nullptr;
  const uint8_t *aux = nullptr;
  int64_t auxLeading = 0;
};
struct OpaqueLayout {
  int64_t rows, columns, leading;
};
} // namespace sparsec::cuda::blas

static bool isGradient(const OpaqueOperation &op) {
  return op.epilogue == epilogueReluGradient || op.epilogue == epilogueSumsOfB;
}

extern "C" {

int cublasLtCreate(Handle *handle) {
  *handle = nullptr;
  return 0;
}
int cublasLtDestroy(Handle) { return 0; }
const char *cublasLtGetStatusString(int) { return "refused"; }

int cublasLtMatmulDescCreate(Operation *made, int, int) {
  *made = new OpaqueOperation;
  return 0;
}
int cublasLtMatmulDescDestroy(Operation op) {
  delete op;
  return 0;
}
int cublasLtMatmulDescSetAttribute(Operation op, int attribute, const void *value, size_t bytes) {
  auto set = [&]<typename T>(T &place) {
    if (bytes != sizeof(T))
      return int(invalidValue);
    place = *static_cast<const T *>(value);
    return 0;
  };
  switch (attribute) {
  case transposeA:
    return set(op->transposeA);
  case transposeB:
    return set(op->transposeB);
  case epilogue:
    return set(op->epilogue);
  case biasPointer:
    return set(op->bias);
  case auxPointer:
    return set(op->aux);
  case auxLeading:
    return set(op->auxLeading);
  default:
    return invalidValue;
  }
}

int cublasLtMatrixLayoutCreate(Layout *made, int, uint64_t rows, uint64_t columns, int64_t leading) {
  *made = new OpaqueLayout{int64_t(rows), int64_t(columns), leading};
  return 0;
}
int cublasLtMatrixLayoutDestroy(Layout layout) {
  delete layout;
  return 0;
}
int cublasLtMatmulPreferenceCreate(Preference *made) {
  *made = nullptr;
  return 0;
}
int cublasLtMatmulPreferenceDestroy(Preference) { return 0; }
int cublasLtMatmulPreferenceSetAttribute(Preference, int, const void *, size_t) { return 0; }

int cublasLtMatmulAlgoGetHeuristic(Handle, Operation op, Layout, Layout, Layout, Layout d, Preference, int,
                                   Heuristic *result, int *found) {
  *result = {};
  *found = isGradient(*op) && d->rows % 2 ? 0 : 1;
  bool refused = isGradient(*op) && (d->rows % 4 == 3 || (op->epilogue == epilogueSumsOfB && !op->transposeB));
  return refused ? notSupported : 0;
}

int cublasLtMatmul(Handle, Operation op, const void *, const void *a, Layout la, const void *b, Layout lb, const void *,
                   const void *, Layout, void *d, Layout ld, const Algorithm *, void *, size_t, sparsec::cuda::Stream) {
  int64_t m = ld->rows, n = ld->columns, k = op->transposeA ? la->rows : la->columns;
  bool sums = op->epilogue == epilogueSumsOfB, masked = op->epilogue == epilogueReluGradient;
  bool hasBias = !isGradient(*op) && op->epilogue & epilogueBias,
       relu = !isGradient(*op) && op->epilogue & epilogueRelu;
  if ((op->transposeA ? la->columns : la->rows) != m || (op->transposeB ? lb->rows : lb->columns) != n ||
      (op->transposeB ? lb->columns : lb->rows) != k || ((sums || hasBias) && !op->bias) ||
      (sums && (!op->transposeB || n == 1 || k == 1)) ||
      (masked && (!op->aux || op->auxLeading % 128 || op->auxLeading < m || k == 1)))
    return notSupported;
  auto left = [&](int64_t i, int64_t l) {
    return double(static_cast<const float *>(a)[op->transposeA ? i * la->leading + l : l * la->leading + i]);
  };
  auto right = [&](int64_t l, int64_t j) {
    return double(static_cast<const float *>(b)[op->transposeB ? l * lb->leading + j : j * lb->leading + l]);
  };
  for (int64_t j = 0; j < n; ++j) {
    double whole = 0;
    for (int64_t l = 0; l < k; ++l)
      whole += right(l, j);
    if (sums)
      op->bias[j] = float(whole);
    for (int64_t i = 0; i < m; ++i) {
      double sum = hasBias ? op->bias[i] : 0;
      for (int64_t l = 0; l < k; ++l)
        sum += left(i, l) * right(l, j);
      int64_t bit = j * op->auxLeading + i;
      if ((relu && sum < 0) || (masked && !(op->aux[bit / 8] >> bit % 8 & 1)))
        sum = 0;
      static_cast<float *>(d)[j * ld->leading + i] = float(sum);
    }
  }
  return 0;
}

} // extern "C"
