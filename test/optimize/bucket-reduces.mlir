// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-bucket-reduces))" | FileCheck %s

comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 2>}

// The loss rides with the gradients, and is reported before anything uses them. Rows, and other axes, go apart.
// CHECK-LABEL: func.func @sums
// CHECK-SAME:  %[[L:.*]]: f32, %[[G:.*]]: tensor<4xf32>, %[[R:.*]]: !rec.rows<4>, %[[Q:.*]]: !rec.rows<4>
// CHECK:       %[[S:.*]]:2 = comm.all_reduce %[[L]], %[[G]] {axes = ["replicate", "shard"]}
// CHECK-NEXT:  rec.report %[[S]]#0
// CHECK:       %[[T:.*]]:2 = comm.all_reduce %[[R]], %[[Q]] {axes = ["replicate", "shard"]}
// CHECK:       %[[U:.*]] = comm.all_reduce %[[G]] {axes = ["shard"]}
// CHECK:       return %[[S]]#1, %[[T]]#0, %[[T]]#1, %[[U]]
func.func @sums(%l: f32, %g: tensor<4xf32>, %r: !rec.rows<4>, %q: !rec.rows<4>)
    -> (tensor<4xf32>, !rec.rows<4, summed>, !rec.rows<4, summed>, tensor<4xf32>) {
  %0 = comm.all_reduce %l {axes = ["replicate", "shard"]} : (f32) -> f32
  rec.report %0 : (f32) -> ()
  %1 = comm.all_reduce %r {axes = ["replicate", "shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  %2 = comm.all_reduce %g {axes = ["replicate", "shard"]} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = comm.all_reduce %q {axes = ["replicate", "shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  %4 = comm.all_reduce %g {axes = ["shard"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %1, %3, %4 : tensor<4xf32>, !rec.rows<4, summed>, !rec.rows<4, summed>, tensor<4xf32>
}
