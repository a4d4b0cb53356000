// What emulated kernels call.
#include "emulate/BlockRun.h"

using namespace sparsec;

static EmulatedThread &of(SparsecThread *thread) { return *static_cast<EmulatedThread *>(thread); }

extern "C" void sparsec_emulated_access(SparsecThread *thread, const void *address, int64_t bytes, int32_t access,
                                        const SparsecSite *site) {
  of(thread).run->access(of(thread), address, bytes, access, site);
}

extern "C" void sparsec_emulated_barrier(SparsecThread *thread, const SparsecSite *site) {
  of(thread).run->wait(of(thread), EmulatedThread::atBarrier, site);
}

extern "C" int64_t sparsec_emulated_shuffle(SparsecThread *thread, int64_t word, int64_t operand, int32_t mode,
                                            const SparsecSite *site) {
  EmulatedThread &me = of(thread);
  me.word = word;
  me.operand = operand;
  me.mode = mode;
  me.run->wait(me, EmulatedThread::atShuffle, site);
  return me.word;
}
