#!/usr/bin/env bash
# The same plan gives the same bits: in a second run, on one and two threads, and when the plan is read back from its
# text; on one rank and on 2x2. Compared byte by byte are checkpoints and logs, of these all but the speed.
source "$(dirname "$0")/support/scripts.sh"

# run EXECUTABLE NAME ARGUMENTS: leaves the log NAME.jsonl and the checkpoint NAME/.
run() {
  local name=$2
  "./$1" train --quiet --in-process --epochs 1 --data "$samples/adult/adult.data.gz" --log-every 1 \
    --log "$name.log" --save "$name" "${@:3}" >said 2>&1 || { cat said; fail "$name does not train"; }
  sed -E 's/,"samples_per_second":[^,}]*//' "$name.log" >"$name.jsonl"
}

same() {
  cmp -s "$1.jsonl" "$2.jsonl" || { diff "$1.jsonl" "$2.jsonl" | sed -n 1,4p || true; fail "the logs of $1 and $2 differ"; }
  diff -r "$1" "$2" || fail "the checkpoints of $1 and $2 differ"
  echo "$1 = $2"
}

adult=("$samples/adult/features.textproto" "$samples/adult/model.textproto")
for plan in 1x1 2x2; do
  ranks=(--ranks=$((${plan%x*} * ${plan#*x})) --groups=${plan%x*})
  compile "$plan" "${adult[@]}" "${ranks[@]}"
  "$sparsec" "${adult[@]}" "${ranks[@]}" --emit=plan -o "$plan.plan.textproto" || fail "no plan for $plan"
  compile "$plan-plan" "${adult[@]}" "${ranks[@]}" --plan "$plan.plan.textproto"
  run "$plan" "$plan-first" --threads 1
  run "$plan" "$plan-second" --threads 1
  run "$plan" "$plan-threads" --threads 2
  run "$plan-plan" "$plan-readback" --threads 1
  for other in second threads readback; do
    same "$plan-first" "$plan-$other"
  done
done
[ "$(wc -l <1x1-first.jsonl)" = 128 ] || fail "the log has $(wc -l <1x1-first.jsonl) steps in place of 128"
