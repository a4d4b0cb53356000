// RUN: sparsec-opt %s --rec-partition | FileCheck %s

comm.mesh @mesh {axes = ["replicate", "node", "shard"], shape = array<i64: 2, 2, 2>}
rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 2 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.g {name = "g", rows = 10 : i64, parts = [#rec.part<cols 0 + 2, axes["node", "shard"], ranks 2 + 2>, #rec.part<cols 2 + 2, axes["node", "shard"], ranks 0 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.r {name = "r", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 0 + 4>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.w {name = "w", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 3 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.s {name = "s", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 1 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 4 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<mse>, name = "y", weight = 1.0 : f64}

// The owners of a's rows are the ranks of node 1: their sums are made there, and go back between nodes once.
// CHECK-LABEL: func.func @rows_of_a_node
// CHECK:       %[[I:.*]] = rec.ids
// CHECK:       %[[H:.*]] = rec.handle {table = @table.a}
// CHECK:       %[[R:.*]] = rec.route %[[I]] {axes = ["node", "shard"], items = [#rec.item<0, @table.a, 0>]}
// CHECK:       %[[Q:.*]] = comm.all_to_all %[[R]] {axes = ["node", "shard"], items = [#rec.item<0, @table.a, 0>]
// CHECK:       %[[TO:.*]], %[[FROM:.*]] = rec.exchange_counts %[[R]], %[[Q]] {axes = ["node", "shard"], items = [#rec.item<0, @table.a, 0>]}
// CHECK:       %[[P:.*]] = rec.lookup_served %[[Q]], %[[H]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.a, 0>]}
// CHECK:       %[[IS:.*]], %[[IR:.*]], %[[AS:.*]], %[[AR:.*]] = rec.node_counts %[[TO]], %[[FROM]] {axes = ["node", "shard"]}
// CHECK:       %[[X:.*]] = comm.all_to_all %[[P]], %[[IS]], %[[IR]] {axes = ["shard"]
// CHECK:       %[[S:.*]] = rec.sum_in_node %[[X]], %[[Q]] {axes = ["node", "shard"], items = [#rec.item<0, @table.a, 0>]}
// CHECK:       %[[B:.*]] = comm.all_to_all %[[S]], %[[AS]], %[[AR]] {axes = ["node"]
// CHECK:       %[[E:.*]] = rec.combine_sources %[[B]], %[[R]], %[[I]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.a, 0>]}
// CHECK:       rec.output %[[E]]
func.func @rows_of_a_node(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %e0 = rec.lookup %i, %h0 {name = "a", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  rec.output %e0 {task = @task.y} : (tensor<?x4xf32>) -> ()
  return
}

// Columns over nodes and rows inside them; distinct rows as well.
// CHECK-LABEL: func.func @grid
// CHECK:       rec.route %{{.*}} {axes = ["node", "shard"], items = [#rec.item<0, @table.g, 0>, #rec.item<0, @table.g, 1>]}
// CHECK:       rec.combine_sources {{.*}}in_node
// CHECK:       %[[U:.*]], %{{.*}} = rec.unique
// CHECK:       rec.route %[[U]]
// CHECK:       rec.sum_in_node
// CHECK:       rec.combine_sources {{.*}}in_node
// CHECK:       rec.pool_rows
func.func @grid(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.g} : () -> !rec.table<10x4>
  %e0 = rec.lookup %i, %h0 {name = "g", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h1 = rec.handle {table = @table.g} : () -> !rec.table<10x4>
  %e1 = rec.lookup %i, %h1 {name = "g", pooling = #rec.pooling<max>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  rec.output %e0 {task = @task.y} : (tensor<?x4xf32>) -> ()
  rec.output %e1 {task = @task.y} : (tensor<?x4xf32>) -> ()
  return
}

// Owners of all nodes, one owner, and two of two nodes: one step.
// CHECK-LABEL: func.func @one_step
// CHECK-NOT:   in_node
// CHECK-COUNT-3: rec.combine_sources
// CHECK-NOT:   in_node
// CHECK:       return
func.func @one_step(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.r} : () -> !rec.table<10x4>
  %e0 = rec.lookup %i, %h0 {name = "r", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h1 = rec.handle {table = @table.w} : () -> !rec.table<10x4>
  %e1 = rec.lookup %i, %h1 {name = "w", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h2 = rec.handle {table = @table.s} : () -> !rec.table<10x4>
  %e2 = rec.lookup %i, %h2 {name = "s", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %e = rec.add %e0, %e1, %e2 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  rec.output %e {task = @task.y} : (tensor<?x4xf32>) -> ()
  return
}
