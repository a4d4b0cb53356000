#!/usr/bin/env bash
# The generated lookup against a hand-written prefetching gather of the same rows, in turns and in CPU time of one thread:
# at least 80 % of its speed for every dim and bag length.
source "$(dirname "$0")/support/scripts.sh"

benchmark=$build/bin/bench-lookup
[ -x "$benchmark" ] || fail "no $benchmark"
for attempt in 1 2 3; do
  OMP_NUM_THREADS=1 "$benchmark" --benchmark_format=json >lookup.json 2>lookup.log || { cat lookup.log; fail "bench-lookup"; }
  ratios=$(field ratio <lookup.json)
  echo "generated over hand-written:" $ratios
  least=$(sort -g <<<"$ratios" | head -n 1)
  if [ -n "$least" ] && holds "$least >= 0.8"; then exit 0; fi
done
fail "the generated lookup has ${least:-no} of the speed of a hand-written gather, not 0.8"
