// cuBLASLt by its binary interface (CUDA 12 and 13): GEMMs with bias and relu in their epilogue.
#pragma once
#include "Runtime.h"
#include <map>
#include <memory>
#include <tuple>

namespace sparsec::cuda {

/// Declarations of cublasLt.h, as far as they are used.
namespace blas {
using Handle = struct OpaqueBlas *;
using Operation = struct OpaqueOperation *;   // cublasLtMatmulDesc_t
using Layout = struct OpaqueLayout *;         // cublasLtMatrixLayout_t
using Preference = struct OpaquePreference *; // cublasLtMatmulPreference_t
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
enum : int {
  real32 = 0, // CUDA_R_32F
  compute32 = 68,
  computeTf32 = 77,
  computeBf16 = 75,
  transposeA = 3, // CUBLASLT_MATMUL_DESC_*
  transposeB = 4,
  epilogue = 7,
  biasPointer = 8,
  epilogueNone = 1, // CUBLASLT_EPILOGUE_*
  epilogueRelu = 2,
  epilogueBias = 4,
  maxWorkspace = 1, // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
};
} // namespace blas

/// How products of floats are computed: exactly rounded products, or with shorter ones on tensor cores.
enum class Multiply { fp32, tf32, bf16 };

/// GEMMs of one device. Shapes are planned when they first come; a steady step plans and allocates nothing.
class Blas {
public:
  static Result<std::unique_ptr<Blas>> open(const Runtime &, Multiply);
  ~Blas();

  /// c[m, n] = activation(op(a)[m, k] op(b)[k, n] + bias[n]), row-major and dense; flags are SPARSEC_GEMM_*, bias may
  /// be null. m, n, k > 0. One stream uses an object.
  Status gemm(Stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, const float *bias,
              float *c);

private:
  struct Plan {
    blas::Operation operation = nullptr;
    blas::Layout left = nullptr, right = nullptr, result = nullptr;
    blas::Algorithm algorithm;
  };
  using Key = std::tuple<int32_t, bool, int64_t, int64_t, int64_t>; // flags, bias, m, n, k
  explicit Blas(const Runtime &cuda) : cuda(cuda) {}
  Status load();
  Status check(int code, const char *doing) const;
  Result<Plan *> planOf(const Key &);
  Status make(const Key &, Plan &) const;

  const Runtime &cuda;
  Library library;
  Multiply multiply = Multiply::fp32;
  blas::Handle handle = nullptr;
  void *workspace = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans;

  int (*create)(blas::Handle *) = nullptr;
  int (*destroy)(blas::Handle) = nullptr;
  const char *(*statusString)(int) = nullptr;
  int (*operationCreate)(blas::Operation *, int compute, int scaleType) = nullptr;
  int (*operationDestroy)(blas::Operation) = nullptr;
  int (*operationSet)(blas::Operation, int attribute, const void *, size_t) = nullptr;
  int (*layoutCreate)(blas::Layout *, int type, uint64_t rows, uint64_t columns, int64_t leading) = nullptr;
  int (*layoutDestroy)(blas::Layout) = nullptr;
  int (*preferenceCreate)(blas::Preference *) = nullptr;
  int (*preferenceDestroy)(blas::Preference) = nullptr;
  int (*preferenceSet)(blas::Preference, int attribute, const void *, size_t) = nullptr;
  int (*heuristic)(blas::Handle, blas::Operation, blas::Layout a, blas::Layout b, blas::Layout c, blas::Layout d,
                   blas::Preference, int wanted, blas::Heuristic *, int *found) = nullptr;
  int (*matmul)(blas::Handle, blas::Operation, const void *alpha, const void *a, blas::Layout, const void *b,
                blas::Layout, const void *beta, const void *c, blas::Layout, void *d, blas::Layout,
                const blas::Algorithm *, void *workspace, size_t bytes, Stream) = nullptr;
};

} // namespace sparsec::cuda
