// RUN: sparsec-opt %s --split-input-file --verify-diagnostics --rec-lower-to-llvm

// One full conversion: what has no place in LLVM dialect is an error where it stands. Symbols of the model go.
rec.schedule @schedule {warmup_steps = 0}
func.func @train(%l: f32) {
  // expected-error @below {{failed to legalize operation 'rec.report'}}
  rec.report %l : (f32) -> ()
  return
}

// -----

func.func @train(%n: index) {
  // expected-error @below {{failed to legalize operation 'tensor.empty'}}
  %x = tensor.empty(%n) : tensor<?xf32>
  return
}

// -----

// expected-error @below {{failed to legalize operation 'func.func'}}
func.func @train(%x: tensor<4xf32>) {
  return
}
