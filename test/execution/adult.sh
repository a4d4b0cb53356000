#!/usr/bin/env bash
# Adult: the four models compile and train; Wide & Deep's mean test AUC of three seeds beats logistic regression, on one
# rank and the same on four (two groups of two), and quickstart's seed is among those that do.
source "$(dirname "$0")/support/scripts.sh"
least=0.913
files=(--data "$samples/adult/adult.data.gz" --eval-data "$samples/adult/adult.test.gz")

for model in deepfm dcnv2 dlrm; do
  compile $model "$samples/adult/features.textproto" "$samples/adult/$model.textproto"
  result=$(train $model log "${files[@]}" --epochs 1) || fail "$model does not train"
  auc=$(field auc <<<"$result")
  echo "$model: test AUC $auc after an epoch"
  holds "$auc > 0.85" || fail "$model has learned nothing: test AUC $auc"
done

compile one "$samples/adult/features.textproto" "$samples/adult/model.textproto"
compile four "$samples/adult/features.textproto" "$samples/adult/model.textproto" --ranks=4 --groups=2
sum=0 sum4=0
for seed in 1 2 3; do
  result=$(train one log "${files[@]}" --seed $seed) || fail "Wide & Deep, seed $seed, does not train on one rank"
  auc=$(field auc <<<"$result")
  result=$(train four log "${files[@]}" --seed $seed --in-process) || fail "Wide & Deep, seed $seed, does not train on 2x2"
  auc4=$(field auc <<<"$result")
  echo "Wide & Deep, seed $seed: test AUC $auc on one rank, $auc4 on 2x2"
  holds "$auc - $auc4 <= 0.001 && $auc4 - $auc <= 0.001" ||
    fail "seed $seed: test AUC $auc on one rank and $auc4 on 2x2 differ by more than 0.001"
  sum=$(calculate %.6f "$sum + $auc")
  sum4=$(calculate %.6f "$sum4 + $auc4")
  # quickstart.sh trains with this seed and as many epochs as the description says
  [ $seed = 1 ] && quickstart=$auc
done
mean=$(calculate %.5f "$sum / 3")
mean4=$(calculate %.5f "$sum4 / 3")
echo "mean test AUC $mean on one rank, $mean4 on 2x2 (at least $least; logistic regression 0.9124)"
holds "$mean >= $least" || fail "mean test AUC $mean on one rank is below $least"
holds "$mean4 >= $least" || fail "mean test AUC $mean4 on 2x2 is below $least"
grep -q -- '--epochs 10 --seed 1' "$samples/quickstart.sh" || fail "quickstart.sh no longer trains 10 epochs with seed 1"
holds "$quickstart >= $least" || fail "quickstart's seed reaches $quickstart, below $least"
