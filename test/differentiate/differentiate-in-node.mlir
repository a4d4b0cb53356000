// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(rec-differentiate),canonicalize)" | FileCheck %s

comm.mesh @mesh {axes = ["node", "shard"], shape = array<i64: 2, 2>}
rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 1, axes["node", "shard"], ranks 2 + 2>], dim = 1 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 10 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<bce>, name = "y", weight = 1.0 : f64}
rec.schedule @schedule {warmup_steps = 0 : i64}

#items = [#rec.item<0, @table.a, 0>]

// Gradients go between nodes once, are copied in the node of the owners, and reach these over the same axes as the rows
// came, with counts for sending and receiving exchanged.
// CHECK-LABEL: func.func @train
// CHECK:       %[[R:.*]] = rec.route
// CHECK:       %[[Q:.*]] = comm.all_to_all %[[R]]
// CHECK:       %[[IS:.*]], %[[IR:.*]], %[[AS:.*]], %[[AR:.*]] = rec.node_counts
// CHECK:       %[[G:.*]] = rec.bce_grad
// CHECK:       %[[S:.*]] = rec.spread_sources %[[G]], %[[R]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.a, 0>]}
// CHECK:       %[[A:.*]] = comm.all_to_all %[[S]], %[[AR]], %[[AS]] {axes = ["node"]
// CHECK:       %[[C:.*]] = rec.copy_in_node %[[A]] {axes = ["node", "shard"]}
// CHECK:       %[[P:.*]] = comm.all_to_all %[[C]], %[[IR]], %[[IS]] {axes = ["shard"]
// CHECK:       %[[D:.*]] = rec.row_gradients_served %[[Q]], %[[P]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.a, 0>], table = @table.a}
// CHECK:       rec.apply_rows %{{.*}} by %[[D]]
func.func @train(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<10x1>
  %r = rec.route %i {axes = ["node", "shard"], items = #items} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q = comm.all_to_all %r {axes = ["node", "shard"], items = #items, operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %to, %from = rec.exchange_counts %r, %q {axes = ["node", "shard"], items = #items} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p = rec.lookup_served %q, %h {axes = ["node", "shard"], in_node, items = #items} : (!rec.jagged<?x?>, !rec.table<10x1>) -> tensor<?xf32>
  %is, %ir, %as, %ar = rec.node_counts %to, %from {axes = ["node", "shard"]} : (tensor<?xindex>, tensor<?xindex>) -> (tensor<?xindex>, tensor<?xindex>, tensor<?xindex>, tensor<?xindex>)
  %x = comm.all_to_all %p, %is, %ir {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %s = rec.sum_in_node %x, %q {axes = ["node", "shard"], items = #items} : (tensor<?xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  %m = comm.all_to_all %s, %as, %ar {axes = ["node"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %m, %r, %i {axes = ["node", "shard"], in_node, items = #items} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x1xf32>
  %y = rec.labels %b {label = @label.y} : (index) -> tensor<?x1xf32>
  %l = rec.bce %e, %y, %b {task = @task.y, weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
  return
}
