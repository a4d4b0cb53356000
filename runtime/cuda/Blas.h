// cuBLASLt by its binary interface (CUDA 12 and 13): GEMMs with bias, relu and their gradients in their epilogue.
#pragma once
#include "Cub.h"
#include "Runtime.h"
#include <map>
#include <memory>
#include <tuple>
#include <vector>

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
  auxPointer = 11,
  auxLeading = 12,
  epilogueNone = 1, // CUBLASLT_EPILOGUE_*
  epilogueRelu = 2,
  epilogueBias = 4,
  epilogueReluGradient = 136, // DRELU
  epilogueSumsOfB = 512,      // BGRADB
  maxWorkspace = 1,           // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
  invalidValue = 7,           // CUBLAS_STATUS_*
  notSupported = 15,
};
} // namespace blas

/// How products of floats are computed: exactly rounded products, or with shorter ones on tensor cores.
enum class Multiply { fp32, tf32, bf16 };

/// GEMMs of one device. Shapes are planned when they first come; a steady step plans and allocates nothing.
class Blas {
public:
  static Result<std::unique_ptr<Blas>> open(const Runtime &, const Cub &, Multiply);
  ~Blas();

  /// As abi.h's sparsec_gemm, m, n, k > 0. One stream uses an object.
  Status gemm(Stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *with,
              float *c);

private:
  struct Plan {
    blas::Operation operation = nullptr;
    blas::Layout left = nullptr, right = nullptr, result = nullptr;
    blas::Algorithm algorithm;
    bool fused = true; // what follows the product is done by it
  };
  using Key = std::tuple<int32_t, bool, int64_t, int64_t, int64_t>; // flags, whether there is a `with`, m, n, k
  Blas(const Runtime &cuda, const Cub &cub, Multiply multiply) : cuda(cuda), cub(cub), multiply(multiply) {}
  Status load();
  Status check(int code, const char *doing) const;

  Result<Plan *> planOf(Stream, const Key &, const float *with);
  Status describe(const Key &, const float *with, Plan &) const;
  /// False: there is none.
  Result<bool> chooseAlgorithm(Plan &) const;
  void clear(Plan &) const;

  /// What has to be known or done before the product; and behind it, where its plan does not do that.
  Status prepare(Stream, int32_t flags, const Plan &, int64_t m, int64_t n, float *with);
  Status finish(Stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, float *with, float *c);
  Status reserveOnes(Stream, int64_t k);

  const Runtime &cuda;
  const Cub &cub;
  Library library;
  const Multiply multiply;
  blas::Handle handle = nullptr;
  void *workspace = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans;

  // Memory that some plans need beside the workspace: a mask of bits, a vector of ones. It grows when a shape is
  // planned; what was there before stays, as recorded work may name it.
  struct Grown {
    void *memory = nullptr;
    int64_t bytes = 0;
  };
  Status grow(Grown &, int64_t bytes);
  Grown bits, ones;
  std::vector<void *> owned;
  std::vector<std::vector<float>> hostOnes; // copied when the stream comes to it

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
