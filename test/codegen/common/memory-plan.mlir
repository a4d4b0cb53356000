// RUN: sparsec-opt --rec-memory-plan --split-input-file %s | FileCheck %s

llvm.func @sparsec_batch_size(!llvm.ptr) -> i64
func.func private @write(memref<?x4xf32>)
func.func private @join(memref<?x4xf32>, memref<?x4xf32>)

// Batch of at most 8: 128 bytes each. %a and %c are never alive together.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    sparsec.arena_bytes = 256 : i64
// CHECK:         llvm.call @sparsec_arena({{.+}}) {sparsec.checked}
// CHECK-NOT:     memref.alloc
// CHECK-DAG:     %[[A:.+]] = memref.view {{.+}} memref<256xi8> to memref<?x4xf32>
// CHECK:         call @write(%[[A]])
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %0 = llvm.call @sparsec_batch_size(%context) : (!llvm.ptr) -> i64
  %1 = arith.index_cast %0 : i64 to index
  %most = arith.constant 8 : index
  %b = arith.minui %1, %most : index
  %a = memref.alloc(%b) {alignment = 64 : i64} : memref<?x4xf32>
  call @write(%a) : (memref<?x4xf32>) -> ()
  %c = memref.alloc(%b) {alignment = 64 : i64} : memref<?x4xf32>
  call @join(%a, %c) : (memref<?x4xf32>, memref<?x4xf32>) -> ()
  %d = memref.alloc(%b) {alignment = 64 : i64} : memref<?x4xf32>
  call @join(%c, %d) : (memref<?x4xf32>, memref<?x4xf32>) -> ()
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

llvm.func @sparsec_keep(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @sparsec_wait(!llvm.ptr, i64) -> i32
func.func private @write(memref<16xf32>)

// The first call may keep the address of %a until its token is waited for.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    sparsec.arena_bytes = 128 : i64
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %n = arith.constant 1 : i64
  %slot = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  %a = memref.alloc() : memref<16xf32>
  %0 = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %1 = arith.index_cast %0 : index to i64
  %2 = llvm.inttoptr %1 : i64 to !llvm.ptr
  %3 = llvm.call @sparsec_keep(%context, %2, %slot) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %c = memref.alloc() : memref<16xf32>
  call @write(%c) : (memref<16xf32>) -> ()
  %token = llvm.load %slot : !llvm.ptr -> i64
  %4 = llvm.call @sparsec_wait(%context, %token) : (!llvm.ptr, i64) -> i32
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

llvm.func @count(!llvm.ptr) -> i64
func.func private @write(memref<?xi64>)

// No bound: from the pool, at its size of this step.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    sparsec.arena_bytes = 0 : i64
// CHECK:         %[[BYTES:.+]] = arith.muli
// CHECK:         llvm.call @sparsec_ragged(%arg0, %[[BYTES]]) {sparsec.checked}
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %0 = llvm.call @count(%context) : (!llvm.ptr) -> i64
  %n = arith.index_cast %0 : i64 to index
  %a = memref.alloc(%n) : memref<?xi64>
  call @write(%a) : (memref<?xi64>) -> ()
  %ok = arith.constant 0 : i32
  return %ok : i32
}
