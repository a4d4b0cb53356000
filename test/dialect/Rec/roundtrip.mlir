// RUN: sparsec-opt %s | sparsec-opt | FileCheck %s
// RUN: sparsec-opt %s --mlir-print-op-generic | sparsec-opt | FileCheck %s

//===- symbols ---------------------------------------------------------------------------------------------------===//

// CHECK: rec.training {batch = 8 : i64, data = {delimiter = "\09"}, epochs = 1 : i64, eval_batch = 16 : i64, fingerprint = "00ff", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
rec.training {model = "m", fingerprint = "00ff", batch = 8, eval_batch = 16, epochs = 1, seed = 1, shuffle_rows = 0, data = {delimiter = "\t"}}
// CHECK: rec.label @label.y {name = "y", reader = {column = "y", name = "y", positive = ["a", "b"]}}
rec.label @label.y {name = "y", reader = {name = "y", column = "y", positive = ["a", "b"]}}
// CHECK: rec.feature @feature.x {bag_length = 0.000000e+00 : f64, ids = 0 : i64, name = "x", reader = {kind = "number"}, width = 2 : i64, zipf = 0.000000e+00 : f64}
rec.feature @feature.x {name = "x", ids = 0, width = 2, bag_length = 0.0, zipf = 0.0, reader = {kind = "number"}}
// CHECK: rec.feature @feature.C {bag_length = 3.000000e+00 : f64, ids = 10 : i64, multi_hot, name = "C", reader = {hashSeed = 18446744073709551615 : ui64, kind = "hash"}, width = 1 : i64, zipf = 1.050000e+00 : f64}
rec.feature @feature.C {name = "C", ids = 10, width = 1, multi_hot, bag_length = 3.0, zipf = 1.05, reader = {kind = "hash", hashSeed = 18446744073709551615 : ui64}}
// CHECK: rec.table @table.C {dim = 4 : i64, init = #rec.init<"uniform", 1.000000e-01 : f64>, name = "C", optimizer = #rec.row_wise_adagrad<lr = 5.000000e-02 : f64, eps = 1.000000e-08 : f64, start = 0.000000e+00 : f64>, rows = 10 : i64, update = #rec.update<touched>}
rec.table @table.C {name = "C", rows = 10, dim = 4, init = #rec.init<"uniform", 0.1>, optimizer = #rec.row_wise_adagrad<lr = 0.05, eps = 1.0e-8, start = 0.0>, update = #rec.update<touched>}
// CHECK: rec.table @table.D {
// CHECK-SAME: exchange = #rec.exchange<unique>
// CHECK-SAME: optimizer = #rec.adam<lr = 1.000000e-03 : f64, beta1 = 5.000000e-01 : f64, beta2 = 7.500000e-01 : f64, eps = 1.000000e-08 : f64>
// CHECK-SAME: parts = [#rec.part<cols 0 + 2, axes["node", "shard"], ranks 1 + 2>, #rec.part<cols 2 + 2, axes[], ranks 0 + 1>]
// CHECK-SAME: strategy = "column_wise", update = #rec.update<whole>
rec.table @table.D {name = "D", rows = 6, dim = 4, init = #rec.init<"normal", 0.5>, optimizer = #rec.adam<lr = 0.001, beta1 = 0.5, beta2 = 0.75, eps = 1.0e-8>, update = #rec.update<whole>,
  parts = [#rec.part<cols 0 + 2, axes ["node", "shard"], ranks 1 + 2>, #rec.part<cols 2 + 2, axes [], ranks 0 + 1>], strategy = "column_wise", exchange = #rec.exchange<unique>}
// CHECK: rec.param @"param.layer/top/0/weight" {init = #rec.init<"values", 0.000000e+00 : f64, [1.000000e+00, 2.500000e-01]>, name = "layer/top/0/weight", optimizer = #rec.sgd<lr = 1.000000e-01 : f64>, type = tensor<1x2xf32>}
rec.param @"param.layer/top/0/weight" {name = "layer/top/0/weight", type = tensor<1x2xf32>, init = #rec.init<"values", 0.0, [1.0, 0.25]>, optimizer = #rec.sgd<lr = 0.1>}
// CHECK: rec.param @param.b {init = #rec.init<"constant", 0.000000e+00 : f64>, name = "b", optimizer = #rec.adagrad<lr = 1.000000e-01 : f64, eps = 1.000000e-08 : f64, start = 5.000000e-01 : f64>, type = tensor<4xf32>}
rec.param @param.b {name = "b", type = tensor<4xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.adagrad<lr = 0.1, eps = 1.0e-8, start = 0.5>}
// CHECK: rec.task @task.click {label = @label.y, loss = #rec.loss<bce>, name = "click", weight = 5.000000e-01 : f64}
rec.task @task.click {name = "click", loss = #rec.loss<bce>, label = @label.y, weight = 0.5}
// CHECK: rec.task @task.rate {label = @label.y, loss = #rec.loss<mse>, name = "rate", weight = 1.000000e+00 : f64}
rec.task @task.rate {name = "rate", loss = #rec.loss<mse>, label = @label.y, weight = 1.0}
// CHECK: rec.schedule @schedule {warmup_steps = 100 : i64}
rec.schedule @schedule {warmup_steps = 100}

//===- a step ----------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[STEP:.*]]: i64, %[[O:.*]]: tensor<?x1xf32>, %[[GROWS:.*]]: !rec.rows<4>, %[[SROWS:.*]]: !rec.rows<4, summed>, %[[GW:.*]]: tensor<1x2xf32>, %[[ONE:.*]]: f32)
func.func @step(%step: i64, %o: tensor<?x1xf32>, %rows: !rec.rows<4>, %sums: !rec.rows<4, summed>, %gw: tensor<1x2xf32>, %one: f32) {
  // CHECK: %[[N:.*]] = rec.batch_size {max = 8 : i64} : () -> index
  %n = rec.batch_size {max = 8} : () -> index
  // CHECK: rec.batch_status : () -> i64
  %status = rec.batch_status : () -> i64
  // CHECK: rec.first_sample : () -> i64
  %first = rec.first_sample : () -> i64
  // CHECK: rec.input %[[N]] {features = [@feature.x]} : (index) -> tensor<?x2xf32>
  %x = rec.input %n {features = [@feature.x]} : (index) -> tensor<?x2xf32>
  // CHECK: %[[Y:.*]] = rec.labels %[[N]] {label = @label.y} : (index) -> tensor<?x1xf32>
  %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x1xf32>
  // CHECK: %[[I:.*]] = rec.ids %[[N]] {feature = @feature.C} : (index) -> !rec.jagged<1x1>
  %i = rec.ids %n {feature = @feature.C} : (index) -> !rec.jagged<1x1>
  // CHECK: %[[T:.*]] = rec.handle {table = @table.C} : () -> !rec.table<10x4>
  %t = rec.handle {table = @table.C} : () -> !rec.table<10x4>
  // CHECK: rec.lookup %[[I]], %[[T]] {name = "e", pooling = #rec.pooling<mean>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<mean>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
  // CHECK: rec.get {param = @"param.layer/top/0/weight"} : () -> tensor<1x2xf32>
  %w = rec.get {param = @"param.layer/top/0/weight"} : () -> tensor<1x2xf32>
  // CHECK: %[[L:.*]] = rec.bce %[[O]], %[[Y]], %[[N]] {task = @task.click, weight = 5.000000e-01 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %l = rec.bce %o, %y, %n {task = @task.click, weight = 0.5} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  // CHECK: %[[M:.*]] = rec.mse %[[O]], %[[Y]], %[[N]] {weight = 1.000000e+00 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %m = rec.mse %o, %y, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  // CHECK: rec.bce_grad %[[O]], %[[Y]], %[[N]] {weight = 5.000000e-01 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
  %gl = rec.bce_grad %o, %y, %n {weight = 0.5} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
  // CHECK: rec.mse_grad %[[O]], %[[Y]], %[[N]] {weight = 1.000000e+00 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
  %gm = rec.mse_grad %o, %y, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
  // CHECK: rec.report %[[L]] : (f32) -> ()
  rec.report %l : (f32) -> ()
  // CHECK: rec.output %[[O]] {task = @task.click} : (tensor<?x1xf32>) -> ()
  rec.output %o {task = @task.click} : (tensor<?x1xf32>) -> ()
  // CHECK: rec.minimize %[[L]], %[[M]], %[[STEP]] {schedule = @schedule} : (f32, f32, i64) -> ()
  rec.minimize %l, %m, %step {schedule = @schedule} : (f32, f32, i64) -> ()
  // CHECK: %[[F:.*]] = rec.learning_rate %[[STEP]] {schedule = @schedule} : (i64) -> f32
  %f = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
  // CHECK: rec.apply %[[GW]], %[[F]], %[[STEP]] {param = @"param.layer/top/0/weight"} : (tensor<1x2xf32>, f32, i64) -> ()
  rec.apply %gw, %f, %step {param = @"param.layer/top/0/weight"} : (tensor<1x2xf32>, f32, i64) -> ()
  // CHECK: rec.apply_rows %[[T]], %[[T]] by %[[GROWS]], %[[SROWS]] at %[[F]], %[[STEP]], %[[ONE]] : !rec.table<10x4>, !rec.table<10x4> by !rec.rows<4>, !rec.rows<4, summed>
  rec.apply_rows %t, %t by %rows, %sums at %f, %step, %one : !rec.table<10x4>, !rec.table<10x4> by !rec.rows<4>, !rec.rows<4, summed>
  return
}

// CHECK-LABEL: func.func @train_input
func.func @train_input(%n: index, %i: !rec.jagged<1x1>) {
  // CHECK: rec.hand_over %{{.*}}, %{{.*}} : (index, !rec.jagged<1x1>) -> ()
  rec.hand_over %n, %i : (index, !rec.jagged<1x1>) -> ()
  return
}
// CHECK-LABEL: func.func @train_step
func.func @train_step() {
  // CHECK: %{{.*}}:2 = rec.take_over {from = @train_input} : () -> (index, !rec.jagged<1x1>)
  %n, %i = rec.take_over {from = @train_input} : () -> (index, !rec.jagged<1x1>)
  return
}
