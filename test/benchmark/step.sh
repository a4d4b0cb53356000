#!/usr/bin/env bash
# Samples/s of whole training steps of the samples, on one thread and on all; beside it the GEMM rate of this machine.
#   test/benchmark/step.sh [STEPS]
set -euo pipefail
cd "$(dirname "$0")/../.."
steps=${1:-50}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
build/bin/sparsec samples/criteo_dlrm/model.textproto -o "$out/criteo_dlrm"
build/bin/sparsec samples/adult/features.textproto samples/adult/deepfm.textproto -o "$out/adult_deepfm"
for model in criteo_dlrm adult_deepfm; do
  for threads in 1 "$(nproc)"; do
    "$out/$model" bench --steps "$steps" --threads "$threads"
  done
done
build/bin/bench-gemm --benchmark_min_time=0.2 2>/dev/null
