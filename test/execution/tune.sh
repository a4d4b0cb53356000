#!/usr/bin/env bash
# Tuning schedules of lookups, on the emulated device: measured, read back, and every step as before.
source "$(dirname "$0")/support/scripts.sh"

model=("$samples/adult/features.textproto" "$samples/adult/model.textproto")
"$sparsec" tune "${model[@]}" --target=cuda-emulated -o tuner || fail "no tuner"
./tuner -o measured.textproto --repeats 3 --bags 40 >table.txt || fail "the tuner ends with $?"
cat table.txt
schedules=$(grep -c 'schedule {' measured.textproto)
[ "$(grep -cE '^[* ] +[0-9.]+ +[0-9.]+  (by bag|in chunks)' table.txt)" = "$schedules" ] || fail "table and file differ"
[ "$(grep -c '^\* ' table.txt)" = "$(grep -c '^lookup {' measured.textproto)" ] || fail "one schedule is the best of a class"

# steps NAME SPARSEC'S ARGUMENTS: losses of some steps in NAME.losses.
steps() {
  local name=$1
  shift
  compile "$name" "${model[@]}" --target=cuda-emulated "$@"
  "./$name" train --quiet --data "$samples/adult/adult.data.gz" --steps 3 --log "$name.log" --log-every 1 >/dev/null ||
    fail "$name does not train"
  sed -nE 's/.*"loss": *([0-9.eE+-]+).*/\1/p' "$name.log" >"$name.losses"
  [ -s "$name.losses" ] || { cat "$name.log"; fail "$name logs no losses"; }
}
steps plain
steps tuned --schedules=measured.textproto
cmp plain.losses tuned.losses || fail "measured schedules change losses"

# Where the file says split, in chunks of 32: other kernels, and the same losses but for the order of sums.
sed 's/\(chunk: 32 .*measured_us: \)[0-9.]*/\10.001/' measured.textproto >split.textproto
steps split --schedules=split.textproto
grep -q 'lookup_sum_d[0-9]*_split_c32' split || fail "the kernels are not those that the file names"
grep -q '_split_c32' plain && fail "what nothing asked for is in the program"
paste plain.losses split.losses | awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) exit 1 }' ||
  fail "split bags change losses: $(paste plain.losses split.losses)"
echo "tune: $schedules schedules; losses $(tr '\n' ' ' <plain.losses)"
