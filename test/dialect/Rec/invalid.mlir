// RUN: sparsec-opt %s --split-input-file --verify-diagnostics

//===- dense layers ----------------------------------------------------------------------------------------------===//

func.func @f(%x: tensor<?x3xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{'rec.linear' op expected a weight of 3 inputs, but got 'tensor<4x2xf32>'}}
  %h = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x3xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{'rec.linear' op expected a result of 4 columns, but got 'tensor<?x3xf32>'}}
  %h = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %w: tensor<4x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'rec.linear' op expected a bias of 4 units, but got 'tensor<2xf32>'}}
  %h = rec.linear %x, %w, %b {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<8x2xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{'rec.linear' op expected one batch, but got 'tensor<8x2xf32>' and 'tensor<?x4xf32>'}}
  %h = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.matmul' op extents do not agree: 'tensor<?x4xf32>' by 'tensor<?x4xf32>' is not 'tensor<?x4xf32>'}}
  %c = rec.matmul %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%a: tensor<?x4xf32>, %b: tensor<?x2xf32>) {
  // expected-error @+1 {{'rec.matmul' op extents do not agree: 'tensor<?x4xf32>' by 'tensor<?x2xf32>' is not 'tensor<2x4xf32>'}}
  %c = rec.matmul %a, %b {transpose_a} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.column_sum' op expected 4 sums, but got 'tensor<3xf32>'}}
  %s = rec.column_sum %x : (tensor<?x4xf32>) -> tensor<3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.activate' op requires the same type for all operands and results}}
  %y = rec.activate %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x3xf32>) {
  // expected-error @+1 {{'rec.activate_grad' op requires the same type for all operands and results}}
  %g = rec.activate_grad %x, %y {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<?x3xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.scale' op requires the same type for all operands and results}}
  %y = rec.scale %x {factor = 2.0} : (tensor<?x4xf32>) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.scale' op requires attribute 'factor'}}
  %y = rec.scale %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x3xf32>) {
  // expected-error @+1 {{'rec.subtract' op requires the same type for all operands and results}}
  %z = rec.subtract %x, %y : (tensor<?x4xf32>, tensor<?x3xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'rec.subtract' op operand #0 must be 2D tensor of 32-bit float values, but got 'tensor<4xf32>'}}
  %z = rec.subtract %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.add' op expected 1 or more operands, but found 0}}
  %y = rec.add : () -> tensor<?x3xf32>
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.multiply' op expected 1 or more operands, but found 0}}
  %y = rec.multiply : () -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>, %i: i64) {
  // expected-error @+1 {{'rec.dropout' op expected `rate` to lie in [0, 1), but got 1.000000e+00}}
  %y = rec.dropout %x, %i, %i {rate = 1.0, stream = "d", seed = 1} : (tensor<?x4xf32>, i64, i64) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.row_sum' op expected one column, but got 'tensor<?x4xf32>'}}
  %y = rec.row_sum %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.row_sum' op expected one batch, but got 'tensor<?x4xf32>' and 'tensor<4x1xf32>'}}
  %y = rec.row_sum %x : (tensor<?x4xf32>) -> tensor<4x1xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.broadcast_columns' op expected one column, but got 'tensor<?x4xf32>'}}
  %y = rec.broadcast_columns %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x1xf32>) {
  // expected-error @+1 {{'rec.broadcast_columns' op expected one batch, but got 'tensor<2x1xf32>' and 'tensor<?x4xf32>'}}
  %y = rec.broadcast_columns %x : (tensor<2x1xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.concat' op expected a result of 8 columns, but got 'tensor<?x7xf32>'}}
  %y = rec.concat %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x7xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{'rec.concat' op expected one batch, but got 'tensor<?x4xf32>' and 'tensor<3x4xf32>'}}
  %z = rec.concat %x, %y : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x8xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.slice' op columns 3 to 5 are not inside 'tensor<?x4xf32>'}}
  %y = rec.slice %x {begin = 3} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.slice' op columns -1 to 1 are not inside 'tensor<?x4xf32>'}}
  %y = rec.slice %x {begin = -1} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{'rec.pad_columns' op columns 3 to 5 are not inside 'tensor<?x4xf32>'}}
  %y = rec.pad_columns %x {begin = 3} : (tensor<?x2xf32>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %y: tensor<?x3xf32>) {
  // expected-error @+1 {{'rec.dot_interaction' op expected inputs of one type, but got 'tensor<?x2xf32>' and 'tensor<?x3xf32>'}}
  %z = rec.dot_interaction %x, %y : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x1xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{'rec.dot_interaction' op expected a result of 6 columns, but got 'tensor<?x3xf32>'}}
  %z = rec.dot_interaction %x, %x, %x {self} : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{'rec.dot_interaction' op expected one batch, but got 'tensor<?x2xf32>' and 'tensor<7x1xf32>'}}
  %z = rec.dot_interaction %x, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<7x1xf32>
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %y: tensor<?x3xf32>, %g: tensor<?x1xf32>) {
  // expected-error @+1 {{'rec.dot_interaction_grad' op expected inputs of one type, but got 'tensor<?x2xf32>' and 'tensor<?x3xf32>'}}
  %d:2 = rec.dot_interaction_grad %g, %x, %y : (tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x3xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %g: tensor<?x1xf32>) {
  // expected-error @+1 {{'rec.dot_interaction_grad' op expected a gradient of 3 columns, but got 'tensor<?x1xf32>'}}
  %d:2 = rec.dot_interaction_grad %g, %x, %x {self} : (tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  return
}

// -----
func.func @f(%g: tensor<?x0xf32>) {
  // expected-error @+1 {{'rec.dot_interaction_grad' op expected a gradient of 0 columns, but got 'tensor<?x0xf32>'}}
  rec.dot_interaction_grad %g : (tensor<?x0xf32>) -> ()
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %g: tensor<7x1xf32>) {
  // expected-error @+1 {{'rec.dot_interaction_grad' op expected one batch, but got 'tensor<?x2xf32>' and 'tensor<7x1xf32>'}}
  %d:2 = rec.dot_interaction_grad %g, %x, %x : (tensor<7x1xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  return
}

// -----
func.func @f(%x: tensor<?x2xf32>, %g: tensor<?x1xf32>) {
  // expected-error @+1 {{'rec.dot_interaction_grad' op expected results of types 'tensor<?x2xf32>', 'tensor<?x2xf32>', but got 'tensor<?x2xf32>'}}
  %d = rec.dot_interaction_grad %g, %x, %x : (tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

//===- losses ----------------------------------------------------------------------------------------------------===//

// -----
func.func @f(%o: tensor<?x2xf32>, %y: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce' op expected output and label of one column, but got 'tensor<?x2xf32>'}}
  %l = rec.bce %o, %y, %n {weight = 1.0} : (tensor<?x2xf32>, tensor<?x1xf32>, index) -> f32
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>, %y: tensor<?x3xf32>, %n: index) {
  // expected-error @+1 {{'rec.mse' op expected output and label of one column, but got 'tensor<?x3xf32>'}}
  %l = rec.mse %o, %y, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x3xf32>, index) -> f32
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>, %y: tensor<2x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce' op expected one batch, but got 'tensor<?x1xf32>' and 'tensor<2x1xf32>'}}
  %l = rec.bce %o, %y, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<2x1xf32>, index) -> f32
  return
}

// -----
func.func @f(%o: tensor<?x2xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce_grad' op expected output and label of one column, but got 'tensor<?x2xf32>'}}
  %g = rec.bce_grad %o, %o, %n {weight = 1.0} : (tensor<?x2xf32>, tensor<?x2xf32>, index) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.bce_grad' op expected a gradient of type 'tensor<?x1xf32>', but got 'tensor<?x2xf32>'}}
  %g = rec.bce_grad %o, %o, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%o: tensor<?x2xf32>, %n: index) {
  // expected-error @+1 {{'rec.mse_grad' op expected output and label of one column, but got 'tensor<?x2xf32>'}}
  %g = rec.mse_grad %o, %o, %n {weight = 1.0} : (tensor<?x2xf32>, tensor<?x2xf32>, index) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%o: tensor<?x1xf32>, %n: index) {
  // expected-error @+1 {{'rec.mse_grad' op expected a gradient of type 'tensor<?x1xf32>', but got 'tensor<?x2xf32>'}}
  %g = rec.mse_grad %o, %o, %n {weight = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> tensor<?x2xf32>
  return
}

//===- embeddings ------------------------------------------------------------------------------------------------===//

// -----
func.func @f(%i: !rec.jagged<2x?>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<2x?>, !rec.table<9x4>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup' op expected a result of 4 columns, but got 'tensor<?x9xf32>'}}
  %e = rec.lookup %i, %t {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<9x4>) -> tensor<?x9xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup_local' op expected as many ids and `table_of` as results, but got 1, 2 and 1}}
  %e = rec.lookup_local %i from %t {table_of = array<i64: 0, 0>} : !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup_local' op expected `table_of` to name one of 1 tables, but got 1}}
  %e = rec.lookup_local %i from %t {table_of = array<i64: 1>} : !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup_local' op expected a result of 4 columns, but got 'tensor<?x3xf32>'}}
  %e = rec.lookup_local %i from %t {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.route' op expected items of 1 lookups, but got #rec.item<1, @table.t, 0>}}
  %r = rec.route %i {axes = ["shard"], items = [#rec.item<1, @table.t, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<2x?>
  return
}

// -----
func.func @f(%n: tensor<2xindex>) {
  // expected-error @+1 {{'rec.node_counts' op expected axes `node` and `shard` for two steps, but got ["shard"]}}
  %is, %ir, %as, %ar = rec.node_counts %n, %n {axes = ["shard"]} : (tensor<2xindex>, tensor<2xindex>) -> (tensor<2xindex>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>)
  return
}

// -----
func.func @f(%f: tensor<?xf32>, %q: !rec.jagged<2x?>) {
  // expected-error @+1 {{'rec.sum_in_node' op expected axes `node` and `shard` for two steps, but got ["node"]}}
  %s = rec.sum_in_node %f, %q {axes = ["node"], items = []} : (tensor<?xf32>, !rec.jagged<2x?>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%f: tensor<?xf32>) {
  // expected-error @+1 {{'rec.copy_in_node' op expected axes `node` and `shard` for two steps, but got ["replicate", "shard"]}}
  %s = rec.copy_in_node %f {axes = ["replicate", "shard"]} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%q: !rec.jagged<2x?>, %t: !rec.table<9x4>) {
  // expected-error @+1 {{'rec.lookup_served' op expected axes `node` and `shard` for two steps, but got ["shard"]}}
  %s = rec.lookup_served %q, %t {axes = ["shard"], in_node, items = []} : (!rec.jagged<2x?>, !rec.table<9x4>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%q: !rec.jagged<2x?>, %f: tensor<?xf32>) {
  // expected-error @+1 {{'rec.row_gradients_served' op expected axes `node` and `shard` for two steps, but got ["shard"]}}
  %s = rec.row_gradients_served %q, %f {axes = ["shard"], in_node, items = [], table = @table.t} : (!rec.jagged<2x?>, tensor<?xf32>) -> !rec.rows<4>
  return
}

// -----
func.func @f(%f: tensor<?xf32>, %q: !rec.jagged<2x?>, %i: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.combine_sources' op expected axes `node` and `shard` for two steps, but got ["shard"]}}
  %s = rec.combine_sources %f, %q, %i {axes = ["shard"], in_node, items = []} : (tensor<?xf32>, !rec.jagged<2x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%g: tensor<?x4xf32>, %q: !rec.jagged<2x?>) {
  // expected-error @+1 {{'rec.spread_sources' op expected axes `node` and `shard` for two steps, but got ["shard", "node"]}}
  %s = rec.spread_sources %g, %q {axes = ["shard", "node"], in_node, items = []} : (tensor<?x4xf32>, !rec.jagged<2x?>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %g: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.row_gradients_local' op expected as many ids as gradients, but got 2 and 1}}
  %r = rec.row_gradients_local %i, %i with %g {table = @table.t} : !rec.jagged<1x1>, !rec.jagged<1x1> with tensor<?x4xf32> -> !rec.rows<4>
  return
}

// -----
func.func @f(%i: !rec.jagged<2x?>, %g: tensor<?x4xf32>) {
  // expected-error @+1 {{'rec.row_gradients_local' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %r = rec.row_gradients_local %i with %g {table = @table.t} : !rec.jagged<2x?> with tensor<?x4xf32> -> !rec.rows<4>
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>, %g: tensor<?x3xf32>) {
  // expected-error @+1 {{'rec.row_gradients_local' op expected gradients of 4 columns, but got 'tensor<?x3xf32>'}}
  %r = rec.row_gradients_local %i with %g {table = @table.t} : !rec.jagged<1x1> with tensor<?x3xf32> -> !rec.rows<4>
  return
}

// -----
func.func @f(%r: !rec.jagged<2x?>, %q: !rec.jagged<4x?>) {
  // expected-error @+1 {{'rec.exchange_counts' op expected bags of one type, but got '!rec.jagged<2x?>' and '!rec.jagged<4x?>'}}
  %to, %from = rec.exchange_counts %r, %q {axes = ["shard"], items = []} : (!rec.jagged<2x?>, !rec.jagged<4x?>) -> (tensor<2xindex>, tensor<2xindex>)
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.join_rows' op expected rows to join}}
  %r = rec.join_rows : () -> !rec.rows<4>
  return
}

// -----
func.func @f(%a: !rec.rows<4>, %b: !rec.rows<3>) {
  // expected-error @+1 {{'rec.join_rows' op expected rows of type '!rec.rows<4>', but got '!rec.rows<3>'}}
  %r = rec.join_rows %a, %b : (!rec.rows<4>, !rec.rows<3>) -> !rec.rows<4>
  return
}

// -----
func.func @f(%i: !rec.jagged<2x?>) {
  // expected-error @+1 {{'rec.bag_scale' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %k = rec.bag_scale %i : (!rec.jagged<2x?>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %k: tensor<?xf32>) {
  // expected-error @+1 {{'rec.scale_bags' op failed to verify that all of {rows, result} have same type}}
  %m = rec.scale_bags %e, %k : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x3xf32>
  return
}

// -----
func.func @f(%i: !rec.jagged<2x?>) {
  // expected-error @+1 {{'rec.unique' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %u, %at = rec.unique %i : (!rec.jagged<2x?>) -> (!rec.jagged<2x?>, !rec.jagged<2x?>)
  return
}

// -----
func.func @f(%i: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.unique' op expected results of type '!rec.jagged<1x1>', but got '!rec.jagged<1x2>'}}
  %u, %at = rec.unique %i : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x2>)
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %at: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.pool_rows' op expected `sum` or `max`; a mean is a sum and `rec.scale_bags`}}
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<mean>} : (tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %at: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.pool_rows' op expected a result of 4 columns, but got 'tensor<?x2xf32>'}}
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<sum>} : (tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x2xf32>
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %at: !rec.jagged<2x?>) {
  // expected-error @+1 {{'rec.pool_rows' op expected the ids of one feature, but got '!rec.jagged<2x?>'}}
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<sum>} : (tensor<?x4xf32>, !rec.jagged<2x?>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %at: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.pool_rows_grad' op expected `sum` or `max`; a mean is a sum and `rec.scale_bags`}}
  %g = rec.pool_rows_grad %e, %e, %at {pooling = #rec.pooling<mean>} : (tensor<?x4xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%g: tensor<?x2xf32>, %e: tensor<?x4xf32>, %at: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.pool_rows_grad' op expected a gradient of 4 columns, but got 'tensor<?x2xf32>'}}
  %d = rec.pool_rows_grad %g, %e, %at {pooling = #rec.pooling<sum>} : (tensor<?x2xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%e: tensor<?x4xf32>, %at: !rec.jagged<1x1>) {
  // expected-error @+1 {{'rec.pool_rows_grad' op expected a result of type 'tensor<?x4xf32>', but got 'tensor<?x2xf32>'}}
  %d = rec.pool_rows_grad %e, %e, %at {pooling = #rec.pooling<sum>} : (tensor<?x4xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x2xf32>
  return
}

//===- the batch and its loss ----------------------------------------------------------------------------------===//

// -----
func.func @f() {
  // expected-error @+1 {{'rec.batch_size' op expected `max` to be at least 1, but got 0}}
  %n = rec.batch_size {max = 0} : () -> index
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.batch_size' op result #0 must be index, but got 'i64'}}
  %n = rec.batch_size {max = 8} : () -> i64
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.batch_status' op result #0 must be 64-bit signless integer, but got 'i32'}}
  %s = rec.batch_status : () -> i32
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{'rec.first_sample' op result #0 must be 64-bit signless integer, but got 'index'}}
  %s = rec.first_sample : () -> index
  return
}

// -----
func.func @f(%l: f64) {
  // expected-error @+1 {{'rec.report' op operand #0 must be 32-bit float, but got 'f64'}}
  rec.report %l : (f64) -> ()
  return
}

//===- updates ---------------------------------------------------------------------------------------------------===//

// -----
func.func @f(%t: !rec.table<9x4>, %r: !rec.rows<4>, %f: f32, %step: i64) {
  // expected-error @+1 {{'rec.apply_rows' op expected a table for each list of rows, but got 1 tables and 2 lists}}
  rec.apply_rows %t by %r, %r at %f, %step, %f : !rec.table<9x4> by !rec.rows<4>, !rec.rows<4>
  return
}

// -----
func.func @f(%t: !rec.table<9x4>, %r: !rec.rows<3>, %f: f32, %step: i64) {
  // expected-error @+1 {{'rec.apply_rows' op expected rows of 4 columns, but got '!rec.rows<3>'}}
  rec.apply_rows %t by %r at %f, %step, %f : !rec.table<9x4> by !rec.rows<3>
  return
}
