// oneDNN as our threads call it: each call on one thread, primitives shared by
// all of them.
#pragma once
#include "cpu/Idle.h"
#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace sparsec {

/// Holds this thread's calls of oneDNN to one thread: it takes the count from
/// OpenMP, a setting of each calling thread.
class OneThread {
public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

  /// False: oneDNN does not use the OpenMP that we know how to set.
  static bool possible();

private:
  int before;
};

/// A prepared primitive with the memory objects and scratchpads of those who
/// run it at once.
class Primitive {
public:
  struct Argument {
    int which; // DNNL_ARG_*
    dnnl::memory::desc layout;
  };
  /// `scratchpad` as the primitive's descriptor has it in user mode.
  Primitive(dnnl::engine engine, dnnl::primitive primitive, std::vector<Argument> arguments,
            dnnl::memory::desc scratchpad);

  static dnnl::primitive_attr attributes();

  /// `data` in the order of the arguments. Any number of threads may run one
  /// primitive; does not throw.
  dnnl_status_t run(std::initializer_list<const float *> data) const;

private:
  struct Call {
    dnnl::stream stream;
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
    Buffer scratchpad;
  };
  Call makeCall() const;

  dnnl::engine engine;
  dnnl::primitive primitive;
  std::vector<Argument> arguments;
  dnnl::memory::desc scratchpad;
  mutable Idle<Call> idle;
};

} // namespace sparsec
