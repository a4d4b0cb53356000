// Open MPI opened at run time, by its binary interface: neither mpi.h nor libmpi is needed to build or to start.
#pragma once
#include "sparsec/Status.h"
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace sparsec::mpi {

// Open MPI's handles are pointers to its objects (ompi/include/mpi.h.in, the same in versions 4 and 5).
using Comm = struct OpaqueComm *;
using Datatype = struct OpaqueDatatype *;
using Request = struct OpaqueRequest *;
using Errhandler = struct OpaqueErrhandler *;

struct MpiStatus {
  int source, tag, error;
  int cancelled;
  size_t bytes;
};

enum : int {
  success = 0,
  errorTruncated = 15,
  errorInStatus = 18, // look at each status
  anyTag = -1,
  anySource = -1,
  undefinedColor = -32766,
  threadMultiple = 3
};

/// The functions in use. Closes the library, and finalises MPI if `owner`, when the last user goes.
class Library {
public:
  static Result<std::shared_ptr<Library>> open();
  ~Library();

  /// fine, or `doing what`: what MPI says about `code`.
  Status check(int code, const char *doing) const;

  bool owner = false;
  std::atomic<bool> broken = false; // a rank failed: MPI_Finalize could wait for ever

  Comm world = nullptr;
  Datatype byte = nullptr;
  Request requestNull = nullptr;
  Errhandler errorsReturn = nullptr;

  int (*getLibraryVersion)(char *, int *) = nullptr;
  int (*initialized)(int *) = nullptr;
  int (*finalized)(int *) = nullptr;
  int (*initThread)(int *, char ***, int, int *) = nullptr;
  int (*queryThread)(int *) = nullptr;
  int (*finalize)() = nullptr;
  int (*errorString)(int, char *, int *) = nullptr;
  int (*commRank)(Comm, int *) = nullptr;
  int (*commSize)(Comm, int *) = nullptr;
  int (*commDup)(Comm, Comm *) = nullptr;
  int (*commSplit)(Comm, int, int, Comm *) = nullptr;
  int (*commFree)(Comm *) = nullptr;
  int (*commSetErrhandler)(Comm, Errhandler) = nullptr;
  int (*isend)(const void *, int, Datatype, int, int, Comm, Request *) = nullptr;
  int (*irecv)(void *, int, Datatype, int, int, Comm, Request *) = nullptr;
  int (*recv)(void *, int, Datatype, int, int, Comm, MpiStatus *) = nullptr;
  int (*testsome)(int, Request *, int *, int *, MpiStatus *) = nullptr;
  int (*iprobe)(int, int, Comm, int *, MpiStatus *) = nullptr;
  int (*cancel)(Request *) = nullptr;
  int (*requestFree)(Request *) = nullptr;

private:
  Library() = default;
  Status load();
  Status initialise();
  void *handle = nullptr;
};

} // namespace sparsec::mpi
