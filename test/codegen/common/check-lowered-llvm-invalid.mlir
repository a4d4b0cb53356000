// RUN: sparsec-opt %s --split-input-file --verify-diagnostics --rec-check-lowered=only-llvm

llvm.func @train(%p: !llvm.ptr, %n: i64) {
  // expected-error @below {{'arith.addi' op is left after code generation, where only LLVM dialect may be}}
  %m = arith.addi %n, %n : i64
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is left after code generation, where only LLVM dialect may be}}
  %j = builtin.unrealized_conversion_cast %p : !llvm.ptr to !rec.jagged<1x1>
  llvm.return
}

// -----

// expected-error @below {{'rec.schedule' op is left after code generation, where only LLVM dialect may be}}
rec.schedule @schedule {warmup_steps = 0}
