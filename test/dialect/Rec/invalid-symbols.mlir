// RUN: sparsec-opt %s --split-input-file --verify-diagnostics

//===- features, tables, parameters ------------------------------------------------------------------------------===//

// expected-error @+1 {{'rec.feature' op expected `width` to be at least 1, but got 0}}
rec.feature @f {name = "f", ids = 0, width = 0, bag_length = 0.0, zipf = 0.0, reader = {}}

// -----
// expected-error @+1 {{'rec.feature' op expected `ids` to be at least 0, but got -1}}
rec.feature @f {name = "f", ids = -1, width = 1, bag_length = 0.0, zipf = 0.0, reader = {}}

// -----
// expected-error @+1 {{'rec.feature' op expected `bag_length` to be at least 0, but got -1.000000e+00}}
rec.feature @f {name = "f", ids = 4, width = 1, bag_length = -1.0, zipf = 0.0, reader = {}}

// -----
// expected-error @+1 {{'rec.table' op expected `rows` to lie in [1, 2^40], but got 0}}
rec.table @t {name = "t", rows = 0, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}

// -----
// expected-error @+1 {{'rec.table' op expected `rows` to lie in [1, 2^40], but got 1099511627777}}
rec.table @t {name = "t", rows = 1099511627777, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}

// -----
// expected-error @+1 {{'rec.table' op expected `dim` to be at least 1, but got 0}}
rec.table @t {name = "t", rows = 2, dim = 0, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}

// -----
// expected-error @+1 {{'rec.table' op has 4 elements, but `init` lists 3}}
rec.table @t {name = "t", rows = 2, dim = 2, init = #rec.init<"values", 0.0, [1.0, 2.0, 3.0]>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}

// -----
// expected-error @+1 {{'rec.table' op expected part 1 to begin at column 2, but it has columns 3 + 1}}
rec.table @t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>,
  parts = [#rec.part<cols 0 + 2, axes [], ranks 0 + 1>, #rec.part<cols 3 + 1, axes [], ranks 0 + 1>]}

// -----
// expected-error @+1 {{'rec.table' op expected part 0 to have an owner, but got ranks 1 + 0}}
rec.table @t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>,
  parts = [#rec.part<cols 0 + 4, axes ["shard"], ranks 1 + 0>]}

// -----
// expected-error @+1 {{'rec.table' op expected parts to cover 4 columns, but they cover 3}}
rec.table @t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>,
  parts = [#rec.part<cols 0 + 3, axes [], ranks 0 + 1>]}

// -----
// expected-error @+1 {{'rec.param' op expected a static f32 tensor, but got 'tensor<?x2xf32>'}}
rec.param @p {name = "p", type = tensor<?x2xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{'rec.param' op expected a static f32 tensor, but got 'tensor<2xf16>'}}
rec.param @p {name = "p", type = tensor<2xf16>, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{'rec.param' op expected an optimizer for dense parameters, but `row_wise_adagrad` is for tables only}}
rec.param @p {name = "p", type = tensor<2xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.row_wise_adagrad<lr = 0.1, eps = 1.0e-8, start = 0.0>}

// -----
// expected-error @+1 {{'rec.param' op has 2 elements, but `init` lists 1}}
rec.param @p {name = "p", type = tensor<2xf32>, init = #rec.init<"values", 0.0, [1.0]>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{expected `constant`, `uniform`, `normal` or `values`, but got `xavier`}}
rec.param @p {name = "p", type = tensor<2xf32>, init = #rec.init<"xavier", 1.0>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{expected a list of values exactly if the kind is `values`, but `normal` has one}}
rec.param @p {name = "p", type = tensor<1xf32>, init = #rec.init<"normal", 1.0, [1.0]>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{expected a list of values exactly if the kind is `values`, but `values` has none}}
rec.param @p {name = "p", type = tensor<1xf32>, init = #rec.init<"values", 1.0>, optimizer = #rec.sgd<lr = 0.1>}

// -----
// expected-error @+1 {{'rec.task' op expected @label.y to be a `rec.label`}}
rec.task @task.click {name = "click", loss = #rec.loss<bce>, label = @label.y, weight = 1.0}

//===- what ops say of symbols -----------------------------------------------------------------------------------===//

// -----
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.input' op expected @feature.x to be a `rec.feature`}}
  %x = rec.input %n {features = [@feature.x]} : (index) -> tensor<?x1xf32>
  return
}

// -----
rec.feature @feature.C {name = "C", ids = 3, width = 1, bag_length = 1.0, zipf = 1.0, reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.input' op expected number features, but @feature.C makes ids}}
  %x = rec.input %n {features = [@feature.C]} : (index) -> tensor<?x1xf32>
  return
}

// -----
rec.feature @feature.x {name = "x", ids = 0, width = 2, bag_length = 0.0, zipf = 0.0, reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.input' op expected a result of 4 columns, but got 'tensor<?x3xf32>'}}
  %x = rec.input %n {features = [@feature.x, @feature.x]} : (index) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.labels' op expected @label.y to be a `rec.label`}}
  %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x1xf32>
  return
}

// -----
rec.label @label.y {name = "y", reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.labels' op expected one column, but got 'tensor<?x2xf32>'}}
  %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x2xf32>
  return
}

// -----
rec.label @feature.C {name = "C", reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.ids' op expected @feature.C to be a `rec.feature`}}
  %i = rec.ids %n {feature = @feature.C} : (index) -> !rec.jagged<1x1>
  return
}

// -----
rec.feature @feature.x {name = "x", ids = 0, width = 1, bag_length = 0.0, zipf = 0.0, reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.ids' op expected a feature that makes ids, but @feature.x is a number}}
  %i = rec.ids %n {feature = @feature.x} : (index) -> !rec.jagged<1x1>
  return
}

// -----
rec.feature @feature.C {name = "C", ids = 3, width = 1, bag_length = 1.0, zipf = 1.0, reader = {}}
func.func @f(%n: index) {
  // expected-error @+1 {{'rec.ids' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %i = rec.ids %n {feature = @feature.C} : (index) -> !rec.jagged<2x?>
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.handle' op expected @table.t to be a `rec.table`}}
  %t = rec.handle {table = @table.t} : () -> !rec.table<2x4>
  return
}

// -----
rec.table @table.t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>}
func.func @f() {
  // expected-error @+1 {{'rec.handle' op expected a result of type '!rec.table<2x4>', but got '!rec.table<4x2>'}}
  %t = rec.handle {table = @table.t} : () -> !rec.table<4x2>
  return
}

// -----
rec.param @p {name = "p", type = tensor<2xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>}
func.func @f() {
  // expected-error @+1 {{'rec.get' op expected a result of type 'tensor<2xf32>', but got 'tensor<3xf32>'}}
  %w = rec.get {param = @p} : () -> tensor<3xf32>
  return
}

// -----
rec.param @p {name = "p", type = tensor<2xf32>, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>}
func.func @f(%g: tensor<2x1xf32>, %factor: f32, %step: i64) {
  // expected-error @+1 {{'rec.apply' op expected a gradient of type 'tensor<2xf32>', but got 'tensor<2x1xf32>'}}
  rec.apply %g, %factor, %step {param = @p} : (tensor<2x1xf32>, f32, i64) -> ()
  return
}

// -----
func.func @f(%g: tensor<2xf32>, %factor: f32, %step: i64) {
  // expected-error @+1 {{'rec.apply' op expected @p to be a `rec.param`}}
  rec.apply %g, %factor, %step {param = @p} : (tensor<2xf32>, f32, i64) -> ()
  return
}

// -----
func.func @f(%loss: f32, %step: i64) {
  // expected-error @+1 {{'rec.minimize' op expected @schedule to be a `rec.schedule`}}
  rec.minimize %loss, %step {schedule = @schedule} : (f32, i64) -> ()
  return
}

// -----
func.func @f(%step: i64) {
  // expected-error @+1 {{'rec.learning_rate' op expected @schedule to be a `rec.schedule`}}
  %f = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>) {
  // expected-error @+1 {{'rec.output' op expected @task.click to be a `rec.task`}}
  rec.output %o {task = @task.click} : (tensor<?x1xf32>) -> ()
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce' op expected @task.click to be a `rec.task`}}
  %l = rec.bce %o, %o, %n {task = @task.click, weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  return
}

// -----
rec.label @label.y {name = "y", reader = {}}
rec.task @task.click {name = "click", loss = #rec.loss<bce>, label = @label.y, weight = 1.0}
func.func @f(%o: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.mse' op is not the loss of @task.click, which is `bce`}}
  %l = rec.mse %o, %o, %n {task = @task.click, weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  return
}

// -----
rec.label @label.y {name = "y", reader = {}}
rec.task @task.click {name = "click", loss = #rec.loss<bce>, label = @label.y, weight = 1.0}
func.func @f(%o: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce' op expected the weight of @task.click, 1.000000e+00 : f64, but got 5.000000e-01 : f64}}
  %l = rec.bce %o, %o, %n {task = @task.click, weight = 0.5} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  return
}

//===- types -----------------------------------------------------------------------------------------------------===//

// -----
// expected-error @+1 {{expected two extents, such as `2x4`}}
func.func private @f(!rec.table<10>)

// -----
// expected-error @+1 {{expected static shape}}
func.func private @f(!rec.table<?x4>)

// -----
// expected-error @+1 {{expected two extents, such as `2x4`}}
func.func private @f(!rec.jagged<1x1x1>)

// -----
// expected-error @+1 {{expected 'summed'}}
func.func private @f(!rec.rows<4, unique>)

//===- from the input entry to its step --------------------------------------------------------------------------===//

// -----
func.func @train() {
  // expected-error @+1 {{'rec.take_over' op expected @train_input to be a function with a `rec.hand_over`}}
  %n = rec.take_over {from = @train_input} : () -> index
  return
}

// -----
func.func @train_input(%n: index) {
  return
}
func.func @train() {
  // expected-error @+1 {{'rec.take_over' op expected @train_input to be a function with a `rec.hand_over`}}
  %n = rec.take_over {from = @train_input} : () -> index
  return
}

// -----
func.func @train_input(%n: index, %i: !rec.jagged<1x1>) {
  rec.hand_over %n, %i : (index, !rec.jagged<1x1>) -> ()
  return
}
func.func @train() {
  // expected-error @+1 {{'rec.take_over' op takes 'index', but @train_input hands over 'index', '!rec.jagged<1x1>'}}
  %n = rec.take_over {from = @train_input} : () -> index
  return
}

// -----
func.func @train_input(%n: index) {
  // expected-error @+1 {{'rec.hand_over' op expected to be the only one in the body of a function}}
  rec.hand_over %n : (index) -> ()
  rec.hand_over %n : (index) -> ()
  return
}

//===- training -------------------------------------------------------------------------------------------------===//

// -----
// expected-error @+1 {{'rec.training' op expected `batch` to be at least 1, but got 0}}
rec.training {model = "m", fingerprint = "00ff", batch = 0, eval_batch = 16, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}

// -----
// expected-error @+1 {{'rec.training' op expected `eval_batch` to be at least 1, but got -1}}
rec.training {model = "m", fingerprint = "00ff", batch = 8, eval_batch = -1, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}

// -----
// expected-error @+1 {{'rec.training' op requires attribute 'eval_batch'}}
rec.training {model = "m", fingerprint = "00ff", batch = 8, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}

// -----
// expected-error @+1 {{'rec.label' op requires attribute 'reader'}}
rec.label @label.y {name = "y"}

// -----
// expected-error @+1 {{'rec.schedule' op requires attribute 'warmup_steps'}}
rec.schedule @schedule {}
