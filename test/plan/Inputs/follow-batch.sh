#!/usr/bin/env bash
# follow-batch.sh MODEL [OPTION...]: a model whose batch does not fit. Takes the batch that the note names, and one sample
# more, which must not fit. Prints the number.
set -uo pipefail
model=$1 && shift
fail() { echo "follow-batch: $*" >&2 && exit 1; }
plan() { sed "s/batch_size: [0-9]*/batch_size: $1/" "$model" >"$model.tried" && sparsec "$model.tried" "${@:2}" --emit=plan; }

batch=$(sparsec "$model" "$@" --emit=plan 2>&1 >/dev/null | sed -nE 's/.*`batch_size: ([0-9]+)` fits.*/\1/p')
[ -n "$batch" ] || fail "no batch is advised"
plan "$batch" "$@" >/dev/null 2>&1 || fail "a batch of $batch is refused"
{ plan $((batch + 1)) "$@" 2>&1 >/dev/null || true; } | grep -q 'does not fit' || fail "a batch of $((batch + 1)) is not refused"
echo "a batch of $batch"
