// RUN: sparsec-opt --rec-dense-kernels --canonicalize --cse --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// A gradient, its sum over the samples and the sum's rounding: two launches. The first makes the gradient and partial
// sums of rows p, p + P, ..., the second adds these in a tree and rounds. Nothing sets the sums to 0.
// CHECK-LABEL: func.func @train
// CHECK:         %[[PARTIALS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<65536xf64>
// CHECK:         %[[COUNT:.+]] = arith.minui %{{.+}}, %c512_i64
// CHECK-COUNT-2: llvm.call @sparsec_launch
// CHECK-NOT:     llvm.call @sparsec_launch
// CHECK-LABEL: gpu.func @dense_partial_sum_0
// CHECK:         scf.for
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %cst, %{{.+}} = %cst, %{{.+}} = %cst, %{{.+}} = %cst) -> (f64, f64, f64, f64)
// CHECK-COUNT-2:     llvm.load %{{.+}} -> vector<4xf32>
// CHECK:             %[[VALUE:.+]] = arith.mulf
// CHECK:             llvm.store %{{.+}} : vector<4xf32>, !llvm.ptr<1>
// CHECK:             arith.extf %[[VALUE]] : f32 to f64
// CHECK-NOT:         llvm.load
// CHECK:             scf.yield
// CHECK-COUNT-4:   llvm.store %{{.+}} : f64, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @dense_total_1
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK-COUNT-4: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.store %[[SUM:.+]], %{{.+}} : f64, !llvm.ptr<1>
// CHECK:         arith.truncf %[[SUM]] : f64 to f32
// CHECK:         llvm.store %{{.+}} : f32, !llvm.ptr<1>
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %zero = arith.constant 0.0 : f64
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  %g = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<?x128xf32>, memref<?x128xf32>) outs(%g : memref<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  }
  // A call that only reads the gradient does not stand in the way.
  %flags = arith.constant 0 : i32
  %at = memref.extract_aligned_pointer_as_index %g : memref<?x128xf32> -> index
  %word = arith.index_cast %at : index to i64
  %address = llvm.inttoptr %word : i64 to !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %status = llvm.call @sparsec_gemm(%context, %flags, %word, %word, %word, %address, %address, %null, %null) : (!llvm.ptr, i32, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %sums = memref.alloc() {alignment = 64 : i64} : memref<128xf64>
  linalg.fill ins(%zero : f64) outs(%sums : memref<128xf64>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%g : memref<?x128xf32>) outs(%sums : memref<128xf64>) {
  ^bb0(%a: f32, %b: f64):
    %wide = arith.extf %a : f32 to f64
    %s = arith.addf %b, %wide : f64
    linalg.yield %s : f64
  }
  %bias = memref.alloc() {alignment = 64 : i64} : memref<128xf32>
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%sums : memref<128xf64>) outs(%bias : memref<128xf32>) {
  ^bb0(%a: f64, %b: f32):
    %narrow = arith.truncf %a : f64 to f32
    linalg.yield %narrow : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
llvm.func @sparsec_gemm(!llvm.ptr, i32, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Sums of rows that go on from what is there: one launch, four threads a row.
// CHECK-LABEL: gpu.func @dense_row_sum_0
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[BEFORE:.+]] = llvm.load %{{.+}} : !llvm.ptr<1> -> f64
// CHECK:         arith.addf %[[BEFORE]]
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?x13xf32>
  %sums = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf64>
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x13xf32>) outs(%sums : memref<?xf64>) {
  ^bb0(%a: f32, %b: f64):
    %wide = arith.extf %a : f32 to f64
    %s = arith.addf %b, %wide : f64
    linalg.yield %s : f64
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A product that writes sums (SPARSEC_GEMM_SUMS) where the gradient lies: what is added up then is something else.
// CHECK-LABEL: gpu.func @dense_elementwise_0
// CHECK:       gpu.func @dense_{{.*}}sum_1
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %zero = arith.constant 0.0 : f64
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  %g = memref.alloc(%n) {alignment = 64 : i64} : memref<?x128xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x128xf32>) outs(%g : memref<?x128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  }
  %flags = arith.constant 8 : i32
  %at = memref.extract_aligned_pointer_as_index %g : memref<?x128xf32> -> index
  %word = arith.index_cast %at : index to i64
  %address = llvm.inttoptr %word : i64 to !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %status = llvm.call @sparsec_gemm(%context, %flags, %word, %word, %word, %null, %null, %address, %null) : (!llvm.ptr, i32, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %sums = memref.alloc() {alignment = 64 : i64} : memref<128xf64>
  linalg.fill ins(%zero : f64) outs(%sums : memref<128xf64>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%g : memref<?x128xf32>) outs(%sums : memref<128xf64>) {
  ^bb0(%a: f32, %b: f64):
    %wide = arith.extf %a : f32 to f64
    %s = arith.addf %b, %wide : f64
    linalg.yield %s : f64
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
llvm.func @sparsec_gemm(!llvm.ptr, i32, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
