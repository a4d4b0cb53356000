// RUN: sparsec-opt %s --verify-diagnostics --pass-pipeline="builtin.module(func.func(comm-check-order))"

func.func @branch(%mine: i1, %l: f32) {
  scf.if %mine {
    // expected-error @below {{'comm.all_reduce' op stands under control flow, where ranks may differ}}
    %0 = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  }
  return
}

func.func @straight(%l: f32) -> f32 {
  %0 = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  return %0 : f32
}

func.func @blocks(%mine: i1, %l: f32) {
  cf.cond_br %mine, ^some, ^all
^some:
  // expected-error @below {{'comm.all_reduce' op stands under control flow, where ranks may differ}}
  %0 = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  cf.br ^all
^all:
  return
}

func.func private @elsewhere(f32) -> f32
