// RUN: sparsec-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(rec-differentiate))"

rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes[], ranks 0 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 10 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.feature @feature.x {bag_length = 0.0 : f64, ids = 0 : i64, name = "x", reader = {}, width = 4 : i64, zipf = 0.0 : f64}
rec.label @label.y {name = "y", reader = {}}
rec.task @task.y {label = @label.y, loss = #rec.loss<bce>, name = "y", weight = 1.0 : f64}
rec.schedule @schedule {warmup_steps = 0 : i64}
rec.param @param.w {name = "w", init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<1x4xf32>}

func.func @train(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x4xf32>
  %w0 = rec.get {param = @param.w} : () -> tensor<1x4xf32>
  // expected-error @below {{'math.absf' op has no gradient, but lies between a loss and its parameters}}
  %w = math.absf %w0 : tensor<1x4xf32>
  %o = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x1xf32>
  %y = rec.labels %b {label = @label.y} : (index) -> tensor<?x1xf32>
  %l = rec.bce %o, %y, %b {task = @task.y, weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
  return
}
