// RUN: sparsec-opt --rec-dense-kernels --canonicalize --cse --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Dense buffers: a thread takes four elements, the last ones one by one. Extents are the host's work.
// CHECK-LABEL: func.func @train
// CHECK:         %[[BYTES:.+]] = arith.muli %{{.+}}, %{{.+}} : i64
// CHECK:         %[[UP:.+]] = arith.addi %[[BYTES]], %c1023_i64
// CHECK:         %[[BLOCKS:.+]] = arith.divui %[[UP]], %c1024_i64
// CHECK:         llvm.store %{{.+}}, %[[WORDS:.+]] : !llvm.ptr, !llvm.ptr
// CHECK:         llvm.store %arg3, %{{.+}} : f32, !llvm.ptr
// CHECK:         llvm.store %[[BYTES]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.call @sparsec_launch(%arg0, %{{.+}}, %[[BLOCKS]], %[[WORDS]]) {sparsec.checked, sparsec.work
// CHECK-NOT:     linalg
// CHECK-LABEL: gpu.module @kernels
// CHECK:         gpu.func @dense_elementwise_0(%arg0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg1: !llvm.ptr<1>, %arg2: f32, %arg3: i64)
// CHECK-SAME:      known_block_size = array<i32: 256, 1, 1>
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:               llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK:           else
// CHECK:             llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4:     arith.mulf %{{.+}}, %arg2 : f32
// CHECK:             llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @train(%context: !llvm.ptr, %step: i64, %n: index, %k: f32) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x3xf32>
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?x3xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x3xf32>) outs(%b : memref<?x3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.mulf %x, %k : f32
    linalg.yield %s : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Rows of a wider matrix: threads walk rows; columns begin at a multiple of four, so they go as vectors. Where
// coordinates are asked for they are those of the element.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.getelementptr %{{.+}}[8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK:         llvm.call @sparsec_launch
// CHECK-LABEL: gpu.module @kernels
// CHECK:           scf.for %{{.+}} to %{{.+}} step %c64_i64
// CHECK:             scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %c16_i64
// CHECK:             llvm.load %{{.+}} : !llvm.ptr<1> -> f32
// CHECK:             %[[COLUMN:.+]] = arith.index_cast %[[J]] : i64 to index
// CHECK:             arith.index_cast %[[COLUMN]] : index to i32
// CHECK:             arith.addi %[[J]], %c1_i64
// CHECK:             llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xf32>
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?x24xf32>
  %part = memref.subview %b[0, 8] [%n, 12] [1, 1] : memref<?x24xf32> to memref<?x12xf32, strided<[24, 1], offset: 8>>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?xf32>) outs(%part : memref<?x12xf32, strided<[24, 1], offset: 8>>) {
  ^bb0(%x: f32, %y: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// An input entry and buffers of integers are the host's.
// CHECK-LABEL: func.func @train_input
// CHECK:         memref.copy
// CHECK-LABEL: func.func @train(
// CHECK:         memref.store %{{.+}} : memref<4xi64>
// CHECK-NOT:   gpu.module
func.func @train_input(%context: !llvm.ptr, %step: i64, %a: memref<4xf32>, %b: memref<4xf32>) -> i32 attributes {rec.entry} {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @train(%context: !llvm.ptr, %step: i64, %a: memref<4xi64>) -> i32 attributes {rec.entry} {
  %c0 = arith.constant 0 : index
  memref.store %step, %a[%c0] : memref<4xi64>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
