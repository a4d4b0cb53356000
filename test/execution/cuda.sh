#!/usr/bin/env bash
# Programs for GPUs: what compiling one costs, what it links, and what it says on a machine without a GPU.
source "$(dirname "$0")/support/scripts.sh"

seconds=$(cpu_seconds "$sparsec" "$samples/mlperf_dlrm_dcnv2/model.textproto" --target=cuda --cluster=dgx-h100 --ranks=8 -o mlperf) ||
  fail "MLPerf DLRM-DCNv2 does not compile"
holds "$seconds < 20" || fail "compiling MLPerf DLRM-DCNv2 for 8 GPUs takes $seconds s of CPU time, not under 20"
compile adult --target=cuda "$samples/adult/features.textproto" "$samples/adult/model.textproto"

for library in libcuda libcudart libnccl libcublas; do
  ldd ./mlperf | grep -q "$library" && fail "the executable links $library"
done

ldconfig -p | grep -q 'libcuda\.so' && skip "there is a CUDA driver here; compiled in $seconds s of CPU time"
expect() { # WHAT COMMAND: one line that says there is no driver, and exit code 1
  local what=$1 code=0
  shift
  "$@" >said.txt 2>&1 || code=$?
  [ "$code" = 1 ] || { cat said.txt; fail "$what ends with $code, not 1"; }
  [ "$(wc -l <said.txt)" = 1 ] && grep -q '^error: no CUDA driver' said.txt || { cat said.txt; fail "$what"; }
}
expect "one GPU" ./adult train --data "$samples/adult/adult.data.gz"
expect "eight GPUs" ./mlperf train --in-process --data "$samples/adult/adult.data.gz"
./adult info | grep -q '^target *cuda' || fail "info needs no GPU"
echo "cuda: compiled for 8 GPUs in $seconds s of CPU time; without a driver: $(cat said.txt)"
