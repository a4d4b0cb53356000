#!/usr/bin/env bash
# The device check without a device: the same scripts and programs on the emulated one, and that they can fail.
#   emulated.sh [BUILD]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "device check: FAILED: $*"; cat "$out/said" 2>/dev/null; exit 1; }
export SPARSEC_DEVICE_FOLDER=$out/folder

check() { # EXIT CODE, ARGUMENTS of run.sh
  local code=0 expected=$1
  shift
  bash "$here/run.sh" "$@" >"$out/said" 2>&1 || code=$?
  [ "$code" = "$expected" ] || fail "run.sh $* ends with $code, not $expected"
}

check 2 samples # nothing is built yet
bash "$here/build.sh" --emulated --built --build="$build" "$out/folder"
check 2 everything
check 0
for line in '^kernels: [1-9][0-9]* tests pass' '^sample adult_dlrm: 50 losses' '^lookup_sum_d8  *1 .* %$' '^gemm .* TFLOP/s' \
  '^adult_dlrm: [0-9,]* samples/s$'; do
  grep -qE "$line" "$out/said" || fail "no line like \`$line\`"
done
cat "$out/said"

# Shares in the table, from numbers made up.
mkdir "$out/runs" "$out/data"
echo '{"copy_gbs":4000,"fp32_tflops":50,"tf32_tflops":400}' >"$out/runs/peaks.json"
cat >"$out/runs/m.bench.json" <<'END'
{"batch_size":1000,"stages_ms":{"train":{"median":0.5}},"kernels":[{"name":"copy","launches":1,"us":400,"bytes":1e6},
{"name":"lookup_sum_d8_split","launches":1,"us":20},{"name":"lookup_finish_d8","launches":1,"us":5},
{"name":"gemm 1x2x3","launches":2,"us":100,"flops":1e9},{"name":"gemm 4x5x6","launches":1,"us":100,"flops":1e9}]}
END
tr -d '\n' <"$out/runs/m.bench.json" >"$out/runs/joined" && mv "$out/runs/joined" "$out/runs/m.bench.json"
echo '{"losses":[1,2],"apart":1e-6,"samples_per_second":{"eager":1e6}}' >"$out/runs/m.peer.json"
printf 'train: ...\nclass ...\n%s\n\nkernels ...\n' 'lookup_sum_d8_split   2   50000000   7   1.0  memory' >"$out/data/m.roofline"
python3 "$here/table.py" "$out/runs" "$out/data" m >"$out/said"
for line in '^lookup_sum_d8_split  *2  *25\.0  *50\.00  *2000  *50 %$' '^gemm  *3  *200\.0  *10\.00 TFLOP/s, 20 % of' \
  '^sum of work 225\.0 us; whole step 500\.0 us' '^m: 2,000,000 samples/s; torch eager 1,000,000 \(ours 2\.00 x\); 2 losses'; do
  grep -qE "$line" "$out/said" || fail "no line like \`$line\`"
done

# A loss that is off is found, and stands first.
log=$out/folder/data/adult_dlrm.jsonl
sed -i -E '7s/"loss":[0-9.]{6}/"loss":0.9876/' "$log"
check 1 samples
sed -n '/^FAILED: adult_dlrm: .*step 7/p;/^sample/q' "$out/said" | grep -q . || fail "a wrong loss is not found"

# Without a GPU there is one line.
if ! ldconfig -p | grep -q 'libcuda\.so'; then
  echo cuda >"$out/folder/device"
  cp "$log" "$out/folder/data/kernels.90"
  check 1
  [ "$(wc -l <"$out/said")" = 1 ] && grep -q '^no CUDA driver' "$out/said" || fail "without a GPU"
fi
if python3 -m py_compile "$here"/*.py; then rm -rf "$here/__pycache__"; else fail "peer.py"; fi
