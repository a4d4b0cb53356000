#include "comm/backends/MpiLibrary.h"
#include <dlfcn.h>
#include <fmt/format.h>

using namespace sparsec;
using namespace sparsec::mpi;

Result<std::shared_ptr<Library>> Library::open() {
  std::shared_ptr<Library> library(new Library);
  if (Status loaded = library->load(); !loaded)
    return loaded;
  if (Status initialised = library->initialise(); !initialised)
    return initialised;
  return library;
}

Status Library::load() {
  // RTLD_GLOBAL: Open MPI opens plugins that look for its symbols.
  handle = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    return Status::error(
        fmt::format("several ranks need Open MPI 4 or 5, but `libmpi.so.40` does not open: {}; install it "
                    "(Debian: libopenmpi3), or add its folder to LD_LIBRARY_PATH",
                    dlerror()));
  Status missing;
  auto find = [&](auto &target, const char *symbol) {
    target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(dlsym(handle, symbol));
    if (!target && missing.ok())
      missing = Status::error(fmt::format("`libmpi.so.40` has no `{}`: expected Open MPI 4 or 5", symbol));
  };
  find(world, "ompi_mpi_comm_world");
  find(byte, "ompi_mpi_byte");
  find(requestNull, "ompi_request_null");
  find(errorsReturn, "ompi_mpi_errors_return");
  find(getLibraryVersion, "MPI_Get_library_version");
  find(initialized, "MPI_Initialized");
  find(finalized, "MPI_Finalized");
  find(initThread, "MPI_Init_thread");
  find(queryThread, "MPI_Query_thread");
  find(finalize, "MPI_Finalize");
  find(errorString, "MPI_Error_string");
  find(commRank, "MPI_Comm_rank");
  find(commSize, "MPI_Comm_size");
  find(commDup, "MPI_Comm_dup");
  find(commSplit, "MPI_Comm_split");
  find(commFree, "MPI_Comm_free");
  find(commSetErrhandler, "MPI_Comm_set_errhandler");
  find(isend, "MPI_Isend");
  find(irecv, "MPI_Irecv");
  find(recv, "MPI_Recv");
  find(testsome, "MPI_Testsome");
  find(iprobe, "MPI_Iprobe");
  find(cancel, "MPI_Cancel");
  find(requestFree, "MPI_Request_free");
  if (!missing)
    return missing;

  char text[8192] = {}; // MPI_MAX_LIBRARY_VERSION_STRING is 256 in Open MPI, 8192 in MPICH
  int length = 0;
  getLibraryVersion(text, &length);
  std::string version(text, length);
  if (!version.starts_with("Open MPI v4.") && !version.starts_with("Open MPI v5."))
    return Status::error(fmt::format("expected Open MPI 4 or 5, but `libmpi.so.40` is `{}`", version));
  return {};
}

Status Library::initialise() {
  int is = 0, was = 0, level = 0;
  finalized(&was);
  if (was)
    return Status::error("MPI has been finalised in this process and cannot start again");
  initialized(&is);
  if (is) {
    queryThread(&level);
  } else {
    if (Status done = check(initThread(nullptr, nullptr, threadMultiple, &level), "MPI_Init_thread"); !done)
      return done;
    owner = true;
  }
  if (level < threadMultiple)
    return Status::error(
        fmt::format("MPI must allow calls from several threads (MPI_THREAD_MULTIPLE, 3), but got level "
                    "{}; initialise it with that level, or leave it to sparsec",
                    level));
  return {};
}

Library::~Library() {
  if (owner && !broken)
    finalize();
  // The library stays open: MPI leaves threads and exit handlers behind.
}

Status Library::check(int code, const char *doing) const {
  if (code == success)
    return {};
  char text[1024] = {};
  int length = 0;
  errorString(code, text, &length);
  return Status::error(fmt::format("{} failed: {}", doing, std::string(text, length)));
}
