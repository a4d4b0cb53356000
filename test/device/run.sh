#!/usr/bin/env bash
# The check of a GPU: see README.md.
#
#   run.sh [PART...]   of: kernels samples speed peer; all, in 8 minutes, where none is named; one takes up to 3
#
# SPARSEC_DEVICE_FOLDER: what build.sh made, if it is not build-device/ of the checkout.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${SPARSEC_DEVICE_FOLDER:-$root/build-device}
parts=${*:-kernels samples speed peer}
[ -f "$folder/device" ] || { echo "run.sh: nothing at $folder: run test/device/build.sh first" >&2; exit 2; }
device=$(cat "$folder/device")
bin=$folder/bin data=$folder/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/lib"
: >"$work/failures" >"$work/summary"

fail() { echo "FAILED: $*" | tee -a "$work/failures" >&2; }
say() { echo "$*" >>"$work/summary"; }

# What CUDA's libraries are found by: those of a toolkit, or those that came with torch.
libraries() {
  python3 - 2>/dev/null <<'END'
import glob, importlib.util
spec = importlib.util.find_spec("nvidia")
for folder in spec.submodule_search_locations if spec else []:
    print(":".join(sorted(glob.glob(folder + "/*/lib"))))
END
}
# Only what this machine lacks, so that nothing of it is replaced.
for name in $(for program in "$bin"/*; do ldd "$program"; done | awk '/not found/ { print $1 }' | sort -u); do
  [ -f "$folder/lib/$name.gz" ] && gzip -dc "$folder/lib/$name.gz" >"$work/lib/$name"
done
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/lib:$(libraries | paste -sd:)

# All of it takes at most 8 minutes, one part 3.
started=$(date +%s)
budget=$([ $(wc -w <<<"$parts") = 1 ] && echo 170 || echo 465)
# limited SECONDS COMMAND...: at most so long, and not longer than there is time
limited() {
  local left=$((started + budget - $(date +%s))) most=$1
  shift
  [ $left -gt 0 ] || { echo "error: no time left" >&2 && return 124; }
  timeout --kill-after=5 $((left < most ? left : most)) "$@"
}

kernels() {
  local shards=$(($(nproc) < 8 ? $(nproc) : 8)) filter='-*RowBehindTheTable*:*RowsFarInside*' i code why tests=0
  [ "$device" = cuda ] || filter='*/?'
  for ((i = 0; i < shards; ++i)); do
    (
      GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i limited 150 "$bin/device-check" --device="$device" \
        --code="$data/kernels.90" --gtest_filter="$filter" --gtest_brief=1 >"$work/kernels.$i" 2>&1
      echo $? >"$work/kernels.$i.code"
    ) &
  done
  wait
  for ((i = 0; i < shards; ++i)); do
    code=$(cat "$work/kernels.$i.code")
    tests=$((tests + $(sed -nE 's/.*PASSED.* ([0-9]+) tests?.*/\1/p' "$work/kernels.$i" | head -n 1)))
    [ "$code" = 0 ] && continue
    why=$(sed -nE 's/^\[  FAILED  \] ([^ ,]+).*\(.*/\1/p; s/^error: //p' "$work/kernels.$i")
    [ "$code" = 124 ] && why="no time left"
    fail "kernels: shard $i of $shards ends with $code: $(wc -l <<<"$why") tests, first $(head -n 1 <<<"$why")"
    grep -E 'Failure|FAILED|^error|GetParam' "$work/kernels.$i" | sort | uniq -c | sort -rn | head -n 12 >&2
  done
  say "kernels: $tests tests pass against double precision; emulator and $device agree bit for bit where they do"
}

samples() {
  local name files result
  for name in adult adult_deepfm adult_dcnv2 adult_dlrm criteo; do
    [ -x "$bin/$name" ] || continue
    files=(--data "$root/samples/adult/adult.data.gz" --eval-data "$root/samples/adult/adult.test.gz")
    [ $name = criteo ] && files=(--data "$data/criteo.train.tsv" --eval-data "$data/criteo.test.tsv")
    if ! limited 60 "$bin/$name" train --quiet --steps "$(wc -l <"$data/$name.jsonl")" --log "$work/$name.jsonl" \
      "${files[@]}" >"$work/$name.json" 2>"$work/$name.err"; then
      fail "$name does not train: $(tail -n 1 "$work/$name.err")"
    elif result=$(python3 "$here/compare.py" "$data/$name" "$work/$name"); then
      say "sample $name: $result"
    else
      fail "$name: $result"
    fi
  done
  [ "$device" = cuda ] || return
  if limited 60 "$bin/adult" train --quiet --epochs 10 --seed 1 --data "$root/samples/adult/adult.data.gz" \
    --eval-data "$root/samples/adult/adult.test.gz" >"$work/whole.json" 2>"$work/whole.err"; then
    result=$(python3 -c 'import json, sys; print(json.loads(sys.stdin.read().splitlines()[-1])["auc"])' <"$work/whole.json")
    say "sample adult: test AUC $result after 10 epochs (at least 0.913)"
    awk "BEGIN { exit !($result >= 0.913) }" || fail "adult: test AUC $result after 10 epochs is below 0.913"
  else
    fail "adult does not train: $(tail -n 1 "$work/whole.err")"
  fi
}

speed() {
  local name steps=50
  if [ "$device" = cuda ]; then
    limited 40 "$bin/device-check" --peaks --code="$data/kernels.90" >"$work/peaks.json" 2>"$work/peaks.err" ||
      fail "peaks: $(tail -n 1 "$work/peaks.err")"
  else
    steps=2
  fi
  for name in $(cat "$folder/speed"); do
    limited 60 "$bin/$name" bench --steps $steps --zipf 0 --bag-length 8.23 --kernels --json >"$work/$name.bench.json" \
      2>"$work/$name.err" || fail "$name bench: $(tail -n 1 "$work/$name.err")"
  done
}

peer() {
  local name
  [ "$device" = cuda ] || return 0
  for name in $(cat "$folder/speed"); do
    limited 90 python3 "$here/peer.py" "$name" "$bin/$name" >"$work/$name.peer.json" 2>"$work/$name.err" ||
      fail "peer of $name: $(grep -v '^ ' "$work/$name.err" | tail -n 1)"
  done
}

if [ "$device" = cuda ] && ! why=$("$bin/device-check" --device=cuda --code="$data/kernels.90" --gtest_list_tests 2>&1 >/dev/null); then
  echo "${why#error: }" >&2
  exit 1
fi
for part in $parts; do
  case $part in
  kernels | samples | speed | peer) ;;
  *) echo "run.sh: unknown part \`$part\`: expected kernels, samples, speed or peer" >&2 && exit 2 ;;
  esac
  SECONDS=0
  $part
  say "($part: $SECONDS s)"
done
cat "$work/failures" "$work/summary"
python3 "$here/table.py" "$work" "$data" $(cat "$folder/speed") || exit 1
[ ! -s "$work/failures" ]
