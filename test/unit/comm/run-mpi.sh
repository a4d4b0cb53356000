#!/bin/sh
# run-mpi.sh RANKS PROGRAM ARGUMENT...: a program under mpirun, also as root, in a container and on few cores. With
# --failure=... in the arguments, the program must say "as expected" on every rank; its exit code is then not looked at.
ranks=$1
shift
if ! command -v mpirun >/dev/null; then
  echo "skipped: no mpirun"
  exit 77
fi
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=0 # Open MPI keeps memory until the end
out=$(mktemp)
trap 'rm -f "$out"' EXIT
mpirun --allow-run-as-root --oversubscribe -np "$ranks" "$@" >"$out" 2>&1
code=$?
cat "$out"
case "$*" in
*--failure=*) [ "$(grep -c 'as expected' "$out")" = "$ranks" ] ;;
*) exit $code ;;
esac
