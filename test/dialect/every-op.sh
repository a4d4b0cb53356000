#!/usr/bin/env bash
#   every-op.sh TESTS GENERATED
# Every op of the dialects is named in an error that an invalid*.mlir of TESTS expects, and in a line that a
# roundtrip*.mlir checks. GENERATED: where the build puts what it makes of the dialects' .td files.
set -euo pipefail
tests=$1 generated=$2
ops=$(grep -hoE 'StringLiteral\("(rec|comm)\.[a-z_]+"\)' "$generated"/{Rec/RecOps,Comm/CommOps}.h.inc |
  sed -E 's/.*"(.*)".*/\1/' | sort -u)
for known in rec.lookup comm.all_reduce; do
  grep -qx "$known" <<<"$ops" || { echo "no $known among the ops found in $generated"; exit 1; }
done
missing=0
for op in $ops; do
  grep -rqE --include='invalid*.mlir' "expected-error.*'$op'" "$tests" ||
    { echo "$op: no invalid*.mlir expects an error of it"; missing=1; }
  grep -rqE --include='roundtrip*.mlir' "// CHECK.*[ (]$op( |\$)" "$tests" ||
    { echo "$op: no roundtrip*.mlir checks it"; missing=1; }
done
echo "$(wc -w <<<"$ops") ops"
exit $missing
