// RUN: sparsec-opt --rec-check-status --verify-diagnostics --split-input-file %s

llvm.func @first(!llvm.ptr) -> i32
func.func @train(%context: !llvm.ptr, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{a call that can fail may not stand in a loop}}
    %0 = llvm.call @first(%context) {sparsec.checked} : (!llvm.ptr) -> i32
  }
  %1 = arith.constant 0 : i32
  return %1 : i32
}

// -----

llvm.func @first(!llvm.ptr) -> i32
// expected-error @below {{expected a function with calls that can fail to return a status}}
func.func @train(%context: !llvm.ptr) {
  %0 = llvm.call @first(%context) {sparsec.checked} : (!llvm.ptr) -> i32
  return
}
