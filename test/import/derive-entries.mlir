// RUN: sparsec-opt %s --rec-derive-entries | FileCheck %s
// RUN: sparsec-opt %s --rec-stage-import | FileCheck %s

rec.training {model = "m", fingerprint = "", batch = 8, eval_batch = 32, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}
rec.label @label.y {name = "y", reader = {}}
rec.label @label.z {name = "z", reader = {}}
rec.feature @feature.x {name = "x", ids = 0, width = 2, bag_length = 0.0, zipf = 0.0, reader = {}}
rec.feature @feature.C {name = "C", ids = 10, width = 1, bag_length = 1.0, zipf = 1.0, reader = {}}
rec.table @table.C {name = "C", rows = 10, dim = 2, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}
rec.param @param.w {name = "w", type = tensor<1x4xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>}
rec.task @task.click {name = "click", loss = #rec.loss<bce>, label = @label.y, weight = 1.0}
rec.task @task.rate {name = "rate", loss = #rec.loss<mse>, label = @label.z, weight = 0.5}
rec.schedule @schedule {warmup_steps = 0}

// @train stays as it is.
// CHECK-LABEL: func.func @train(
// CHECK: rec.batch_size {max = 8 : i64}
// CHECK: rec.dropout
// CHECK: rec.minimize

// CHECK-LABEL: func.func @eval(
// CHECK-SAME: %{{.*}}: i64) {
// CHECK-NEXT: %[[N:.*]] = rec.batch_size {max = 32 : i64}
// CHECK-NEXT: %[[X:.*]] = rec.input %[[N]] {features = [@feature.x]}
// CHECK-NEXT: %[[I:.*]] = rec.ids %[[N]] {feature = @feature.C}
// CHECK-NEXT: %[[T:.*]] = rec.handle {table = @table.C}
// CHECK-NEXT: %[[E:.*]] = rec.lookup %[[I]], %[[T]] {name = "e", pooling = #rec.pooling<mean>}
// CHECK-NEXT: %[[J:.*]] = rec.concat %[[X]], %[[E]]
// CHECK-NEXT: %[[W:.*]] = rec.get {param = @param.w}
// CHECK-NEXT: %[[O:.*]] = rec.linear %[[J]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = rec.scale %[[O]] {factor = 2.000000e+00 : f64}
// CHECK-NEXT: rec.output %[[O]] {task = @task.click}
// CHECK-NEXT: rec.output %[[S]] {task = @task.rate}
// CHECK-NEXT: return

// The probability for bce, the value itself for mse.
// CHECK-LABEL: func.func @predict(
// CHECK: rec.batch_size {max = 32 : i64}
// CHECK: %[[O:.*]] = rec.linear
// CHECK-NEXT: %[[S:.*]] = rec.scale %[[O]]
// CHECK-NEXT: %[[P:.*]] = rec.activate %[[O]] {activation = #rec.activation<sigmoid>}
// CHECK-NEXT: rec.output %[[P]] {task = @task.click}
// CHECK-NEXT: rec.output %[[S]] {task = @task.rate}
// CHECK-NEXT: return
func.func @train(%step: i64) {
  %n = rec.batch_size {max = 8} : () -> index
  %first = rec.first_sample : () -> i64
  %x = rec.input %n {features = [@feature.x]} : (index) -> tensor<?x2xf32>
  %i = rec.ids %n {feature = @feature.C} : (index) -> !rec.jagged<1x1>
  %t = rec.handle {table = @table.C} : () -> !rec.table<10x2>
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<mean>} : (!rec.jagged<1x1>, !rec.table<10x2>) -> tensor<?x2xf32>
  %j = rec.concat %x, %e : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %d = rec.dropout %j, %first, %step {rate = 0.5, stream = "d", seed = 1} : (tensor<?x4xf32>, i64, i64) -> tensor<?x4xf32>
  %w = rec.get {param = @param.w} : () -> tensor<1x4xf32>
  %o = rec.linear %d, %w {activation = #rec.activation<none>} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x1xf32>
  %s = rec.scale %o {factor = 2.0} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x1xf32>
  %l = rec.bce %o, %y, %n {task = @task.click, weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %z = rec.labels %n {label = @label.z} : (index) -> tensor<?x1xf32>
  %m = rec.mse %s, %z, %n {task = @task.rate, weight = 0.5} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %total = arith.addf %l, %m : f32
  rec.report %total : (f32) -> ()
  rec.minimize %l, %m, %step {schedule = @schedule} : (f32, f32, i64) -> ()
  return
}
