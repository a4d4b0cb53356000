// RUN: sparsec-opt --rec-entry-abi --verify-diagnostics %s

// expected-error @below {{expected an entry point of type `(i64) -> ()`, but got '(i64, i64) -> ()'}}
func.func @train(%step: i64, %other: i64) attributes {rec.entry} {
  return
}
