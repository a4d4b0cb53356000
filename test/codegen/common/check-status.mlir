// RUN: sparsec-opt --rec-check-status %s | FileCheck %s

llvm.func @first(!llvm.ptr) -> i32
llvm.func @memory(!llvm.ptr) -> !llvm.ptr
llvm.func @plain(!llvm.ptr) -> i32

// CHECK-LABEL: func.func @train
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 {
  // CHECK:      %[[STATUS:.+]] = llvm.call @first
  // CHECK-NOT:  sparsec.checked
  // CHECK:      %[[FAILED:.+]] = arith.cmpi ne, %[[STATUS]]
  // CHECK-NEXT: cf.cond_br %[[FAILED]], ^[[EXIT:.+]](%[[STATUS]] : i32), ^[[NEXT:.+]]
  %0 = llvm.call @first(%context) {sparsec.checked} : (!llvm.ptr) -> i32
  // CHECK:      ^[[NEXT]]:
  // CHECK:      %[[MEMORY:.+]] = llvm.call @memory
  // CHECK:      %[[NULL:.+]] = llvm.mlir.zero
  // CHECK:      llvm.icmp "eq" %[[MEMORY]], %[[NULL]]
  // CHECK:      cf.cond_br %{{.+}}, ^[[EXIT]](%{{.+}} : i32), ^[[LAST:.+]]
  %1 = llvm.call @memory(%context) {sparsec.checked} : (!llvm.ptr) -> !llvm.ptr
  // CHECK:      ^[[LAST]]:
  // CHECK-NEXT: llvm.call @plain
  %2 = llvm.call @plain(%context) : (!llvm.ptr) -> i32
  // CHECK-NEXT: %[[OK:.+]] = arith.constant 0
  // CHECK-NEXT: return %[[OK]]
  %3 = arith.constant 0 : i32
  return %3 : i32
  // CHECK:      ^[[EXIT]](%[[CODE:.+]]: i32):
  // CHECK-NEXT: return %[[CODE]]
}
