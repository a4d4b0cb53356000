// RUN: sparsec-opt %s --rec-partition | FileCheck %s

comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 2>}
rec.table @table.t0 {name = "t0", rows = 4 : i64, parts = [#rec.part<cols 0 + 4, axes[], ranks 0 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.t1 {name = "t1", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["shard"], ranks 0 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.t2 {name = "t2", rows = 6 : i64, parts = [#rec.part<cols 0 + 2, axes["shard"], ranks 1 + 1>, #rec.part<cols 2 + 2, axes["shard"], ranks 0 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 4 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.feature @feature.x {bag_length = 0.0 : f64, ids = 0 : i64, name = "x", reader = {}, width = 1 : i64, zipf = 0.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<mse>, name = "y", weight = 1.0 : f64}
rec.schedule @schedule {warmup_steps = 0 : i64}
rec.param @param.w {name = "w", init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<1x4xf32>}

// Eight samples over four ranks; the loss divides by the size of all.
// CHECK-LABEL: func.func @train
// CHECK:       %[[B:.*]] = rec.batch_size {max = 2 : i64}
// CHECK:       %[[S:.*]] = rec.batch_status
// CHECK:       %[[ALL:.*]] = comm.agree %[[S]], %[[B]] {axes = ["replicate", "shard"]}
// Data parallel: local, its gradient crosses all ranks.
// CHECK:       %[[H0:.*]] = rec.handle {table = @table.t0}
// CHECK:       %[[R0:.*]] = comm.replicate %[[H0]] {axes = ["replicate", "shard"]}
// CHECK:       %[[E0:.*]] = rec.lookup_local %[[I:.*]] from %[[R0]] {table_of = array<i64: 0>}
// Row-wise and mean: sum on the owners, scale at home by the original counts.
// CHECK:       %[[R1:.*]] = comm.replicate %{{.*}} {axes = ["replicate"]}
// CHECK:       %[[ROUTED:.*]] = rec.route %[[I]] {axes = ["shard"], items = [#rec.item<0, @table.t1, 0>]}
// CHECK:       %[[GOT:.*]] = comm.all_to_all %[[ROUTED]]
// CHECK:       %[[TO:.*]], %[[FROM:.*]] = rec.exchange_counts %[[ROUTED]], %[[GOT]]
// CHECK:       %[[P:.*]] = rec.lookup_served %[[GOT]], %[[R1]]
// CHECK:       %[[BACK:.*]] = comm.all_to_all %[[P]], %[[TO]], %[[FROM]]
// CHECK:       %[[SUM:.*]] = rec.combine_sources %[[BACK]], %[[ROUTED]], %[[I]]
// CHECK:       %[[SCALE:.*]] = rec.bag_scale %[[I]]
// CHECK:       %[[E1:.*]] = rec.scale_bags %[[SUM]], %[[SCALE]]
// Column-wise and max: distinct rows travel, both parts of them, and are pooled at home.
// CHECK:       %[[U:.*]], %[[AT:.*]] = rec.unique %[[I]]
// CHECK:       rec.route %[[U]] {axes = ["shard"], items = [#rec.item<0, @table.t2, 0>, #rec.item<0, @table.t2, 1>]}
// CHECK:       %[[ROWS:.*]] = rec.combine_sources
// CHECK:       %[[E2:.*]] = rec.pool_rows %[[ROWS]], %[[AT]] {pooling = #rec.pooling<max>}
// CHECK:       rec.add %[[E0]], %[[E1]], %[[E2]]
// CHECK:       %[[W:.*]] = comm.replicate %{{.*}} {axes = ["replicate", "shard"]} : (tensor<1x4xf32>)
// CHECK:       rec.linear %{{.*}}, %[[W]]
// CHECK:       %[[L:.*]] = rec.mse %{{.*}}, %{{.*}}, %[[ALL]]
// CHECK:       %[[SUML:.*]] = comm.all_reduce %[[L]]
// CHECK:       rec.report %[[SUML]]
// CHECK:       rec.minimize %[[L]]
func.func @train(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.t0} : () -> !rec.table<4x4>
  %h1 = rec.handle {table = @table.t1} : () -> !rec.table<10x4>
  %h2 = rec.handle {table = @table.t2} : () -> !rec.table<6x4>
  %e0 = rec.lookup %i, %h0 {name = "e0", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<4x4>) -> tensor<?x4xf32>
  %e1 = rec.lookup %i, %h1 {name = "e1", pooling = #rec.pooling<mean>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %e2 = rec.lookup %i, %h2 {name = "e2", pooling = #rec.pooling<max>} : (!rec.jagged<1x1>, !rec.table<6x4>) -> tensor<?x4xf32>
  %a = rec.add %e0, %e1, %e2 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %w = rec.get {param = @param.w} : () -> tensor<1x4xf32>
  %o = rec.linear %a, %w {activation = #rec.activation<none>} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x1xf32>
  %y = rec.labels %b {label = @label.y} : (index) -> tensor<?x1xf32>
  %l = rec.mse %o, %y, %b {task = @task.y, weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.report %l : (f32) -> ()
  rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
  return
}

// Nothing is differentiated here, so nothing is replicated.
// CHECK-LABEL: func.func @eval
// CHECK-NOT:   comm.replicate
// CHECK:       rec.output
func.func @eval(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x1xf32>
  rec.output %x {task = @task.y} : (tensor<?x1xf32>) -> ()
  return
}
