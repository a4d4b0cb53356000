// RUN: sparsec-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(rec-differentiate),canonicalize)" | FileCheck %s

comm.mesh @mesh {axes = ["replicate"], shape = array<i64: 2>}
rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes[], ranks 0 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 10 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.feature @feature.x {bag_length = 0.0 : f64, ids = 0 : i64, name = "x", reader = {}, width = 4 : i64, zipf = 0.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<bce>, name = "y", weight = 1.0 : f64}
rec.schedule @schedule {warmup_steps = 0 : i64}
rec.param @param.w {name = "w", init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<1x4xf32>}

// One parameter used twice: its gradients are added in the order of the uses, then summed over ranks. The input has no
// gradient, and nothing is computed for it. A table read twice: its rows are joined before they cross ranks.
// CHECK-LABEL: func.func @train
// CHECK-SAME:  %[[STEP:.*]]: i64
// CHECK-DAG:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:       %[[I:.*]] = rec.ids
// CHECK:       %[[H:.*]] = rec.handle
// CHECK:       %[[W:.*]] = rec.get
// CHECK-NOT:   comm.replicate
// CHECK:       %[[O1:.*]] = rec.linear %[[E:.*]], %[[W]]
// CHECK:       %[[O2:.*]] = rec.linear %[[X:.*]], %[[W]]
// CHECK:       %[[O:.*]] = rec.add %[[O1]], %[[O2]]
// CHECK:       rec.report
// CHECK:       %[[G:.*]] = rec.bce_grad %[[O]]
// CHECK:       %[[GW2:.*]] = rec.matmul %[[G]], %[[X]] {transpose_a}
// CHECK:       %[[GE:.*]] = rec.matmul %[[G]], %[[W]] :
// CHECK:       %[[GW1:.*]] = rec.matmul %[[G]], %[[E]] {transpose_a}
// CHECK:       %[[GW:.*]] = rec.add %[[GW1]], %[[GW2]]
// CHECK:       %[[SW:.*]] = comm.all_reduce %[[GW]] {axes = ["replicate"]}
// CHECK:       %[[D2:.*]] = rec.row_gradients_local %[[I]] with %[[GE]] {table = @table.a}
// CHECK:       %[[D1:.*]] = rec.row_gradients_local %[[I]] with %[[GE]] {table = @table.a}
// CHECK:       %[[D:.*]] = rec.join_rows %[[D1]], %[[D2]]
// CHECK:       %[[R:.*]] = comm.all_reduce %[[D]] {axes = ["replicate"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
// CHECK:       %[[LR:.*]] = rec.learning_rate %[[STEP]]
// CHECK:       rec.apply_rows %[[H]] by %[[R]] at %[[LR]], %[[STEP]], %[[ONE]]
// CHECK:       rec.apply %[[SW]], %[[LR]], %[[STEP]] {param = @param.w}
// CHECK-NOT:   rec.minimize
func.func @train(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x4xf32>
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %h = comm.replicate %h0 {axes = ["replicate"]} : (!rec.table<10x4>) -> !rec.table<10x4>
  %e1 = rec.lookup_local %i from %h {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<10x4> -> tensor<?x4xf32>
  %e2 = rec.lookup_local %i from %h {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<10x4> -> tensor<?x4xf32>
  %e = rec.add %e1, %e2 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %w0 = rec.get {param = @param.w} : () -> tensor<1x4xf32>
  %w = comm.replicate %w0 {axes = ["replicate"]} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %o1 = rec.linear %e, %w {activation = #rec.activation<none>} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x1xf32>
  %o2 = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x1xf32>
  %o = rec.add %o1, %o2 : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = rec.labels %b {label = @label.y} : (index) -> tensor<?x1xf32>
  %l = rec.bce %o, %y, %b {task = @task.y, weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.report %l : (f32) -> ()
  rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
  return
}
