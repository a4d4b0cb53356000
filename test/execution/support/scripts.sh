# What the scripts of test/execution share; they begin with: source "$(dirname "$0")/support/scripts.sh"
#   SCRIPT [BUILD]   BUILD: the build folder, if it is not build/
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
test=$(basename "$0" .sh)
sparsec=$build/bin/sparsec
samples=$root/samples
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
[ -x "$sparsec" ] || { echo "$test: no compiler at $sparsec"; exit 1; }

fail() { echo "$test: FAILED: $*"; exit 1; }
skip() { echo "$test: skipped: $*"; exit 77; }

# compile NAME SPARSEC'S ARGUMENTS: ./NAME; what it says is shown if it fails.
compile() {
  local name=$1
  shift
  "$sparsec" "$@" -o "$name" >"$name.compile" 2>&1 || { cat "$name.compile"; fail "$name does not compile"; }
}

# train NAME LOG ARGUMENTS: prints the last evaluation, a JSON object.
train() {
  local name=$1 log=$2
  shift 2
  "./$name" train --quiet "$@" 2>"$log" | tail -n 1
  [ "${PIPESTATUS[0]}" = 0 ] || { tail -n 20 "$log" >&2; return 1; }
}

# field NAME: a number of the JSON object on stdin.
field() { sed -nE "s/.*\"$1\": *(-?[0-9.eE+-]+).*/\1/p"; }

# holds 'EXPRESSION OF NUMBERS'
holds() { awk "BEGIN { exit !($1) }"; }

# calculate FORMAT 'EXPRESSION'
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

# cpu_seconds COMMAND: user and system time; its output goes to ./cpu.log.
cpu_seconds() {
  local TIMEFORMAT='%U %S' used
  used=$({ time "$@" >cpu.log 2>&1; } 2>&1) || { cat cpu.log >&2; return 1; }
  awk '{ print $1 + $2 }' <<<"$used"
}
