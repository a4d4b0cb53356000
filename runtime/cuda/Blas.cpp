#include "Blas.h"
#include "sparsec/abi.h"
#include <fmt/format.h>
#include <utility>

namespace sparsec::cuda {

namespace {
constexpr size_t workspaceBytes = size_t(32) << 20; // what cuBLASLt asks for on Hopper and later
constexpr int32_t gradients = SPARSEC_GEMM_SUMS | SPARSEC_GEMM_RELU_GRADIENT;
/// Beside SPARSEC_GEMM_*: products of whole floats, whatever else is asked for.
constexpr int32_t exactly = 1 << 16;

/// Bits of a row of a mask: cuBLASLt wants a multiple of 128.
int64_t bitsOfRow(int64_t n) { return (n + 127) / 128 * 128; }
} // namespace

Result<std::unique_ptr<Blas>> Blas::open(const Runtime &cuda, const Cub &cub, Multiply multiply) {
  Result<Library> library = Library::open({"libcublasLt.so.13", "libcublasLt.so.12"}, "matrix products (cuBLASLt)");
  if (!library)
    return library.status();
  std::unique_ptr<Blas> made(new Blas(cuda, cub, multiply));
  made->library = std::move(*library);
  if (Status status = made->load(); !status)
    return status;
  if (Status status = made->check(made->create(&made->handle), "starting cuBLASLt"); !status)
    return status;
  if (Status status = cuda.check(cuda.malloc(&made->workspace, workspaceBytes), "workspace of cuBLASLt"); !status)
    return status;
  return made;
}

Blas::~Blas() {
  for (auto &[key, plan] : plans)
    clear(*plan);
  if (handle)
    destroy(handle);
  for (void *memory : owned)
    cuda.free(memory);
  cuda.free(workspace);
}

Status Blas::load() {
  Status status;
  auto get = [&](const char *name, auto *&function) {
    if (status.ok())
      status = library.get(name, function);
  };
  get("cublasLtCreate", create);
  get("cublasLtDestroy", destroy);
  get("cublasLtGetStatusString", statusString);
  get("cublasLtMatmulDescCreate", operationCreate);
  get("cublasLtMatmulDescDestroy", operationDestroy);
  get("cublasLtMatmulDescSetAttribute", operationSet);
  get("cublasLtMatrixLayoutCreate", layoutCreate);
  get("cublasLtMatrixLayoutDestroy", layoutDestroy);
  get("cublasLtMatmulPreferenceCreate", preferenceCreate);
  get("cublasLtMatmulPreferenceDestroy", preferenceDestroy);
  get("cublasLtMatmulPreferenceSetAttribute", preferenceSet);
  get("cublasLtMatmulAlgoGetHeuristic", heuristic);
  get("cublasLtMatmul", matmul);
  return status;
}

Status Blas::check(int code, const char *doing) const {
  return code == 0 ? Status()
                   : Status::error(fmt::format("{}: {} (cuBLAS status {})", doing, statusString(code), code));
}

//===- plans -----------------------------------------------------------------------------------------------------===//

static uint32_t epilogueOf(int32_t flags, bool hasBias, bool fused) {
  if (flags & gradients)
    return !fused ? blas::epilogueNone : flags & SPARSEC_GEMM_SUMS ? blas::epilogueSumsOfB : blas::epilogueReluGradient;
  if (!(flags & SPARSEC_GEMM_RELU) && !hasBias)
    return blas::epilogueNone;
  return (flags & SPARSEC_GEMM_RELU ? blas::epilogueRelu : 0) | (hasBias ? blas::epilogueBias : 0);
}

/// cuBLASLt counts by columns: the transposed product of the same bytes, c^T = op(b)^T op(a)^T. So sums of op(a) over k
/// are those of its second operand, and a row of c is a column of its result.
Status Blas::describe(const Key &key, const float *with, Plan &plan) const {
  auto [flags, hasBias, m, n, k] = key;
  int compute = multiply == Multiply::fp32 || flags & exactly ? blas::compute32
                : multiply == Multiply::tf32                  ? blas::computeTf32
                                                              : blas::computeBf16;
  int32_t transposeLeft = (flags & SPARSEC_GEMM_TRANSPOSE_B) != 0,
          transposeRight = (flags & SPARSEC_GEMM_TRANSPOSE_A) != 0;
  uint32_t epilogue = epilogueOf(flags, hasBias, plan.fused);
  Status status = check(operationCreate(&plan.operation, compute, blas::real32), "describing a product");
  auto set = [&](int attribute, const auto &value) {
    if (status.ok())
      status = check(operationSet(plan.operation, attribute, &value, sizeof value), "describing a product");
  };
  auto matrix = [&](blas::Layout &layout, int64_t rows, int64_t columns) {
    if (status.ok())
      status =
          check(layoutCreate(&layout, blas::real32, uint64_t(rows), uint64_t(columns), rows), "describing a matrix");
  };
  set(blas::transposeA, transposeLeft);
  set(blas::transposeB, transposeRight);
  set(blas::epilogue, epilogue);
  if (epilogue == blas::epilogueReluGradient) { // pointers say how they are aligned
    set(blas::auxLeading, bitsOfRow(n));
    set(blas::auxPointer, bits.memory);
  } else if (epilogue & (blas::epilogueBias | blas::epilogueSumsOfB)) {
    set(blas::biasPointer, with);
  }
  transposeLeft ? matrix(plan.left, k, n) : matrix(plan.left, n, k);
  transposeRight ? matrix(plan.right, m, k) : matrix(plan.right, k, m);
  matrix(plan.result, n, m);
  return status;
}

/// An epilogue that a library does not have for a product is an error of its own there, or has no algorithm.
Result<bool> Blas::chooseAlgorithm(Plan &plan) const {
  blas::Preference preference = nullptr;
  if (Status status = check(preferenceCreate(&preference), "choosing an algorithm"); !status)
    return status;
  blas::Heuristic best{};
  int found = 0;
  Status status = check(preferenceSet(preference, blas::maxWorkspace, &workspaceBytes, sizeof workspaceBytes),
                        "choosing an algorithm");
  int code = blas::notSupported;
  if (status.ok())
    code = heuristic(handle, plan.operation, plan.left, plan.right, plan.result, plan.result, preference, 1, &best,
                     &found);
  preferenceDestroy(preference);
  if (!status.ok())
    return status;
  if (code != 0 && code != blas::notSupported && code != blas::invalidValue)
    return check(code, "choosing an algorithm");
  plan.algorithm = best.algorithm;
  return code == 0 && found > 0 && best.state == 0;
}

void Blas::clear(Plan &plan) const {
  for (blas::Layout layout : {plan.left, plan.right, plan.result})
    if (layout)
      layoutDestroy(layout);
  if (plan.operation)
    operationDestroy(plan.operation);
  plan = {};
}

/// The product with what follows it, if there is an algorithm for that, else the product alone. Sums of one row or of
/// one number each, and relu's gradient of products of one number, are none of cuBLASLt's.
Result<Blas::Plan *> Blas::planOf(Stream stream, const Key &key, const float *with) {
  if (auto found = plans.find(key); found != plans.end())
    return found->second.get();
  auto [flags, hasBias, m, n, k] = key;
  bool follows = flags & gradients, mayFuse = k > 1 && (m > 1 || !(flags & SPARSEC_GEMM_SUMS));
  auto plan = std::make_unique<Plan>();
  for (bool fused : {true, false}) {
    if (fused ? follows && !mayFuse : !follows)
      continue;
    clear(*plan);
    plan->fused = fused;
    Status status;
    if (fused && flags & SPARSEC_GEMM_RELU_GRADIENT)
      status = grow(bits, m * bitsOfRow(n) / 8);
    if (!fused && flags & SPARSEC_GEMM_SUMS)
      status = reserveOnes(stream, k);
    if (status.ok())
      status = describe(key, with, *plan);
    Result<bool> chosen = status.ok() ? chooseAlgorithm(*plan) : Result<bool>(status);
    if (chosen && *chosen)
      return (plans[key] = std::move(plan)).get();
    if (!chosen) {
      clear(*plan);
      return chosen.status();
    }
  }
  clear(*plan);
  return Status::error(fmt::format("cuBLASLt has no algorithm for a product of {} x {} x {}", m, n, k));
}

//===- memory of plans -------------------------------------------------------------------------------------------===//

Status Blas::grow(Grown &grown, int64_t bytes) {
  if (bytes <= grown.bytes)
    return {};
  void *memory = nullptr;
  if (Status status = cuda.check(cuda.malloc(&memory, size_t(bytes)), "memory for matrix products"); !status)
    return status;
  owned.push_back(memory);
  grown = {memory, bytes};
  return {};
}

Status Blas::reserveOnes(Stream stream, int64_t k) {
  int64_t bytes = k * int64_t(sizeof(float));
  if (bytes <= ones.bytes)
    return {};
  if (Status status = grow(ones, bytes); !status)
    return status;
  hostOnes.emplace_back(k, 1.f);
  return cuda.check(cuda.memcpyAsync(ones.memory, hostOnes.back().data(), size_t(bytes), memcpyDefault, stream),
                    "copying to the GPU");
}

//===- products --------------------------------------------------------------------------------------------------===//

Status Blas::prepare(Stream stream, int32_t flags, const Plan &plan, int64_t m, int64_t n, float *with) {
  if (flags & gradients && !plan.fused)
    return {};
  if (!(flags & SPARSEC_GEMM_RELU_GRADIENT))
    return with ? check(operationSet(plan.operation, blas::biasPointer, &with, sizeof with), "setting a bias")
                : Status();
  auto *mask = static_cast<uint32_t *>(bits.memory);
  if (Status status = cuda.check(cub.reluBits(with, m, n, bitsOfRow(n), mask, stream), "making a mask"); !status)
    return status;
  return check(operationSet(plan.operation, blas::auxPointer, &mask, sizeof mask), "setting a mask");
}

Status Blas::finish(Stream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, float *with,
                    float *c) {
  if (flags & SPARSEC_GEMM_RELU_GRADIENT)
    return cuda.check(cub.reluGradient(with, c, m * n, stream), "applying relu's gradient");
  return gemm(stream, (flags & SPARSEC_GEMM_TRANSPOSE_A) | exactly, m, 1, k, a, static_cast<const float *>(ones.memory),
              nullptr, with);
}

Status Blas::gemm(Stream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                  float *with, float *c) {
  Result<Plan *> plan = planOf(stream, {flags, with != nullptr, m, n, k}, with);
  if (!plan)
    return plan.status();
  const Plan &p = **plan;
  if (Status status = prepare(stream, flags, p, m, n, with); !status)
    return status;
  const float one = 1, zero = 0;
  Status status = check(matmul(handle, p.operation, &one, b, p.left, a, p.right, &zero, c, p.result, c, p.result,
                               &p.algorithm, workspace, workspaceBytes, stream),
                        "multiplying matrices");
  return status.ok() && !p.fused ? finish(stream, flags, m, n, k, a, with, c) : status;
}

} // namespace sparsec::cuda
