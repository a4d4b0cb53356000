// RUN: sparsec-opt --rec-dense-kernels --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// 48 elements: %a and %b are read and %c is written; then %c is read and written in place, but what was just written
// need not be read, and a row of 8 is. Two operations at each element; casts and selections are none.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.call @sparsec_launch({{.+}}) {sparsec.checked, sparsec.work = [{bytes = 6.080000e+02 : f64, flops = 9.600000e+01 : f64}]}
// CHECK-NOT:     llvm.call @sparsec_launch
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %a = memref.alloc() {alignment = 64 : i64} : memref<6x8xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<6x8xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<6x8xf32>
  %bias = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : memref<6x8xf32>, memref<6x8xf32>) outs(%c : memref<6x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<8xf32>) outs(%c : memref<6x8xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x : f32
    %p = arith.cmpf ogt, %s, %x : f32
    %t = arith.select %p, %s, %x : f32
    linalg.yield %t : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// The batch bounds the rows: 80 of them, 10 partial sums of each of 4 columns. They are written, then read; the sums
// are written once, and read first as they are added to.
// CHECK-LABEL: func.func @train
// CHECK:         llvm.call @sparsec_launch({{.+}}) {sparsec.checked, sparsec.work = [{bytes = 1.440000e+03 : f64, flops = 3.200000e+02 : f64}]}
// CHECK:         llvm.call @sparsec_launch({{.+}}) {sparsec.checked, sparsec.work = [{bytes = 1.920000e+02 : f64, flops = 4.000000e+01 : f64}]}
func.func @train(%context: !llvm.ptr, %step: i64, %samples: index) -> i32 attributes {rec.entry} {
  %most = arith.constant 80 : index
  %n = arith.minui %samples, %most : index
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  %sums = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%a : memref<?x4xf32>) outs(%sums : memref<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
