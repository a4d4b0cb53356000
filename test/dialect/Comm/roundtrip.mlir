// RUN: sparsec-opt %s | sparsec-opt | FileCheck %s
// RUN: sparsec-opt %s --mlir-print-op-generic | sparsec-opt | FileCheck %s

// CHECK: comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 4>}
comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 4>}

// CHECK-LABEL: func.func @collectives(
// CHECK-SAME: %[[S:.*]]: i64, %[[N:.*]]: index, %[[W:.*]]: tensor<4x2xf32>, %[[L:.*]]: f32, %[[R:.*]]: !rec.rows<4>, %[[T:.*]]: !rec.table<10x4>)
func.func @collectives(%s: i64, %n: index, %w: tensor<4x2xf32>, %l: f32, %r: !rec.rows<4>, %t: !rec.table<10x4>) {
  // CHECK: comm.agree %[[S]], %[[N]] {axes = ["replicate", "shard"]} : (i64, index) -> index
  %total = comm.agree %s, %n {axes = ["replicate", "shard"]} : (i64, index) -> index
  // CHECK: comm.replicate %[[T]] {axes = ["replicate"]} : (!rec.table<10x4>) -> !rec.table<10x4>
  %h = comm.replicate %t {axes = ["replicate"]} : (!rec.table<10x4>) -> !rec.table<10x4>
  // CHECK: comm.all_reduce %[[W]], %[[L]], %[[R]] {axes = ["replicate"]} : (tensor<4x2xf32>, f32, !rec.rows<4>) -> (tensor<4x2xf32>, f32, !rec.rows<4, summed>)
  %sum:3 = comm.all_reduce %w, %l, %r {axes = ["replicate"]} : (tensor<4x2xf32>, f32, !rec.rows<4>) -> (tensor<4x2xf32>, f32, !rec.rows<4, summed>)
  return
}

// CHECK-LABEL: func.func @started(
// CHECK-SAME: %[[W:.*]]: tensor<4x2xf32>, %[[L:.*]]: f32)
func.func @started(%w: tensor<4x2xf32>, %l: f32) {
  // CHECK: %[[P:.*]] = comm.all_reduce_start %[[W]], %[[L]] {axes = ["shard"]} : (tensor<4x2xf32>, f32) -> !comm.pending<tensor<4x2xf32>, f32>
  %p = comm.all_reduce_start %w, %l {axes = ["shard"]} : (tensor<4x2xf32>, f32) -> !comm.pending<tensor<4x2xf32>, f32>
  // CHECK: %{{.*}}:2 = comm.wait %[[P]] : (!comm.pending<tensor<4x2xf32>, f32>) -> (tensor<4x2xf32>, f32)
  %s:2 = comm.wait %p : (!comm.pending<tensor<4x2xf32>, f32>) -> (tensor<4x2xf32>, f32)
  return
}

// CHECK-LABEL: func.func @exchanges(
// CHECK-SAME: %[[B:.*]]: !rec.jagged<4x?>, %[[F:.*]]: tensor<?xf32>, %[[C:.*]]: tensor<4xindex>)
func.func @exchanges(%b: !rec.jagged<4x?>, %f: tensor<?xf32>, %c: tensor<4xindex>) {
  // CHECK: comm.all_to_all %[[B]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<4x?>) -> !rec.jagged<4x?>
  %q = comm.all_to_all %b {axes = ["shard"], items = [#rec.item<0, @table.t, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<4x?>) -> !rec.jagged<4x?>
  // CHECK: comm.all_to_all %[[F]], %[[C]], %[[C]] {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<4xindex>, tensor<4xindex>) -> tensor<?xf32>
  %g = comm.all_to_all %f, %c, %c {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<4xindex>, tensor<4xindex>) -> tensor<?xf32>
  // CHECK: %[[P:.*]] = comm.all_to_all_start %[[F]], %[[C]], %[[C]] {axes = ["shard"]} : (tensor<?xf32>, tensor<4xindex>, tensor<4xindex>) -> !comm.pending<tensor<?xf32>>
  %p = comm.all_to_all_start %f, %c, %c {axes = ["shard"]} : (tensor<?xf32>, tensor<4xindex>, tensor<4xindex>) -> !comm.pending<tensor<?xf32>>
  // CHECK: comm.wait %[[P]] : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  %d = comm.wait %p : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  return
}
