// RUN: sparsec-opt --rec-dense-kernels --canonicalize --cse --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>

// Updates with one rule are one launch: its blocks find their parameter by their number. What all share is passed once.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.call @sparsec_launch(%arg0, %{{.+}}, %c5_i64, %{{.+}})
// CHECK-NOT:     llvm.call @sparsec_launch
// CHECK-LABEL: gpu.func @dense_elementwise_0(%arg0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg1: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg2: !llvm.ptr<1>, %arg3: !llvm.ptr<1>, %arg4: f32, %arg5: i64, %arg6: i64, %arg7: i64)
// CHECK:         %[[FIRST:.+]] = arith.cmpi slt, %[[BLOCK:.+]], %arg7
// CHECK:         arith.select %[[FIRST]], %arg0, %arg1 : !llvm.ptr<1>
// CHECK:         arith.select %[[FIRST]], %arg2, %arg3 : !llvm.ptr<1>
// CHECK:         arith.select %[[FIRST]], %arg5, %arg6 : i64
// CHECK:         %[[BEGIN:.+]] = arith.select %[[FIRST]], %c0_i64, %arg7 : i64
// CHECK:         arith.subi %[[BLOCK]], %[[BEGIN]]
func.func @train(%context: !llvm.ptr, %step: i64, %rate: f32) -> i32 attributes {rec.entry} {
  %a0 = memref.alloc() : memref<4000xf32>
  %a1 = memref.alloc() : memref<64xf32>
  %b0 = memref.alloc() : memref<4000xf32>
  %b1 = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%a0 : memref<4000xf32>) outs(%b0 : memref<4000xf32>) {
  ^bb0(%g: f32, %w: f32):
    %change = arith.mulf %g, %rate : f32
    %next = arith.subf %w, %change : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%a1 : memref<64xf32>) outs(%b1 : memref<64xf32>) {
  ^bb0(%g: f32, %w: f32):
    %change = arith.mulf %g, %rate : f32
    %next = arith.subf %w, %change : f32
    linalg.yield %next : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Columns of one matrix from several: widths and strides are words, and the parts are apart.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.call @sparsec_launch
// CHECK-NOT:     llvm.call @sparsec_launch
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x64xf32>
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?x192xf32>
  %left = memref.subview %c[0, 0] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1]>>
  %right = memref.subview %c[0, 64] [%n, 128] [1, 1] : memref<?x192xf32> to memref<?x128xf32, strided<[192, 1], offset: 64>>
  memref.copy %a, %left : memref<?x64xf32> to memref<?x64xf32, strided<[192, 1]>>
  memref.copy %b, %right : memref<?x128xf32> to memref<?x128xf32, strided<[192, 1], offset: 64>>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// The second reads what the first writes, not point by point: two launches.
// CHECK-LABEL: func.func @train
// CHECK-COUNT-2: llvm.call @sparsec_launch
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x192xf32>
  %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?x192xf32>
  %left = memref.subview %c[0, 0] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1]>>
  %middle = memref.subview %c[0, 32] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: 32>>
  %from = memref.subview %a[0, 0] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1]>>
  memref.copy %from, %left : memref<?x64xf32, strided<[192, 1]>> to memref<?x64xf32, strided<[192, 1]>>
  memref.copy %from, %middle : memref<?x64xf32, strided<[192, 1]>> to memref<?x64xf32, strided<[192, 1], offset: 32>>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i, 0)>

// What the second reads the first makes at another point: two kernels.
// CHECK-LABEL: func.func @train
// CHECK-COUNT-2: llvm.call @sparsec_launch
// CHECK-LABEL: gpu.module @kernels
// CHECK-COUNT-2: gpu.func
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<?x4xf32>) outs(%c : memref<?x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The call between them changes what the second reads: it may not move up, nor the first wait.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.call @sparsec_launch
// CHECK:         llvm.call @sparsec_all_reduce
// CHECK:         llvm.call @sparsec_launch
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
  memref.copy %a, %b : memref<8x4xf32> to memref<8x4xf32>
  %axes = arith.constant 1 : i32
  %floats = arith.constant 32 : i64
  %at = memref.extract_aligned_pointer_as_index %b : memref<8x4xf32> -> index
  %word = arith.index_cast %at : index to i64
  %address = llvm.inttoptr %word : i64 to !llvm.ptr
  %status = llvm.call @sparsec_all_reduce(%context, %axes, %address, %floats) : (!llvm.ptr, i32, !llvm.ptr, i64) -> i32
  memref.copy %b, %c : memref<8x4xf32> to memref<8x4xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
llvm.func @sparsec_all_reduce(!llvm.ptr, i32, !llvm.ptr, i64) -> i32
