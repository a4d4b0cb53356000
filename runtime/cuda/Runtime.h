// The CUDA runtime by its binary interface (CUDA 12 and 13): neither its headers nor its libraries are needed to build
// or to start. test/unit/cuda compares what is declared here with the headers where there are any.
#pragma once
#include "Library.h"
#include <cstddef>
#include <cstdint>

namespace sparsec::cuda {

using Error = int; // cudaError_t
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;
using CodeLibrary = struct OpaqueCodeLibrary *; // cudaLibrary_t
using Function = struct OpaqueFunction *;       // cudaKernel_t
using Graph = struct OpaqueGraph *;
using GraphExec = struct OpaqueGraphExec *;

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

enum : int {
  success = 0,
  errorNotReady = 600,
  errorInsufficientDriver = 35,
  errorNoDevice = 100,
  errorNoKernelImage = 209,
  streamNonBlocking = 1,
  eventDisableTiming = 2,
  captureThreadLocal = 1,
  memcpyDefault = 4,
  attributeMajor = 75, // cudaDevAttrComputeCapabilityMajor
  attributeMinor = 76,
};

/// The functions in use.
class Runtime {
public:
  /// Errors, each one line: no driver, no library, no device.
  static Result<Runtime> open();
  /// fine, or `doing what`: what CUDA says about `code`.
  Status check(Error code, const char *doing) const;

  Error (*driverGetVersion)(int *) = nullptr;
  Error (*getDeviceCount)(int *) = nullptr;
  Error (*setDevice)(int) = nullptr;
  Error (*deviceGetAttribute)(int *, int attribute, int device) = nullptr;
  Error (*memGetInfo)(size_t *free, size_t *total) = nullptr;
  const char *(*getErrorString)(Error) = nullptr;
  Error (*getLastError)() = nullptr;
  Error (*malloc)(void **, size_t) = nullptr;
  Error (*free)(void *) = nullptr;
  Error (*mallocHost)(void **, size_t) = nullptr;
  Error (*freeHost)(void *) = nullptr;
  Error (*memcpyAsync)(void *, const void *, size_t, int kind, Stream) = nullptr;
  Error (*memsetAsync)(void *, int value, size_t, Stream) = nullptr;
  Error (*streamCreateWithFlags)(Stream *, unsigned flags) = nullptr;
  Error (*streamDestroy)(Stream) = nullptr;
  Error (*streamSynchronize)(Stream) = nullptr;
  Error (*streamQuery)(Stream) = nullptr;
  Error (*streamWaitEvent)(Stream, Event, unsigned flags) = nullptr;
  Error (*eventCreateWithFlags)(Event *, unsigned flags) = nullptr;
  Error (*eventQuery)(Event) = nullptr;
  Error (*eventRecord)(Event, Stream) = nullptr;
  Error (*eventElapsedTime)(float *milliseconds, Event from, Event to) = nullptr;
  Error (*eventDestroy)(Event) = nullptr;
  Error (*libraryLoadData)(CodeLibrary *, const void *code, int *jitOptions, void **jitValues, unsigned jitCount,
                           int *options, void **values, unsigned count) = nullptr;
  Error (*libraryUnload)(CodeLibrary) = nullptr;
  Error (*libraryGetKernel)(Function *, CodeLibrary, const char *name) = nullptr;
  Error (*launchKernel)(const void *function, Dim3 blocks, Dim3 threads, void **arguments, size_t shared,
                        Stream) = nullptr;
  Error (*streamBeginCapture)(Stream, int mode) = nullptr;
  Error (*streamEndCapture)(Stream, Graph *) = nullptr;
  Error (*graphInstantiate)(GraphExec *, Graph, unsigned long long flags) = nullptr;
  Error (*graphLaunch)(GraphExec, Stream) = nullptr;
  Error (*graphDestroy)(Graph) = nullptr;
  Error (*graphExecDestroy)(GraphExec) = nullptr;

private:
  Status load();
  Status findDevice() const;
  Library library;
};

} // namespace sparsec::cuda
