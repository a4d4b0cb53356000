// RUN: sparsec-opt %s --rec-lower-embedding --split-input-file --verify-diagnostics

// expected-error @+1 {{expected the context as first argument, but got '(i64) -> ()'; run rec-entry-abi first}}
func.func @train(%step: i64) attributes {rec.entry} {
  return
}

// -----

rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>, optimizer = #rec.sgd<lr = 0.1>}
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %b = rec.batch_size {max = 8} : () -> index
  %i = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  // expected-error @+2 {{expected one part with all of @table.a on every rank}}
  // expected-error @+1 {{failed to legalize operation 'rec.lookup_local'}}
  %e = rec.lookup_local %i from %h {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>,
  optimizer = #rec.row_wise_adagrad<lr = 0.05, eps = 1.0e-8, start = 0.0>,
  parts = [#rec.part<cols 0 + 2, axes ["shard"], ranks 0 + 1>, #rec.part<cols 2 + 2, axes ["shard"], ranks 1 + 1>]}
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %b = rec.batch_size {max = 8} : () -> index
  %i = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  %r = rec.route %i {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<0, @table.a, 1>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q = comm.all_to_all %r {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<0, @table.a, 1>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %to, %from = rec.exchange_counts %r, %q {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<0, @table.a, 1>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p = rec.lookup_served %q, %h {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<0, @table.a, 1>]} : (!rec.jagged<?x?>, !rec.table<9x4>) -> tensor<?xf32>
  %g = rec.row_gradients_served %q, %p {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<0, @table.a, 1>], table = @table.a} : (!rec.jagged<?x?>, tensor<?xf32>) -> !rec.rows<4>
  %one = arith.constant 1.0 : f32
  // expected-error @+2 {{`row_wise_adagrad` needs whole rows of @table.a, but part 0 has 2 of 4 columns}}
  // expected-error @+1 {{failed to legalize operation 'rec.apply_rows'}}
  rec.apply_rows %h by %g at %one, %step, %one : !rec.table<9x4> by !rec.rows<4>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>, optimizer = #rec.sgd<lr = 0.1>,
  parts = [#rec.part<cols 0 + 4, axes ["shard"], ranks 0 + 1>]}
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %b = rec.batch_size {max = 8} : () -> index
  %i = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  %r = rec.route %i {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q = comm.all_to_all %r {axes = ["shard"], items = [#rec.item<0, @table.a, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  // expected-error @+2 {{expected a `rec.exchange_counts` of these bags before it}}
  // expected-error @+1 {{failed to legalize operation 'rec.lookup_served'}}
  %p = rec.lookup_served %q, %h {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.table<9x4>) -> tensor<?xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
