#!/usr/bin/env bash
# Installs what is missing, builds, runs every test. The last lines are the test runner's.
set -euo pipefail
cd "$(dirname "$0")/.."
bash cmake/setup.sh --tests
# Python is for tests only: a reader of checkpoints that is not ours.
python3 -c 'import safetensors' 2>/dev/null ||
  python3 -m pip install -q --break-system-packages --root-user-action=ignore safetensors 2>/dev/null ||
  echo "run: no safetensors from pip; its test says skipped"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@" | tee build/test.log | grep -vE '^ *(Start|[0-9]+/[0-9]+ Test .* Passed)' || true
read -r total failed < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\2 \1/p' build/test.log)
skipped=$(grep -c '\*\*\*Skipped' build/test.log || true)
echo "$((total - failed)) passed, $failed failed (of these $skipped skipped)"
[ "$total" -gt 0 ] && [ "$failed" = 0 ]
