#include "cpu/OneDnn.h"
#include <dlfcn.h>
#include <new>

using namespace sparsec;

namespace {
struct OpenMp {
  int (*getThreads)() = nullptr;
  void (*setThreads)(int) = nullptr;

  OpenMp() {
    void *library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD); // oneDNN has loaded it
    if (!library)
      return;
    getThreads = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
    setThreads = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    dlclose(library); // oneDNN holds it
  }
  static const OpenMp &instance() {
    static const OpenMp openmp;
    return openmp;
  }
};
} // namespace

bool OneThread::possible() { return OpenMp::instance().getThreads && OpenMp::instance().setThreads; }

OneThread::OneThread() : before(OpenMp::instance().getThreads()) {
  if (before != 1)
    OpenMp::instance().setThreads(1);
}

OneThread::~OneThread() {
  if (before != 1)
    OpenMp::instance().setThreads(before);
}

Primitive::Primitive(dnnl::engine engine, dnnl::primitive primitive, std::vector<Argument> arguments,
                     dnnl::memory::desc scratchpad)
    : engine(std::move(engine)), primitive(std::move(primitive)), arguments(std::move(arguments)),
      scratchpad(std::move(scratchpad)) {}

dnnl::primitive_attr Primitive::attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user); // the library's own belongs to the creating
                                                               // thread
  return attributes;
}

Primitive::Call Primitive::makeCall() const {
  Call call{dnnl::stream(engine), {}, {}, {}};
  for (const Argument &argument : arguments) {
    call.memories.push_back(dnnl::memory(argument.layout, engine, DNNL_MEMORY_NONE));
    call.arguments.push_back({argument.which, call.memories.back().get()});
  }
  float *scratch = call.scratchpad.atLeast(scratchpad.get_size() / sizeof(float) + 1);
  call.memories.push_back(dnnl::memory(scratchpad, engine, scratch));
  call.arguments.push_back({DNNL_ARG_SCRATCHPAD, call.memories.back().get()});
  return call;
}

dnnl_status_t Primitive::run(std::initializer_list<const float *> data) const try {
  auto call = idle.borrow([&] { return makeCall(); });
  size_t i = 0;
  for (const float *x : data) // oneDNN has one kind of handle for what it reads
                              // and what it writes
    if (dnnl_status_t status = dnnl_memory_set_data_handle(call->arguments[i++].memory, const_cast<float *>(x)))
      return status;
  OneThread one;
  dnnl_stream_t stream = call->stream.get();
  dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), stream, call->arguments.size(), call->arguments.data());
  return status ? status : dnnl_stream_wait(stream);
} catch (const dnnl::error &error) {
  return error.status;
} catch (const std::bad_alloc &) {
  return dnnl_out_of_memory;
}
