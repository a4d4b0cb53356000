#!/bin/sh
# Every kernel on the full product of dims, lengths of bags, ids, numbers of tables and bags, weights, far rows and
# optimizers, in every order of the emulator; an hour or more, so not part of CI. Prints the failures and a summary; exit
# status 1 on failures or if a run ended early.
#
#   test/unit/gpu/cover/full-cover.sh [BUILD] [JOBS] [FIRST STEP]
#
# FIRST and STEP: every STEPth case from number FIRST on, as fair a sample as any.
build=${1:-build} jobs=${2:-2} first=${3:-0} step=${4:-1}
cover=$build/bin/gpu-cover
[ -x "$cover" ] || { echo "$cover is not there: build gpu-cover" >&2; exit 2; }
results=$(mktemp -d) || exit 2
trap 'rm -rf "$results"' EXIT
dims=$("$cover" 2>&1 | sed 's/.*one of//')
printf '%s\n' $dims | sort -rn | xargs -P "$jobs" -I {} sh -c '
  "$0" {} "$2" "$3" > "$1/{}.log" 2>&1; cat "$1/{}.log"; true' "$cover" "$results" "$first" "$step"
awk -v all="$(echo $dims | wc -w)" '/^checked/ { gsub(",", ""); ++dims; checked += $2; wanted += $4; failed += $9 }
     END { printf "checked %d of %d cases of %d dims, failed %d\n", checked, wanted, dims, failed
           if (dims != all || checked != wanted) print "a run has ended early"
           exit dims != all || checked != wanted || failed != 0 }' "$results"/*.log
