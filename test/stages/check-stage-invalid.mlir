// RUN: not sparsec-opt %s --split-input-file --rec-check-stage=after=partition 2>&1 | FileCheck %s --check-prefix=PARTITION
// RUN: not sparsec-opt %s --split-input-file --rec-check-stage=after=differentiate 2>&1 | FileCheck %s --check-prefix=DIFFERENTIATE
// RUN: not sparsec-opt %s --split-input-file --rec-check-stage=after=optimize 2>&1 | FileCheck %s --check-prefix=OPTIMIZE
// RUN: sparsec-opt %s --split-input-file --rec-check-stage=after=plan | FileCheck %s --check-prefix=PLAN
// RUN: not sparsec-opt %s --split-input-file --rec-check-stage=after=sharding 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: expected `after` to be a stage, but got `sharding`

// A function that is no entry is not partitioned, and what stands under control flow is not differentiated.
// PARTITION: error: 'rec.lookup' op is left after `partition`: stage `partition` should have replaced it
// DIFFERENTIATE: error: 'rec.lookup' op is left after `differentiate`: stage `partition` should have replaced it
// OPTIMIZE: error: 'rec.lookup' op is left after `optimize`: stage `partition` should have replaced it
// PLAN: rec.lookup
func.func @helper(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) -> tensor<?x4xf32> {
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<9x4>) -> tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}

// -----

// PARTITION-NOT: error
// DIFFERENTIATE: error: 'rec.minimize' op is left after `differentiate`: stage `differentiate` should have replaced it
// DIFFERENTIATE: error: 'comm.replicate' op is left after `differentiate`: stage `differentiate` should have replaced it
// OPTIMIZE: error: 'rec.minimize' op is left after `optimize`: stage `differentiate` should have replaced it
// OPTIMIZE: error: 'comm.replicate' op is left after `optimize`: stage `differentiate` should have replaced it
// PLAN: rec.minimize
rec.schedule @schedule {warmup_steps = 0}
func.func @train(%step: i64, %l: f32, %on: i1, %t: !rec.table<9x4>) attributes {rec.entry} {
  scf.if %on {
    rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
  }
  %h = comm.replicate %t {axes = ["shard"]} : (!rec.table<9x4>) -> !rec.table<9x4>
  return
}
