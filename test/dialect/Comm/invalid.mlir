// RUN: sparsec-opt %s --split-input-file --verify-diagnostics

//===- mesh ------------------------------------------------------------------------------------------------------===//

// expected-error @+1 {{'comm.mesh' op expected an extent for each axis, but got 2 axes and 1 extents}}
comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2>}

// -----
// expected-error @+1 {{'comm.mesh' op expected axes out of `replicate`, `node`, `shard`, in this order, but got ["shard", "replicate"]}}
comm.mesh @mesh {axes = ["shard", "replicate"], shape = array<i64: 2, 2>}

// -----
// expected-error @+1 {{'comm.mesh' op expected axes out of `replicate`, `node`, `shard`, in this order, but got ["rack"]}}
comm.mesh @mesh {axes = ["rack"], shape = array<i64: 2>}

// -----
// expected-error @+1 {{'comm.mesh' op expected extents of at least 2, but got 1; an axis of 1 rank is left out}}
comm.mesh @mesh {axes = ["shard"], shape = array<i64: 1>}

// -----
comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
// expected-error @+1 {{'rec.table' op expected parts over axes of the mesh, ["shard"], but got #rec.part<cols 0 + 4, axes["node"], ranks 0 + 1>}}
rec.table @t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>,
  parts = [#rec.part<cols 0 + 4, axes ["node"], ranks 0 + 1>]}

// -----
comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
// expected-error @+1 {{'rec.table' op expected owners among 2 ranks, but got #rec.part<cols 0 + 4, axes["shard"], ranks 1 + 2>}}
rec.table @t {name = "t", rows = 2, dim = 4, init = #rec.init<"constant", 0.0>, optimizer = #rec.sgd<lr = 0.1>, update = #rec.update<touched>,
  parts = [#rec.part<cols 0 + 4, axes ["shard"], ranks 1 + 2>]}

//===- collectives -----------------------------------------------------------------------------------------------===//

// -----
func.func @f(%s: i32, %n: index) {
  // expected-error @+1 {{'comm.agree' op operand #0 must be 64-bit signless integer, but got 'i32'}}
  %t = comm.agree %s, %n {axes = ["shard"]} : (i32, index) -> index
  return
}

// -----
func.func @f(%s: i64, %n: index) {
  // expected-error @+1 {{'comm.agree' op attribute 'axes' failed to satisfy constraint: axes of the mesh}}
  %t = comm.agree %s, %n {axes = [0]} : (i64, index) -> index
  return
}

// -----
func.func @f(%w: tensor<2xf32>) {
  // expected-error @+1 {{'comm.replicate' op failed to verify that all of {input, result} have same type}}
  %r = comm.replicate %w {axes = ["shard"]} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----
func.func @f(%w: tensor<2xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expected as many results as operands, but got 1 and 2}}
  %r = comm.all_reduce %w, %w {axes = ["shard"]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%w: tensor<?xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expected static tensors, but got 'tensor<?xf32>'}}
  %r = comm.all_reduce %w {axes = ["shard"]} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%r: !rec.rows<4>) {
  // expected-error @+1 {{'comm.all_reduce' op expected a result of type '!rec.rows<4, summed>', but got '!rec.rows<4>'}}
  %s = comm.all_reduce %r {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4>
  return
}

// -----
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op expected counts exactly for a flat tensor}}
  %y = comm.all_to_all %x {axes = ["shard"], operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%x: !rec.jagged<2x?>, %c: tensor<2xindex>) {
  // expected-error @+1 {{'comm.all_to_all' op expected counts exactly for a flat tensor}}
  %y = comm.all_to_all %x, %c {axes = ["shard"], items = [], operandSegmentSizes = array<i32: 1, 1, 0>} : (!rec.jagged<2x?>, tensor<2xindex>) -> !rec.jagged<2x?>
  return
}

// -----
func.func @f(%x: !rec.jagged<2x?>) {
  // expected-error @+1 {{'comm.all_to_all' op expected `items` exactly for bags}}
  %y = comm.all_to_all %x {axes = ["shard"], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<2x?>) -> !rec.jagged<2x?>
  return
}

// -----
func.func @f(%x: !rec.jagged<2x?>) {
  // expected-error @+1 {{'comm.all_to_all' op expected a result of type '!rec.jagged<2x?>', but got '!rec.jagged<2x1>'}}
  %y = comm.all_to_all %x {axes = ["shard"], items = [], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<2x?>) -> !rec.jagged<2x1>
  return
}

//===- start and wait --------------------------------------------------------------------------------------------===//

// -----
func.func @f(%x: tensor<?xf32>, %c: tensor<2xindex>) {
  // expected-error @+1 {{'comm.all_to_all_start' op expected 'tensor<?xf32>' pending, but got '!comm.pending<tensor<2xf32>>'}}
  %p = comm.all_to_all_start %x, %c, %c {axes = ["shard"]} : (tensor<?xf32>, tensor<2xindex>, tensor<2xindex>) -> !comm.pending<tensor<2xf32>>
  %y = comm.wait %p : (!comm.pending<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%x: tensor<?xf32>, %c: tensor<2xindex>) {
  // expected-error @+1 {{'comm.all_to_all_start' op expected exactly one wait, but got 0}}
  %p = comm.all_to_all_start %x, %c, %c {axes = ["shard"]} : (tensor<?xf32>, tensor<2xindex>, tensor<2xindex>) -> !comm.pending<tensor<?xf32>>
  return
}

// -----
func.func @f(%x: tensor<?xf32>, %c: tensor<2xindex>) {
  // expected-error @+1 {{'comm.all_to_all_start' op expected exactly one wait, but got 2}}
  %p = comm.all_to_all_start %x, %c, %c {axes = ["shard"]} : (tensor<?xf32>, tensor<2xindex>, tensor<2xindex>) -> !comm.pending<tensor<?xf32>>
  %y = comm.wait %p : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  %z = comm.wait %p : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%p: !comm.pending<tensor<?xf32>>) {
  // expected-error @+1 {{'comm.wait' op expected results of types 'tensor<?xf32>', but got 'tensor<2xf32>'}}
  %y = comm.wait %p : (!comm.pending<tensor<?xf32>>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%p: !comm.pending<tensor<2xf32>, f32>) {
  // expected-error @+1 {{'comm.wait' op expected results of types 'tensor<2xf32>', 'f32', but got 'tensor<2xf32>'}}
  %y = comm.wait %p : (!comm.pending<tensor<2xf32>, f32>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%w: tensor<?xf32>) {
  // expected-error @+1 {{'comm.all_reduce_start' op operand #0 must be variadic of 32-bit float or statically shaped tensor of 32-bit float values, but got 'tensor<?xf32>'}}
  %p = comm.all_reduce_start %w {axes = ["shard"]} : (tensor<?xf32>) -> !comm.pending<tensor<?xf32>>
  %y = comm.wait %p : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  return
}

// -----
func.func @f(%w: tensor<2xf32>, %l: f32) {
  // expected-error @+1 {{'comm.all_reduce_start' op expected 'tensor<2xf32>', 'f32' pending, but got '!comm.pending<tensor<2xf32>>'}}
  %p = comm.all_reduce_start %w, %l {axes = ["shard"]} : (tensor<2xf32>, f32) -> !comm.pending<tensor<2xf32>>
  %y = comm.wait %p : (!comm.pending<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%l: f32) {
  // expected-error @+1 {{'comm.all_reduce_start' op expected exactly one wait, but got 0}}
  %p = comm.all_reduce_start %l {axes = ["shard"]} : (f32) -> !comm.pending<f32>
  return
}

// -----
func.func @f(%l: f32) {
  // expected-error @+1 {{'comm.all_reduce_start' op expected exactly one wait, but got 2}}
  %p = comm.all_reduce_start %l {axes = ["shard"]} : (f32) -> !comm.pending<f32>
  %y = comm.wait %p : (!comm.pending<f32>) -> f32
  %z = comm.wait %p : (!comm.pending<f32>) -> f32
  return
}
