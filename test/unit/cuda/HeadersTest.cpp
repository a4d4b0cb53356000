// What runtime/cuda declares of CUDA's libraries, held against their headers.
#include "cuda/Blas.h"
#include "cuda/Nccl.h"
#include "cuda/Runtime.h"
#include <gtest/gtest.h>
#include <type_traits>
#ifdef SPARSEC_CUDA_HEADERS
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#endif

namespace sparsec::cuda {
namespace {

TEST(CudaHeaders, NumbersAndStructs) {
#ifndef SPARSEC_CUDA_HEADERS
  GTEST_SKIP() << "no CUDA toolkit here";
#else
  EXPECT_EQ(errorNotReady, cudaErrorNotReady);
  EXPECT_EQ(errorInsufficientDriver, cudaErrorInsufficientDriver);
  EXPECT_EQ(errorNoDevice, cudaErrorNoDevice);
  EXPECT_EQ(errorNoKernelImage, cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(streamNonBlocking, cudaStreamNonBlocking);
  EXPECT_EQ(eventDisableTiming, cudaEventDisableTiming);
  EXPECT_EQ(captureThreadLocal, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(memcpyDefault, cudaMemcpyDefault);
  EXPECT_EQ(attributeMajor, cudaDevAttrComputeCapabilityMajor);
  EXPECT_EQ(attributeMinor, cudaDevAttrComputeCapabilityMinor);
  EXPECT_EQ(sizeof(Dim3), sizeof(dim3));

  EXPECT_EQ(sizeof(blas::Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(blas::Heuristic), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(blas::Heuristic, state), offsetof(cublasLtMatmulHeuristicResult_t, state));
  EXPECT_EQ(blas::real32, CUDA_R_32F);
  EXPECT_EQ(blas::compute32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(blas::computeTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(blas::computeBf16, CUBLAS_COMPUTE_32F_FAST_16BF);
  EXPECT_EQ(blas::transposeA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(blas::transposeB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(blas::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(blas::biasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(blas::auxPointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
  EXPECT_EQ(blas::auxLeading, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  EXPECT_EQ(blas::epilogueNone, CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(blas::epilogueRelu, CUBLASLT_EPILOGUE_RELU);
  EXPECT_EQ(blas::epilogueBias, CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(blas::epilogueRelu | blas::epilogueBias, CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(blas::epilogueReluGradient, CUBLASLT_EPILOGUE_DRELU);
  EXPECT_EQ(blas::epilogueSumsOfB, CUBLASLT_EPILOGUE_BGRADB);
  EXPECT_EQ(blas::invalidValue, CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(blas::notSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(blas::maxWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);

  EXPECT_EQ(sizeof(nccl::UniqueId), sizeof(ncclUniqueId));
  EXPECT_EQ(nccl::inProgress, ncclInProgress);
  EXPECT_EQ(nccl::float32, ncclFloat32);
  EXPECT_EQ(nccl::int8, ncclInt8);
  EXPECT_EQ(nccl::sum, ncclSum);
  EXPECT_EQ(nccl::noColor, NCCL_SPLIT_NOCOLOR);
#endif
}

#ifdef SPARSEC_CUDA_HEADERS
/// The same number of arguments of the same sizes: pointers for pointers, numbers for numbers.
template <typename Mine, typename Theirs>
constexpr bool
    alike = sizeof(Mine) == sizeof(Theirs) &&
            std::is_pointer_v<Mine> == std::is_pointer_v<Theirs> &&std::is_class_v<Mine> == std::is_class_v<Theirs>;
template <typename R, typename... Mine, typename S, typename... Theirs>
constexpr bool sameCall(R (*)(Mine...), S (*)(Theirs...)) {
  if constexpr (sizeof...(Mine) != sizeof...(Theirs))
    return false;
  else
    return alike<R, S> && (alike<Mine, Theirs> && ...);
}
#define SAME_CALL(member, function) EXPECT_TRUE(sameCall(decltype(Runtime::member)(), decltype (&function)(nullptr)))
#endif

TEST(CudaHeaders, CallsOfStreamsEventsAndGraphs) {
#ifndef SPARSEC_CUDA_HEADERS
  GTEST_SKIP() << "no CUDA toolkit here";
#else
  SAME_CALL(streamQuery, cudaStreamQuery);
  SAME_CALL(streamWaitEvent, cudaStreamWaitEvent);
  SAME_CALL(eventQuery, cudaEventQuery);
  SAME_CALL(eventRecord, cudaEventRecord);
  SAME_CALL(memcpyAsync, cudaMemcpyAsync);
  SAME_CALL(streamBeginCapture, cudaStreamBeginCapture);
  SAME_CALL(streamEndCapture, cudaStreamEndCapture);
  // C++ has more of that name.
  using Instantiate =
      decltype(static_cast<cudaError_t (*)(cudaGraphExec_t *, cudaGraph_t, unsigned long long)>(cudaGraphInstantiate));
  EXPECT_TRUE(sameCall(decltype(Runtime::graphInstantiate)(), Instantiate()));
  SAME_CALL(graphLaunch, cudaGraphLaunch);
  SAME_CALL(graphDestroy, cudaGraphDestroy);
  SAME_CALL(graphExecDestroy, cudaGraphExecDestroy);
#endif
}

/// On a machine without GPUs; where there is one, device checks run the real thing.
TEST(CudaRuntime, SaysWhatIsMissingInOneLine) {
  Result<Runtime> runtime = Runtime::open();
  if (runtime)
    GTEST_SKIP() << "there is a GPU here";
  const std::string &why = runtime.status().message();
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  EXPECT_TRUE(why.starts_with("no CUDA driver") || why.starts_with("no GPU") || why.starts_with("no library for"))
      << why;
}

} // namespace
} // namespace sparsec::cuda
