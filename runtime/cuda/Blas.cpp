#include "Blas.h"
#include "sparsec/abi.h"
#include <fmt/format.h>
#include <utility>

namespace sparsec::cuda {

namespace {
constexpr size_t workspaceBytes = size_t(32) << 20; // what cuBLASLt asks for on Hopper and later
}

Result<std::unique_ptr<Blas>> Blas::open(const Runtime &cuda, Multiply multiply) {
  Result<Library> library = Library::open({"libcublasLt.so.13", "libcublasLt.so.12"}, "matrix products (cuBLASLt)");
  if (!library)
    return library.status();
  std::unique_ptr<Blas> made(new Blas(cuda));
  made->library = std::move(*library);
  made->multiply = multiply;
  if (Status status = made->load(); !status)
    return status;
  if (Status status = made->check(made->create(&made->handle), "starting cuBLASLt"); !status)
    return status;
  if (Status status = cuda.check(cuda.malloc(&made->workspace, workspaceBytes), "workspace of cuBLASLt"); !status)
    return status;
  return made;
}

Blas::~Blas() {
  for (auto &[key, plan] : plans) {
    layoutDestroy(plan->left);
    layoutDestroy(plan->right);
    layoutDestroy(plan->result);
    operationDestroy(plan->operation);
  }
  if (handle)
    destroy(handle);
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

/// cuBLASLt counts by columns: the transposed product of the same bytes, c^T = op(b)^T op(a)^T.
Status Blas::make(const Key &key, Plan &plan) const {
  auto [flags, hasBias, m, n, k] = key;
  int compute = multiply == Multiply::fp32   ? blas::compute32
                : multiply == Multiply::tf32 ? blas::computeTf32
                                             : blas::computeBf16;
  int32_t transposeLeft = (flags & SPARSEC_GEMM_TRANSPOSE_B) != 0,
          transposeRight = (flags & SPARSEC_GEMM_TRANSPOSE_A) != 0;
  uint32_t epilogue = (flags & SPARSEC_GEMM_RELU) || hasBias ? 0 : blas::epilogueNone;
  epilogue |= (flags & SPARSEC_GEMM_RELU ? blas::epilogueRelu : 0) | (hasBias ? blas::epilogueBias : 0);
  blas::Preference preference = nullptr;
  blas::Heuristic best{};
  int found = 0;
  Status status;
  auto step = [&](int code, const char *doing) {
    if (status.ok())
      status = check(code, doing);
    return status.ok();
  };
  auto matrix = [&](blas::Layout &layout, int64_t rows, int64_t columns) {
    return step(layoutCreate(&layout, blas::real32, uint64_t(rows), uint64_t(columns), rows), "describing a matrix");
  };
  bool described = step(operationCreate(&plan.operation, compute, blas::real32), "describing a product") &&
                   step(operationSet(plan.operation, blas::transposeA, &transposeLeft, 4), "describing a product") &&
                   step(operationSet(plan.operation, blas::transposeB, &transposeRight, 4), "describing a product") &&
                   step(operationSet(plan.operation, blas::epilogue, &epilogue, 4), "describing an epilogue") &&
                   (transposeLeft ? matrix(plan.left, k, n) : matrix(plan.left, n, k)) &&
                   (transposeRight ? matrix(plan.right, m, k) : matrix(plan.right, k, m)) &&
                   matrix(plan.result, n, m) && step(preferenceCreate(&preference), "choosing an algorithm") &&
                   step(preferenceSet(preference, blas::maxWorkspace, &workspaceBytes, sizeof workspaceBytes),
                        "choosing an algorithm");
  if (described)
    step(heuristic(handle, plan.operation, plan.left, plan.right, plan.result, plan.result, preference, 1, &best,
                   &found),
         "choosing an algorithm");
  if (preference)
    preferenceDestroy(preference);
  if (status.ok() && (found == 0 || best.state != 0))
    return Status::error(fmt::format("cuBLASLt has no algorithm for a product of {} x {} x {}", m, n, k));
  plan.algorithm = best.algorithm;
  return status;
}

Result<Blas::Plan *> Blas::planOf(const Key &key) {
  if (auto found = plans.find(key); found != plans.end())
    return found->second.get();
  auto plan = std::make_unique<Plan>();
  if (Status status = make(key, *plan); !status)
    return status;
  return (plans[key] = std::move(plan)).get();
}

Status Blas::gemm(Stream stream, int32_t flags, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                  const float *bias, float *c) {
  Result<Plan *> plan = planOf({flags, bias != nullptr, m, n, k});
  if (!plan)
    return plan.status();
  const Plan &p = **plan;
  if (bias)
    if (Status status = check(operationSet(p.operation, blas::biasPointer, &bias, sizeof bias), "setting a bias");
        !status)
      return status;
  const float one = 1, zero = 0;
  return check(matmul(handle, p.operation, &one, b, p.left, a, p.right, &zero, c, p.result, c, p.result, &p.algorithm,
                      workspace, workspaceBytes, stream),
               "multiplying matrices");
}

} // namespace sparsec::cuda
