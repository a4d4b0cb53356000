// RUN: sparsec-opt %s --pass-pipeline="builtin.module(rec-partition,cse,func.func(rec-fuse-lookups))" | FileCheck %s

comm.mesh @mesh {axes = ["replicate", "node", "shard"], shape = array<i64: 2, 2, 2>}
rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 2 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.g {name = "g", rows = 10 : i64, parts = [#rec.part<cols 0 + 2, axes["node", "shard"], ranks 2 + 2>, #rec.part<cols 2 + 2, axes["node", "shard"], ranks 0 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.r {name = "r", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 0 + 4>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.w {name = "w", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 3 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.s {name = "s", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["node", "shard"], ranks 1 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 4 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<mse>, name = "y", weight = 1.0 : f64}

// One exchange in one step and one in two, whatever the order of the lookups.
// CHECK-LABEL: func.func @both
// CHECK:       rec.route %[[I:.*]], %[[I]] {axes = ["node", "shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<1, @table.g, 0>, #rec.item<1, @table.g, 1>]}
// CHECK:       rec.lookup_served {{.*}}in_node
// CHECK:       comm.all_to_all {{.*}}axes = ["shard"]
// CHECK:       rec.sum_in_node
// CHECK:       comm.all_to_all {{.*}}axes = ["node"]
// CHECK:       %[[TWO:.*]]:2 = rec.combine_sources %{{.*}}, %{{.*}}, %[[I]], %[[I]] {axes = ["node", "shard"], in_node,
// CHECK:       rec.route %[[I]], %[[I]] {axes = ["node", "shard"], items = [#rec.item<0, @table.r, 0>, #rec.item<1, @table.w, 0>]}
// CHECK-NOT:   in_node
// CHECK:       %[[ONE:.*]]:2 = rec.combine_sources
// CHECK-NOT:   rec.route
// CHECK:       rec.add %[[TWO]]#0, %[[ONE]]#0, %[[TWO]]#1, %[[ONE]]#1
func.func @both(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %e0 = rec.lookup %i, %h0 {name = "a", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h1 = rec.handle {table = @table.r} : () -> !rec.table<10x4>
  %e1 = rec.lookup %i, %h1 {name = "r", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h2 = rec.handle {table = @table.g} : () -> !rec.table<10x4>
  %e2 = rec.lookup %i, %h2 {name = "g", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h3 = rec.handle {table = @table.w} : () -> !rec.table<10x4>
  %e3 = rec.lookup %i, %h3 {name = "w", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %e = rec.add %e0, %e1, %e2, %e3 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  rec.output %e {task = @task.y} : (tensor<?x4xf32>) -> ()
  return
}

// Of two lookups of the same ids in the same table nothing but one exchange is left, in both its steps.
// CHECK-LABEL: func.func @repeated
// CHECK:       rec.route
// CHECK-COUNT-3: comm.all_to_all
// CHECK:       %[[E:.*]] = rec.combine_sources
// CHECK-NOT:   comm.all_to_all
// CHECK-NOT:   rec.node_counts
// CHECK:       rec.add %[[E]], %[[E]]
func.func @repeated(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %e0 = rec.lookup %i, %h0 {name = "a", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %h1 = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %e1 = rec.lookup %i, %h1 {name = "a", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %e = rec.add %e0, %e1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  rec.output %e {task = @task.y} : (tensor<?x4xf32>) -> ()
  return
}
