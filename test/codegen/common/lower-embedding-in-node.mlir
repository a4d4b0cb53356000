// RUN: sparsec-opt %s --rec-lower-embedding | FileCheck %s

comm.mesh @mesh {axes = ["node", "shard"], shape = array<i64: 3, 2>}
rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>,
  optimizer = #rec.sgd<lr = 0.1>, parts = [#rec.part<cols 0 + 4, axes ["node", "shard"], ranks 2 + 2>]}

#items = [#rec.item<0, @table.a, 0>]

// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr,
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %b = rec.batch_size {max = 8} : () -> index
  %a = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  // CHECK: llvm.call @sparsec_exchange_ids(
  // CHECK: %[[RECEIVED:.*]] = llvm.load
  // CHECK: llvm.call @sparsec_exchange_counts(
  // CHECK: scf.for
  // CHECK: %[[FROM_SUM:.*]] = scf.for
  // CHECK: %[[OWNED:.*]] = arith.index_cast %[[FROM_SUM]] : i64 to index
  %r = rec.route %a {axes = ["node", "shard"], items = #items} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q = comm.all_to_all %r {axes = ["node", "shard"], items = #items, operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %to, %from = rec.exchange_counts %r, %q {axes = ["node", "shard"], items = #items} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  // In node order: the flag stands before where the rows go.
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: llvm.call @sparsec_lookup_served(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[RECEIVED]], %[[ONE]], %{{.*}}) {sparsec.checked
  %p = rec.lookup_served %q, %h {axes = ["node", "shard"], in_node, items = #items} : (!rec.jagged<?x?>, !rec.table<9x4>) -> tensor<?xf32>
  // Counts for 2 ranks of a node, and for 3 nodes.
  // CHECK: llvm.call @sparsec_node_counts(%[[CTX]], {{.*}}) {sparsec.checked}
  // CHECK: tensor<?xindex>
  %is, %ir, %as, %ar = rec.node_counts %to, %from {axes = ["node", "shard"]} : (tensor<?xindex>, tensor<?xindex>) -> (tensor<?xindex>, tensor<?xindex>, tensor<?xindex>, tensor<?xindex>)
  // CHECK: %[[PARTIAL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: llvm.call @sparsec_exchange_start({{.*}}) {sparsec.checked, sparsec.work = [{bytes = 1.280000e+02 : f64}]
  // CHECK: llvm.call @sparsec_wait(
  // CHECK: %[[X:.*]] = bufferization.to_tensor %[[PARTIAL]]
  %x = comm.all_to_all %p, %is, %ir {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  // One sum for each list of the two owners.
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: %[[LISTS:.*]] = tensor.dim %[[X]]
  // CHECK: %[[SUMS:.*]] = arith.divui %[[LISTS]], %[[TWO]]
  // CHECK: memref.alloc(%[[SUMS]]) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: llvm.call @sparsec_sum_in_node(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[RECEIVED]], {{.*}}) {sparsec.checked, sparsec.work = [{bytes = 3.840000e+02 : f64, flops = 3.200000e+01 : f64, items = 1.000000e+00 : f64, kernel = @combine_d4}]
  %s = rec.sum_in_node %x, %q {axes = ["node", "shard"], items = #items} : (tensor<?xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  // CHECK: llvm.call @sparsec_exchange_start(
  // CHECK: llvm.call @sparsec_wait(
  %m = comm.all_to_all %s, %as, %ar {axes = ["node"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  // CHECK: llvm.call @sparsec_combine_sources(
  %e = rec.combine_sources %m, %r, %a {axes = ["node", "shard"], in_node, items = #items} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // Gradients leave once for both owners.
  // CHECK: %[[ONCE:.*]] = arith.divui %[[OWNED]], %{{.*}}
  // CHECK: memref.alloc(%[[ONCE]]) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: llvm.call @sparsec_spread_sources({{.*}}) {sparsec.checked, sparsec.work = [{bytes = 2.560000e+02 : f64, items = 1.000000e+00 : f64}]
  %g = rec.spread_sources %e, %r {axes = ["node", "shard"], in_node, items = #items} : (tensor<?x4xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  // CHECK: %[[FLOATS:.*]] = tensor.dim
  // CHECK: %[[COPIES:.*]] = arith.muli %[[FLOATS]], %{{.*}}
  // CHECK: memref.alloc(%[[COPIES]]) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: llvm.call @sparsec_copy_in_node(%[[CTX]], {{.*}}) {sparsec.checked, sparsec.work = [{bytes = 5.120000e+02 : f64, items = 1.000000e+00 : f64}]
  %c = rec.copy_in_node %g {axes = ["node", "shard"]} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[ALSO:.*]] = arith.constant 1 : i32
  // CHECK: llvm.call @sparsec_row_gradients_served(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[RECEIVED]], %[[ALSO]], %{{.*}})
  %d = rec.row_gradients_served %q, %c {axes = ["node", "shard"], in_node, items = #items, table = @table.a} : (!rec.jagged<?x?>, tensor<?xf32>) -> !rec.rows<4>
  %one = arith.constant 1.0 : f32
  rec.apply_rows %h by %d at %one, %step, %one : !rec.table<9x4> by !rec.rows<4>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
