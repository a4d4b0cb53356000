#!/usr/bin/env bash
# An installed compiler works without the folder it was built in.
source "$(dirname "$0")/support/scripts.sh"
cmake --install "$build" --prefix "$out/prefix" >install.log || { cat install.log; fail "cmake --install"; }
sparsec=$out/prefix/bin/sparsec
compile model "$samples/dlrm_trace/model.textproto"
./model bench --steps 2 --json >bench.json || fail "the executable does not run"
grep -q '"model":"dlrm_trace"' bench.json || { cat bench.json; fail "no figures"; }
echo "install: compiled and ran from $(find prefix -type f | wc -l) installed files"
