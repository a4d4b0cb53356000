#!/usr/bin/env bash
# The fake model as real executables: exit codes, start-up time, and two ranks under mpirun where there is one.
# Usage: run-executables.sh MODEL_OF_ONE_RANK MODEL_OF_TWO_RANKS
set -euo pipefail
one=$1 two=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "failed: $1"; exit 1; }

{ echo y,a,b; for i in $(seq 1 43); do echo "$((i * 7 % 3 % 2)),0.$((i * 5 % 11)),-0.$((i % 7))"; done; } > "$dir/data.csv"

start=$(date +%s%N)
for _ in 1 2 3 4 5; do "$one" info > /dev/null; done
milliseconds=$((($(date +%s%N) - start) / 5000000))
echo "start-up: $milliseconds ms"
# Sanitizers and loaded machines are slow; what is caught here is work done before it is asked for.
[ "$milliseconds" -lt "${SPARSEC_STARTUP_MS:-500}" ] || fail "start-up takes $milliseconds ms"

"$one" train --data "$dir/data.csv" --epochs 2 --save "$dir/saved" --log "$dir/one.jsonl" --quiet || fail "train"
"$one" eval --data "$dir/data.csv" --load "$dir/saved" --quiet | grep -q '"samples":43' || fail "eval"
"$one" nonsense > /dev/null 2>&1 && fail "an unknown command must not succeed"
"$two" train --data "$dir/data.csv" 2> "$dir/error" && fail "one process of two must not succeed"
grep -q 'mpirun -np 2' "$dir/error" || fail "advice on the number of ranks"
"$two" train --in-process --data "$dir/data.csv" --epochs 2 --quiet --log "$dir/threads.jsonl" || fail "in-process"

losses() { sed 's/.*"loss":\([^,]*\).*/\1/' "$1"; }
same() { paste <(losses "$1") <(losses "$2") | awk '{ d = $1 - $2; if (d < -1e-6 || d > 1e-6) bad = 1 } END { exit bad || NR == 0 }'; }
same "$dir/one.jsonl" "$dir/threads.jsonl" || fail "losses of ranks as threads"

if ! command -v mpirun > /dev/null; then
  echo "without mpirun: ranks as processes were not tried"
  exit 0
fi
mpi() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe "$@"; }
mpi -np 2 "$two" train --data "$dir/data.csv" --epochs 2 --quiet --log "$dir/mpi.jsonl" --save "$dir/saved" --load "$dir/none" \
  > /dev/null 2> "$dir/error" && fail "a missing checkpoint must not succeed"
[ "$(grep -c 'no such checkpoint' "$dir/error")" = 1 ] || fail "one message from two processes: $(cat "$dir/error")"
mpi -np 2 "$two" train --data "$dir/data.csv" --epochs 2 --quiet --log "$dir/mpi.jsonl" --save "$dir/saved" || fail "mpirun"
same "$dir/one.jsonl" "$dir/mpi.jsonl" || fail "losses of ranks as processes"
mpi -np 2 "$two" predict --data "$dir/data.csv" --load "$dir/saved" -o "$dir/two.csv" --quiet || fail "predict with mpirun"
[ "$(wc -l < "$dir/two.csv")" = 44 ] || fail "rows of predict"
mpi -np 3 "$two" train --data "$dir/data.csv" > /dev/null 2> "$dir/error" && fail "three ranks for two must not succeed"
grep -q 'compiled for 2 ranks, but 3 were started' "$dir/error" || fail "advice on the number of ranks under mpirun"
mpi -np 2 "$one" train --data "$dir/data.csv" > /dev/null 2> "$dir/error" && fail "two ranks for one must not succeed"
grep -q 'compiled for 1 rank, but 2 were started' "$dir/error" || fail "advice on the number of ranks for one: $(cat "$dir/error")"
echo passed
