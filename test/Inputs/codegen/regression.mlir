// y = w . x + b by least squares: linear, mse and apply.
module {
  rec.training {model = "regression", fingerprint = "0123", batch = 8 : i64, eval_batch = 8 : i64, epochs = 1 : i64,
                seed = 1 : i64, shuffle_rows = 0 : i64, data = {header = true}}
  rec.label @label.y {name = "y", reader = {column = "y"}}
  rec.task @task.y {name = "y", loss = #rec.loss<mse>, label = @label.y, weight = 1.0 : f64}
  rec.feature @feature.a {name = "a", ids = 0 : i64, width = 1 : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64,
                          reader = {column = "a", kind = "number"}}
  rec.feature @feature.b {name = "b", ids = 0 : i64, width = 1 : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64,
                          reader = {column = "b", kind = "number"}}
  rec.param @param.w {name = "w", type = tensor<1x2xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>}
  rec.param @param.bias {name = "bias", type = tensor<1xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>}
  rec.schedule @schedule {warmup_steps = 0 : i64}
  func.func @train(%step: i64) attributes {rec.entry} {
    %n = rec.batch_size {max = 8 : i64} : () -> index
    %x = rec.input %n {features = [@feature.a, @feature.b]} : (index) -> tensor<?x2xf32>
    %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x1xf32>
    %w = rec.get {param = @param.w} : () -> tensor<1x2xf32>
    %b = rec.get {param = @param.bias} : () -> tensor<1xf32>
    %o = rec.linear %x, %w, %b {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<?x1xf32>
    %l = rec.mse %o, %y, %n {weight = 1.0 : f64, task = @task.y} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
    rec.report %l : (f32) -> ()
    %g = rec.mse_grad %o, %y, %n {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x1xf32>
    %gw = rec.matmul %g, %x {transpose_a} : (tensor<?x1xf32>, tensor<?x2xf32>) -> tensor<1x2xf32>
    %gb = rec.column_sum %g : (tensor<?x1xf32>) -> tensor<1xf32>
    %f = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
    rec.apply %gw, %f, %step {param = @param.w} : (tensor<1x2xf32>, f32, i64) -> ()
    rec.apply %gb, %f, %step {param = @param.bias} : (tensor<1xf32>, f32, i64) -> ()
    return
  }
  func.func @predict(%step: i64) attributes {rec.entry} {
    %n = rec.batch_size {max = 8 : i64} : () -> index
    %x = rec.input %n {features = [@feature.a, @feature.b]} : (index) -> tensor<?x2xf32>
    %w = rec.get {param = @param.w} : () -> tensor<1x2xf32>
    %b = rec.get {param = @param.bias} : () -> tensor<1xf32>
    %o = rec.linear %x, %w, %b {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<?x1xf32>
    rec.output %o {task = @task.y} : (tensor<?x1xf32>) -> ()
    return
  }
}
