// RUN: sparsec-opt %s --rec-derive-entries --split-input-file --verify-diagnostics

// expected-error @+1 {{expected `@train` and `rec.training`, as the import builds them}}
module {
  func.func @train(%step: i64) {
    return
  }
}

// -----
// expected-error @+1 {{expected `@train` and `rec.training`, as the import builds them}}
module {
  rec.training {model = "m", fingerprint = "", batch = 8, eval_batch = 8, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}
}

// -----
rec.training {model = "m", fingerprint = "", batch = 8, eval_batch = 8, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}
func.func @train(%step: i64) {
  return
}
// expected-error @+1 {{`@predict` is there before it is derived}}
func.func private @predict(%step: i64)

// -----
rec.training {model = "m", fingerprint = "", batch = 8, eval_batch = 8, epochs = 1, seed = 1, shuffle_rows = 0, data = {}}
rec.label @label.y {name = "y", reader = {}}
func.func @train(%step: i64) {
  %n = rec.batch_size {max = 8} : () -> index
  %y = rec.labels %n {label = @label.y} : (index) -> tensor<?x1xf32>
  // expected-error @+1 {{'rec.bce' op expected `task`, to derive `@eval`}}
  %l = rec.bce %y, %y, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.report %l : (f32) -> ()
  return
}
