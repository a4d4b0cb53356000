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

libraries=$(ldd ./adult)
if grep -iE 'LLVM|MLIR|libmpi|protobuf|cuda' <<<"$libraries"; then
  fail "the executable links what it must not (above)"
fi
echo "libraries: $(awk '{ print $1 }' <<<"$libraries" | sed -E 's|.*/||' | tr '\n' ' ')"
