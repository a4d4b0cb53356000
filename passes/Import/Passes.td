//===- Passes of the import stage -------------------------------------------------------------------------------===//
#ifndef SPARSEC_IMPORT_PASSES
#define SPARSEC_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

def DeriveEntries : Pass<"rec-derive-entries", "::mlir::ModuleOp"> {
  let summary = "adds @eval and @predict, made of the forward part of @train";
  let description = [{
    Needs `@train` as the import builds it, `rec.training`, and losses that name their tasks. Ensures functions `@eval`
    and `@predict` beside it: the same forward, for batches of `eval_batch`, without labels, losses, dropout, report and
    updates. They end in one `rec.output` for each loss, in order: `@eval` puts out what training compares with the
    label, `@predict` what that means (for `bce` the probability). Labels are not read: the runtime pairs them.

    ```mlir
    // in @train
    %d = rec.dropout %h, %first, %step {rate = 0.5 : f64, stream = "top/0", seed = 1} : ...
    %o = rec.linear %d, %w, %b {activation = #rec.activation<none>} : ...
    %l = rec.bce %o, %y, %n {task = @task.click, weight = 1.0 : f64} : ...
    rec.report %l : (f32) -> ()
    rec.minimize %l, %step {schedule = @schedule} : (f32, i64) -> ()
    // in @predict
    %o = rec.linear %h, %w, %b {activation = #rec.activation<none>} : ...
    %p = rec.activate %o {activation = #rec.activation<sigmoid>} : ...
    rec.output %p {task = @task.click} : (tensor<?x1xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::sparsec::rec::RecDialect", "::mlir::func::FuncDialect"];
}

#endif
