#!/usr/bin/env bash
# What compiling and starting cost, in CPU time (a loaded machine stretches the clock on the wall); what the executable
# links.
source "$(dirname "$0")/support/scripts.sh"

# within LIMIT WHAT COMMAND: the least of three runs
within() {
  local limit=$1 what=$2 least=
  shift 2
  for _ in 1 2 3; do
    local used
    used=$(cpu_seconds "$@") || fail "$what fails"
    { [ -z "$least" ] || holds "$used < $least"; } && least=$used
    holds "$least < $limit" && break
  done
  echo "$what: $least s of CPU time (under $limit)"
  holds "$least < $limit" || fail "$what takes $least s of CPU time, not under $limit"
}

mlperf=("$samples/mlperf_dlrm_dcnv2/model.textproto" --cluster=dgx-h100 --ranks=8)
adult=("$samples/adult/features.textproto" "$samples/adult/model.textproto")
within 10 "planning MLPerf DLRM-DCNv2 for 8 ranks" "$sparsec" "${mlperf[@]}" --emit=plan
within 10 "compiling MLPerf DLRM-DCNv2 for 8 ranks" "$sparsec" "${mlperf[@]}" -o mlperf
within 2 "compiling Adult Wide & Deep" "$sparsec" "${adult[@]}" -o adult
within 0.05 "start-up (adult info)" ./adult info

# libc, libstdc++ (with libgcc_s), libm, oneDNN, and what Debian's oneDNN brings along.
mapfile -t libraries < <(ldd ./adult | awk '{ print $1 }' | sed -E 's|.*/||')
for library in "${libraries[@]}"; do
  case $library in
  linux-vdso.so.* | ld-linux*.so.* | libc.so.* | libstdc++.so.* | libgcc_s.so.* | libm.so.* | libdnnl.so.* | libgomp.so.* | libOpenCL.so.*) ;;
  *) fail "the executable links $library" ;;
  esac
done
[ "${#libraries[@]}" -gt 0 ] || fail "ldd lists nothing"
echo "libraries: ${libraries[*]}"
