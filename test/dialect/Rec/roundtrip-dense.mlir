// RUN: sparsec-opt %s | sparsec-opt | FileCheck %s
// RUN: sparsec-opt %s --mlir-print-op-generic | sparsec-opt | FileCheck %s

// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[X:.*]]: tensor<?x2xf32>, %[[W:.*]]: tensor<4x2xf32>, %[[B:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<?x4xf32>)
func.func @linear(%x: tensor<?x2xf32>, %w: tensor<4x2xf32>, %b: tensor<4xf32>, %g: tensor<?x4xf32>) {
  // CHECK: %[[H:.*]] = rec.linear %[[X]], %[[W]], %[[B]] {activation = #rec.activation<relu>} : (tensor<?x2xf32>, tensor<4x2xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %h = rec.linear %x, %w, %b {activation = #rec.activation<relu>} : (tensor<?x2xf32>, tensor<4x2xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.linear %[[X]], %[[W]] {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  %k = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  // CHECK: rec.matmul %[[G]], %[[W]] : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %gx = rec.matmul %g, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  // CHECK: rec.matmul %[[G]], %[[X]] {transpose_a} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  %gw = rec.matmul %g, %x {transpose_a} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  // CHECK: rec.matmul %[[X]], %[[W]] {transpose_b} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  %xw = rec.matmul %x, %w {transpose_b} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  // CHECK: rec.column_sum %[[G]] : (tensor<?x4xf32>) -> tensor<4xf32>
  %gb = rec.column_sum %g : (tensor<?x4xf32>) -> tensor<4xf32>
  // CHECK: rec.activate %[[H]] {activation = #rec.activation<tanh>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = rec.activate %h {activation = #rec.activation<tanh>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.activate_grad %[[G]], %[[H]] {activation = #rec.activation<sigmoid>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %ga = rec.activate_grad %g, %h {activation = #rec.activation<sigmoid>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[V:.*]]: tensor<4xf32>, %[[FIRST:.*]]: i64, %[[STEP:.*]]: i64)
func.func @elements(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %v: tensor<4xf32>, %first: i64, %step: i64) {
  // CHECK: rec.add %[[A]], %[[B]], %[[A]] : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = rec.add %a, %b, %a : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.add %[[V]], %[[V]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rec.add %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: rec.subtract %[[A]], %[[B]] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = rec.subtract %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.multiply %[[A]], %[[B]] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = rec.multiply %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.scale %[[A]] {factor = 5.000000e-01 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = rec.scale %a {factor = 0.5} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: rec.dropout %[[A]], %[[FIRST]], %[[STEP]] {rate = 1.000000e-01 : f64, seed = 7 : i64, stream = "top/0"} : (tensor<?x4xf32>, i64, i64) -> tensor<?x4xf32>
  %5 = rec.dropout %a, %first, %step {rate = 0.1, stream = "top/0", seed = 7} : (tensor<?x4xf32>, i64, i64) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>, %[[S:.*]]: tensor<?x1xf32>)
func.func @columns(%a: tensor<?x4xf32>, %s: tensor<?x1xf32>) {
  // CHECK: rec.row_sum %[[A]] : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %0 = rec.row_sum %a : (tensor<?x4xf32>) -> tensor<?x1xf32>
  // CHECK: rec.broadcast_columns %[[S]] : (tensor<?x1xf32>) -> tensor<?x4xf32>
  %1 = rec.broadcast_columns %s : (tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: rec.concat %[[A]], %[[S]] : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x5xf32>
  %2 = rec.concat %a, %s : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x5xf32>
  // CHECK: rec.slice %[[A]] {begin = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %3 = rec.slice %a {begin = 1} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  // CHECK: rec.pad_columns %[[S]] {begin = 3 : i64} : (tensor<?x1xf32>) -> tensor<?x4xf32>
  %4 = rec.pad_columns %s {begin = 3} : (tensor<?x1xf32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @interaction(
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[G:.*]]: tensor<?x1xf32>)
func.func @interaction(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %g: tensor<?x1xf32>) {
  // CHECK: rec.dot_interaction %[[A]], %[[B]] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x1xf32>
  %0 = rec.dot_interaction %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x1xf32>
  // CHECK: rec.dot_interaction %[[A]], %[[B]] {self} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x3xf32>
  %1 = rec.dot_interaction %a, %b {self} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x3xf32>
  // CHECK: rec.dot_interaction_grad %[[G]], %[[A]], %[[B]] : (tensor<?x1xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %2:2 = rec.dot_interaction_grad %g, %a, %b : (tensor<?x1xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return
}
