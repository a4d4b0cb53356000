// RUN: sparsec-opt %s --split-input-file --verify-diagnostics --rec-check-lowered

// What describes the model stays, around functions.
rec.schedule @schedule {warmup_steps = 0}
comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
func.func @train(%x: tensor<?x4xf32>, %l: f32) {
  // expected-error @below {{'rec.scale' op is left after lowering: code generation has none for it here}}
  %y = rec.scale %x {factor = 2.0} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error @below {{'comm.all_reduce' op is left after lowering: code generation has none for it here}}
  %s = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  %z = arith.addf %s, %s : f32
  return
}
