// RUN: sparsec-opt --rec-parallelize %s | FileCheck %s

// CHECK-LABEL: func.func @train
// CHECK:         %[[RECORD:.+]] = llvm.alloca
// CHECK:         %[[BODY:.+]] = llvm.mlir.addressof @train_loop_0 : !llvm.ptr
// CHECK:         llvm.call @sparsec_parallel(%arg0, %[[BODY]], %[[RECORD]], %{{.+}}, %{{.+}})
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step
func.func @train(%context: !llvm.ptr, %step: i64, %n: index, %a: memref<?xf32>, %k: f32) -> i32 attributes {rec.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %k, %a[%i] : memref<?xf32>
  } {sparsec.parallel}
  %c9 = arith.constant 9 : index
  // Known to be short: stays.
  scf.for %i = %c0 to %c9 step %c1 {
    memref.store %k, %a[%i] : memref<?xf32>
  } {sparsec.parallel}
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK:       llvm.func internal @train_loop_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64)
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
