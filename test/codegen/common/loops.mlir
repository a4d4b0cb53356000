// RUN: sparsec-opt --pass-pipeline='builtin.module(func.func(rec-loops))' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Element-wise on contiguous buffers: one loop.
// CHECK-LABEL: func.func @flat
// CHECK:         memref.collapse_shape %arg0 {{\[}}[0, 1]] : memref<?x3xf32> into memref<?xf32>
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {sparsec.parallel}
func.func @flat(%a: memref<?x3xf32>, %b: memref<?x3xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x3xf32>) outs(%b : memref<?x3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A sum over the batch: samples in order, not on threads.
// CHECK-LABEL: func.func @columns
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:     sparsec.parallel
func.func @columns(%a: memref<?x3xf32>, %b: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%a : memref<?x3xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}
