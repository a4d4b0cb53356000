// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-overlap-exchanges))" | FileCheck %s

// The start stays; the wait and what only its result feeds go down to the first user, past independent work.
// CHECK-LABEL: func.func @forward
// CHECK:       comm.all_to_all_start
// CHECK-NEXT:  %[[H:.*]] = rec.activate
// CHECK-NEXT:  %[[ROWS:.*]] = comm.wait
// CHECK-NEXT:  %[[E:.*]] = rec.combine_sources %[[ROWS]]
// CHECK-NEXT:  rec.add %[[H]], %[[E]]
func.func @forward(%p: tensor<?xf32>, %n: tensor<?xindex>, %r: !rec.jagged<?x?>, %i: !rec.jagged<1x1>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = comm.all_to_all %p, %n, %n {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %m, %r, %i {axes = ["shard"], items = []} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %h = rec.activate %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = rec.add %h, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// An exchange of ids stays whole: its lengths travel first.
// CHECK-LABEL: func.func @ids
// CHECK:       comm.all_to_all %
func.func @ids(%r: !rec.jagged<?x?>) -> !rec.jagged<?x?> {
  %q = comm.all_to_all %r {axes = ["shard"], items = [], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  return %q : !rec.jagged<?x?>
}

// Two buckets: each starts where it is complete, and is waited for where its first sum is used. Between lie the gradient
// below, an exchange, the sum of rows, and for the second bucket the rows' update. The loss is reported before any update.
// CHECK-LABEL: func.func @buckets
// CHECK-SAME:  %[[L:.*]]: f32, %[[G:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT:  %[[P:.*]] = comm.all_reduce_start %[[L]], %[[G]] {axes = ["shard"]} : (f32, tensor<4xf32>) -> !comm.pending<f32, tensor<4xf32>>
// CHECK-NEXT:  %[[F:.*]] = comm.all_to_all_start
// CHECK-NEXT:  %[[D:.*]] = rec.activate %[[X]]
// CHECK-NEXT:  %[[Q:.*]] = comm.all_reduce_start %[[D]] {axes = ["shard"]} : (tensor<2x4xf32>) -> !comm.pending<tensor<2x4xf32>>
// CHECK-NEXT:  %[[M:.*]] = comm.wait %[[F]]
// CHECK-NEXT:  %[[R:.*]] = rec.row_gradients_served %{{.*}}, %[[M]]
// CHECK-NEXT:  %[[ROWS:.*]] = comm.all_reduce %[[R]] {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
// CHECK-NEXT:  %[[S:.*]]:2 = comm.wait %[[P]]
// CHECK-NEXT:  rec.report %[[S]]#0
// CHECK-NEXT:  rec.apply_rows %{{.*}} by %[[ROWS]]
// CHECK-NEXT:  rec.apply %[[S]]#1
// CHECK-NEXT:  %[[T:.*]] = comm.wait %[[Q]]
// CHECK-NEXT:  rec.apply %[[T]]
rec.param @param.g {name = "g", init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<4xf32>}
rec.param @param.x {name = "x", init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<2x4xf32>}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}
func.func @buckets(%l: f32, %g: tensor<4xf32>, %x: tensor<2x4xf32>, %p: tensor<?xf32>, %n: tensor<?xindex>, %i: !rec.jagged<?x?>, %h: !rec.table<9x4>, %lr: f32, %step: i64) {
  %0:2 = comm.all_reduce %l, %g {axes = ["shard"]} : (f32, tensor<4xf32>) -> (f32, tensor<4xf32>)
  rec.report %0#0 : (f32) -> ()
  %m = comm.all_to_all %p, %n, %n {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %d = rec.activate %x {activation = #rec.activation<relu>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = comm.all_reduce %d {axes = ["shard"]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = rec.row_gradients_served %i, %m {axes = ["shard"], items = [], table = @table.a} : (!rec.jagged<?x?>, tensor<?xf32>) -> !rec.rows<4>
  %2 = comm.all_reduce %r {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  rec.apply_rows %h by %2 at %lr, %step, %lr : !rec.table<9x4> by !rec.rows<4, summed>
  rec.apply %0#1, %lr, %step {param = @param.g} : (tensor<4xf32>, f32, i64) -> ()
  rec.apply %1, %lr, %step {param = @param.x} : (tensor<2x4xf32>, f32, i64) -> ()
  return
}

// Of two steps the first is awaited where the second starts; its sum is not put off further.
// CHECK-LABEL: func.func @two_steps
// CHECK:       comm.all_to_all_start {{.*}}axes = ["shard"]
// CHECK-NEXT:  %[[PARTIAL:.*]] = comm.wait
// CHECK-NEXT:  %[[SUMS:.*]] = rec.sum_in_node %[[PARTIAL]]
// CHECK-NEXT:  comm.all_to_all_start %[[SUMS]], {{.*}}axes = ["node"]
// CHECK-NEXT:  %[[H:.*]] = rec.activate
// CHECK-NEXT:  %[[ROWS:.*]] = comm.wait
// CHECK-NEXT:  %[[E:.*]] = rec.combine_sources %[[ROWS]]
// CHECK-NEXT:  rec.add %[[H]], %[[E]]
func.func @two_steps(%p: tensor<?xf32>, %n: tensor<?xindex>, %r: !rec.jagged<?x?>, %q: !rec.jagged<?x?>, %i: !rec.jagged<1x1>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = comm.all_to_all %p, %n, %n {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %s = rec.sum_in_node %m, %q {axes = ["node", "shard"], items = []} : (tensor<?xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  %t = comm.all_to_all %s, %n, %n {axes = ["node"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %t, %r, %i {axes = ["node", "shard"], in_node, items = []} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %h = rec.activate %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = rec.add %h, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
