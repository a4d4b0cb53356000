#!/usr/bin/env bash
# Planted: data made by a known click model. What is learned from 300,000 rows must reach, on 50,000 others, 97 % of what
# the true probabilities reach, in AUC above chance.
source "$(dirname "$0")/support/scripts.sh"
share=0.97

best=$("$build/bin/planted" -o . --train 300000 --test 50000 --seed 1) || fail "no data"
compile planted "$samples/planted/model.textproto"
result=$(train planted log --data train.tsv --eval-data test.tsv) || fail "it does not train"
best_auc=$(field best_auc <<<"$best")
auc=$(field auc <<<"$result")
reached=$(calculate %.4f "($auc - 0.5) / ($best_auc - 0.5)")
echo "test AUC $auc, at best $best_auc: $reached of it above chance (at least $share)"
echo "log loss $(field logloss <<<"$result"), at best $(field best_logloss <<<"$best")"
holds "$reached >= $share" || fail "test AUC $auc is $reached of the best above chance, below $share"
