#!/usr/bin/env bash
# A disk without room, for the output or for temporary files: one error, no file left. A signal leaves none either.
source "$(dirname "$0")/support/scripts.sh"

model=$samples/planted/model.textproto
inside=$out/inside.sh
cat >"$inside" <<EOF
set -eu
cd "$out"
mkdir -p small
mount -t tmpfs -o size=64k none small
status=0; "$sparsec" "$model" -o small/y 2>output || status=\$?
echo "\$status" >output.status; ls -A small >output.left
status=0; TMPDIR=$out/small "$sparsec" "$model" -o y 2>temporary || status=\$?
echo "\$status" >temporary.status; ls -A small >temporary.left
status=0; "$sparsec" "$model" --emit=llvm -o small/y.ll 2>text || status=\$?
echo "\$status" >text.status; ls -A small >text.left
EOF
unshare -rm mount -t tmpfs none "$out" 2>/dev/null || skip "no file system of one's own here"
unshare -rm bash "$inside" || fail "the small disk could not be tried"

# one NAME PATTERN: that run ended with 1, that one error and nothing left
one() {
  [ "$(cat "$1.status")" = 1 ] || { cat "$1"; fail "$1: exit status $(cat "$1.status")"; }
  [ "$(wc -l <"$1")" = 1 ] && grep -qE "$2" "$1" || { cat "$1"; fail "$1: expected one line like $2"; }
  [ ! -s "$1.left" ] || { cat "$1.left"; fail "$1: files left behind"; }
}
one output '^sparsec: error: cannot write `small/y`: No space left on device$'
one temporary '^sparsec: error: cannot write `.*/small/sparsec-.*\.o`: No space left on device$'
one text '^sparsec: error: cannot write `small/y.ll`: No space left on device$'
[ ! -e y ] || fail "an executable without its object"

# A linker that waits, so that the signal finds the object there.
mkdir temporary-files
cat >linker <<'EOF'
#!/bin/sh
echo $$ >linking.new && mv linking.new linking
exec sleep 60
EOF
chmod +x linker
for signal in INT TERM; do
  rm -f linking
  # A shell's background jobs ignore SIGINT; env gives it back.
  SPARSEC_LINKER=$out/linker TMPDIR=$out/temporary-files env --default-signal=INT "$sparsec" "$model" -o killed 2>/dev/null &
  compiler=$!
  for _ in $(seq 600); do [ -e linking ] && break; sleep 0.1; done
  [ -e linking ] || fail "the linker was never called"
  [ -n "$(ls -A temporary-files)" ] || fail "no temporary file while linking"
  kill -s "$signal" "$compiler"
  status=0; wait "$compiler" || status=$?
  kill "$(cat linking)"
  [ "$status" -gt 128 ] || fail "SIG$signal: exit status $status"
  [ -z "$(ls -A temporary-files)" ] || { ls -A temporary-files; fail "SIG$signal leaves files"; }
done
echo "full disk: one error each, nothing left; nothing left by SIGINT and SIGTERM"
