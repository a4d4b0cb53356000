#!/usr/bin/env bash
# Makes what run.sh needs on a machine that has no compiler: one folder, which travels with the checkout.
#
#   build.sh [--emulated] [--build=FOLDER] [--built] [FOLDER]   FOLDER: build-device/ of the checkout
#
# --emulated: the same programs for the emulated device, so that run.sh can be tried without a GPU.
# --build: where the compiler was built, build/ of the checkout; what the check needs of it is built first, unless it is
# --built.
# SPARSEC_CRITEO: rows of Criteo's sample (.tsv or .tsv.xz), ../shared/data/criteo/criteo_dac80k_recovered.tsv.xz.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
samples=$root/samples
target=cuda build=$root/build folder=$root/build-device
for word; do
  case $word in
  --emulated) target=cuda-emulated ;;
  --built) built=yes ;;
  --build=*) build=${word#*=} ;;
  -*) echo "build.sh: unknown option \`$word\`" >&2 && exit 2 ;;
  *) folder=$word ;;
  esac
done
[ "${built-}" ] ||
  cmake --build "$build" --parallel "$(nproc)" >/dev/null \
    --target sparsec sparsec_main sparsec_cuda sparsec_emulate device-kernels device-check
if [ -e "$folder" ] && [ ! -f "$folder/device" ]; then
  echo "build.sh: \`$folder\` is there, and not of this script" >&2
  exit 1
fi
rm -rf "$folder"
mkdir -p "$folder"/{bin,lib,data}
cp "$build/bin/device-check" "$folder/bin/"

# model NAME FILE...: bin/NAME, and what its step should move
model() {
  local name=$1
  shift
  "$build/bin/sparsec" "$@" --target=$target ${arch-} -o "$folder/bin/$name"
  "$build/bin/sparsec" "$@" --target=$target --emit=roofline >"$folder/data/$name.roofline"
}
# expect NAME STEPS FILES...: the losses and the last evaluation of the program for the CPU
expect() {
  local name=$1 steps=$2
  shift 2
  "$build/bin/sparsec" "${sources[@]}" -o "$folder/cpu"
  "$folder/cpu" train --quiet --steps "$steps" --log "$folder/data/$name.jsonl" "$@" | tail -n 1 >"$folder/data/$name.json"
  rm "$folder/cpu"
}

case $target in
cuda)
  echo cuda >"$folder/device"
  arch="--arch=sm_90 --cpu=x86-64-v3" # the other machine may have other instructions
  "$build/bin/device-kernels" --image=90 "$folder/data/kernels.90"
  model kaggle "$here/kaggle.textproto"
  model mlperf "$here/mlperf.textproto"
  echo "kaggle mlperf" >"$folder/speed"
  models="adult:model adult_deepfm:deepfm adult_dcnv2:dcnv2 adult_dlrm:dlrm"
  ;;
*)
  echo emulated >"$folder/device"
  echo "adult_dlrm" >"$folder/speed"
  models="adult_dlrm:dlrm" # test/execution emulates them all
  ;;
esac

steps=50
for name in $models; do
  sources=("$samples/adult/features.textproto" "$samples/adult/${name#*:}.textproto")
  model "${name%:*}" "${sources[@]}"
  expect "${name%:*}" $steps --data "$samples/adult/adult.data.gz" --eval-data "$samples/adult/adult.test.gz"
done

rows=${SPARSEC_CRITEO:-$root/../shared/data/criteo/criteo_dac80k_recovered.tsv.xz}
if [ -f "$rows" ]; then
  case $rows in
  *.xz) xz -dc "$rows" ;;
  *) cat "$rows" ;;
  esac >"$folder/all.tsv"
  head -n 6400 "$folder/all.tsv" >"$folder/data/criteo.train.tsv"
  tail -n 2000 "$folder/all.tsv" >"$folder/data/criteo.test.tsv"
  rm "$folder/all.tsv"
  sources=("$samples/criteo_dlrm/small.textproto")
  model criteo "${sources[@]}"
  expect criteo $steps --data "$folder/data/criteo.train.tsv" --eval-data "$folder/data/criteo.test.tsv"
else
  echo "build.sh: no rows at $rows: criteo is left out"
fi

# Libraries that another machine may lack; run.sh takes those that it does.
for program in "$folder"/bin/*; do
  ldd "$program" | awk '$3 ~ "^/" { print $3 }'
done | sort -u | grep -vE '/(ld-linux|libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)[.-]' |
  while read -r library; do gzip -9c "$library" >"$folder/lib/$(basename "$library").gz"; done
strip "$folder"/bin/*
du -sm "$folder" | awk '{ print "build.sh: " $1 " MB in " $2 }'
