#!/bin/sh
# Every combination of strategy, mesh, pooling, optimizer, update and exchange, each as a random model with dims that the
# seed mixes, against the reference; an hour or two, so not part of CI. Prints the failures and a summary; exit status 1 on
# failures, if 2 % or more were skipped, or if a run ended early.
#
#   test/execution/full-cover.sh [BUILD] [JOBS] [SEED] [FIRST] [END]
#
# A part of it is as fair a sample as any: the order is shuffled by SEED.
build=${1:-build} jobs=${2:-2} seed=${3:-1} first=${4:-0}
cover=$build/bin/execution-cover
[ -x "$cover" ] || { echo "$cover is not there: build execution-cover" >&2; exit 2; }
end=${5:-$("$cover" | sed 's/.*there are \([0-9]*\) .*/\1/')}
results=$(mktemp -d) || exit 2
trap 'rm -rf "$results"' EXIT
chunk=100
seq "$first" "$chunk" $((end - 1)) | xargs -P "$jobs" -I {} sh -c '
  last=$(({} + '"$chunk"')); [ "$last" -le '"$end"' ] || last='"$end"'
  "$0" {} "$last" '"$seed"' > "$1/{}.log" 2>&1; grep -v "^checked" "$1/{}.log"; true' "$cover" "$results"
awk -v all=$((end - first)) '/^checked/ { gsub(",", ""); gsub(";", ""); checked += $2; skipped += $4; failed += $6; if ($11 + 0 > loss) loss = $11 + 0; if ($14 + 0 > weight) weight = $14 + 0 }
     END { printf "checked %d, skipped %d (%.1f %%), failed %d; largest error of losses %.2g, of weights %.2g\n",
           checked, skipped, checked ? 100 * skipped / checked : 0, failed, loss, weight
           if (checked != all) printf "of %d models %d were not checked: a run has ended early\n", all, all - checked
           exit checked != all || failed != 0 || skipped >= 0.02 * checked }' "$results"/*.log
