// The checks stand at the end of each stage: what a stage does not replace, it does not hand on.
// RUN: not sparsec-opt %s --split-input-file --rec-stage-partition 2>&1 | FileCheck %s --check-prefix=PARTITION
// RUN: not sparsec-opt %s --split-input-file --rec-stage-differentiate 2>&1 | FileCheck %s --check-prefix=DIFFERENTIATE
// RUN: not sparsec-opt %s --split-input-file --rec-stage-optimize 2>&1 | FileCheck %s --check-prefix=OPTIMIZE

// PARTITION: error: 'rec.lookup' op is left after `partition`: stage `partition` should have replaced it
// DIFFERENTIATE: error: 'rec.lookup' op is left after `differentiate`: stage `partition` should have replaced it
// OPTIMIZE: error: 'rec.lookup' op is left after `optimize`: stage `partition` should have replaced it
func.func @helper(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) -> tensor<?x4xf32> {
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<9x4>) -> tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}

// -----

// PARTITION: error: 'comm.all_reduce' op stands under control flow, where ranks may differ
// DIFFERENTIATE: error: 'comm.all_reduce' op stands under control flow, where ranks may differ
// OPTIMIZE: error: 'comm.all_reduce' op stands under control flow, where ranks may differ
func.func @branch(%mine: i1, %l: f32) {
  scf.if %mine {
    %0 = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  }
  return
}
