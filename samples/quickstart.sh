#!/usr/bin/env bash
# From nothing to a trained model on Debian 12: installs what is missing, builds, compiles a description, trains on
# real data (UCI Adult, shipped here), shows the result. A few minutes, most of them compiling the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
bash cmake/setup.sh

out=build/quickstart
mkdir -p $out
data=samples/adult
echo
echo "== compile: samples/adult/features.textproto + model.textproto -> $out/adult"
build/bin/sparsec $data/features.textproto $data/model.textproto -o $out/adult
echo
echo "== train: 32,561 rows, 10 epochs; then the 16,281 test rows"
$out/adult train --data $data/adult.data.gz --eval-data $data/adult.test.gz --epochs 10 --seed 1 \
  --save $out/checkpoint --log $out/log.jsonl >$out/result.json
echo
echo "== predict: the first test rows"
$out/adult predict --data $data/adult.test.gz --load $out/checkpoint -o $out/predictions.csv
head -n 4 $out/predictions.csv
echo
auc=$(sed -nE 's/.*"auc": *([0-9.]+).*/\1/p' $out/result.json)
echo "test AUC $auc (logistic regression: 0.9124)"
echo "checkpoint: $out/checkpoint, steps: $out/log.jsonl, executable: $out/adult"
