#!/usr/bin/env bash
# Criteo: samples/criteo_dlrm/small.textproto learns from the first 64,000 rows of a sample of 80,000; mean test AUC of
# three seeds on the other 16,000. Hashed logistic regression reaches 0.7721. The licence forbids shipping the rows, so
# they are looked for in ../shared or at $SPARSEC_CRITEO (.tsv or .tsv.xz), and without them the test is skipped.
source "$(dirname "$0")/support/scripts.sh"
least=0.774

rows=${SPARSEC_CRITEO:-$root/../shared/data/criteo/criteo_dac80k_recovered.tsv.xz}
[ -f "$rows" ] || skip "no rows at $rows (SPARSEC_CRITEO names another file)"
case $rows in
*.xz) xz -dc "$rows" >all.tsv ;;
*) cp "$rows" all.tsv ;;
esac
[ "$(wc -l <all.tsv)" = 80000 ] || fail "$rows has $(wc -l <all.tsv) rows in place of 80000"
head -n 64000 all.tsv >train.tsv
tail -n 16000 all.tsv >test.tsv

compile criteo "$samples/criteo_dlrm/small.textproto"
sum=0
for seed in 1 2 3; do
  result=$(train criteo log --data train.tsv --eval-data test.tsv --seed $seed) || fail "seed $seed does not train"
  auc=$(field auc <<<"$result")
  echo "seed $seed: test AUC $auc, log loss $(field logloss <<<"$result")"
  sum=$(calculate %.6f "$sum + $auc")
done
mean=$(calculate %.5f "$sum / 3")
echo "mean test AUC $mean (at least $least; hashed logistic regression 0.7721)"
holds "$mean >= $least" || fail "mean test AUC $mean is below $least"
