#!/usr/bin/env bash
# follow-advice.sh RANKS STEP MODEL [OPTION...]: a model that does not fit RANKS. Takes as many as the note says, and one
# step fewer, which must not fit. Prints the number.
set -uo pipefail
first=$1 step=$2 && shift 2
advice() { sparsec "$@" --emit=plan 2>&1 >/dev/null | sed -nE 's/.* ([0-9]+) ranks? hold that.*/\1/p'; }
fail() { echo "follow-advice: $*" >&2 && exit 1; }

ranks=$(advice "$@" --ranks="$first")
[ -n "$ranks" ] || fail "no number of ranks is advised for $first"
sparsec "$@" --ranks="$ranks" --emit=plan >/dev/null 2>&1 || fail "$ranks ranks are refused"
{ sparsec "$@" --ranks=$((ranks - step)) --emit=plan 2>&1 >/dev/null || true; } | grep -q 'does not fit' ||
  fail "$((ranks - step)) ranks are not refused"
echo "$ranks ranks"
