// RUN: sparsec-opt --rec-entry-abi %s | FileCheck %s

// CHECK-LABEL: func.func @train(%arg0: !llvm.ptr, %arg1: i64) -> i32 attributes {rec.entry}
// CHECK:         call @use(%arg1)
// CHECK:         %[[OK:.+]] = arith.constant 0 : i32
// CHECK:         return %[[OK]] : i32
func.func @train(%step: i64) attributes {rec.entry} {
  call @use(%step) : (i64) -> ()
  return
}

// CHECK: func.func private @use(i64)
func.func private @use(i64)
