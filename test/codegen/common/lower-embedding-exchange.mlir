// RUN: sparsec-opt %s --rec-lower-embedding | FileCheck %s

comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 2>}
rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.feature @feature.w {name = "w", ids = 7, width = 1, multi_hot, bag_length = 3.0, zipf = 0.0, reader = {kind = "hash", weightSeparator = ":"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>,
  optimizer = #rec.row_wise_adagrad<lr = 0.05, eps = 1.0e-8, start = 0.0>, parts = [#rec.part<cols 0 + 4, axes ["shard"], ranks 0 + 2>]}
rec.table @table.w {name = "w", rows = 7, dim = 6, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>,
  optimizer = #rec.sgd<lr = 0.1>, parts = [#rec.part<cols 0 + 4, axes ["shard"], ranks 1 + 1>, #rec.part<cols 4 + 2, axes ["shard"], ranks 0 + 1>]}

// The exchange is a constant: lookup, table, part, first owner, owners, first column, columns, rows, kernels.
// CHECK: llvm.mlir.global internal constant @exchange_items() {{.*}} : !llvm.array<3 x struct<(i32, i32, i32, i32, i32, i32, i32, i64, ptr, ptr)>> {
// CHECK-DAG: llvm.mlir.addressof @lookup_sum_d4 : !llvm.ptr
// CHECK-DAG: llvm.mlir.addressof @lookup_sum_d4_weighted : !llvm.ptr
// CHECK-DAG: llvm.mlir.addressof @lookup_sum_d2_weighted : !llvm.ptr
// CHECK-DAG: llvm.mlir.addressof @combine_d4 : !llvm.ptr
// CHECK-DAG: llvm.mlir.addressof @combine_d2 : !llvm.ptr
// CHECK-NOT: llvm.mlir.global

#items = [#rec.item<0, @table.a, 0>, #rec.item<1, @table.w, 0>, #rec.item<1, @table.w, 1>]

// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr,
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  // CHECK: %[[B:.*]] = rec.batch_size
  %b = rec.batch_size {max = 8} : () -> index
  %a = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %w = rec.ids %b {feature = @feature.w} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  %h1 = rec.handle {table = @table.w} : () -> !rec.table<7x6>
  // CHECK: %[[AXES:.*]] = arith.constant 4 : i32
  // CHECK: %[[ITEMS:.*]] = llvm.mlir.addressof @exchange_items
  // CHECK: llvm.call @sparsec_route(%[[CTX]], %[[AXES]], %[[ITEMS]], {{.*}}) {sparsec.checked}
  // CHECK: %[[ROUTED:.*]] = llvm.load
  %r = rec.route %a, %w {axes = ["shard"], items = #items} : (!rec.jagged<1x1>, !rec.jagged<1x1>) -> !rec.jagged<?x?>
  // CHECK: llvm.call @sparsec_exchange_ids(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[ROUTED]], %{{.*}}) {sparsec.checked}
  // CHECK: %[[RECEIVED:.*]] = llvm.load
  %q = comm.all_to_all %r {axes = ["shard"], items = #items, operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  // No message: bags say how many rows there will be.
  // CHECK: llvm.call @sparsec_exchange_counts(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[ROUTED]], %[[RECEIVED]], %[[TO:.*]], %[[FROM:.*]]) {sparsec.checked}
  // CHECK: %[[TO_SUM:.*]] = scf.for
  // CHECK: %[[SERVED:.*]] = arith.index_cast %[[TO_SUM]] : i64 to index
  // CHECK: %[[FROM_SUM:.*]] = scf.for
  // CHECK: %[[OWNED:.*]] = arith.index_cast %[[FROM_SUM]] : i64 to index
  // CHECK: bufferization.to_tensor %{{.*}} : memref<?xindex> to tensor<?xindex>
  // CHECK: bufferization.to_tensor %{{.*}} : memref<?xindex> to tensor<?xindex>
  %to, %from = rec.exchange_counts %r, %q {axes = ["shard"], items = #items} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  // CHECK: memref.alloc(%[[SERVED]]) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: llvm.call @sparsec_lookup_served(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[RECEIVED]], %{{.*}}, %{{.*}}) {sparsec.checked, sparsec.work = [
  // In the mean of two ranks: 8 ids of a, whose bags both owners get, and half the items of w, for both ranks.
  // CHECK-SAME: {bytes = 5.760000e+02 : f64, flops = 3.200000e+01 : f64, items = 1.000000e+00 : f64, kernel = @lookup_sum_d4}
  // CHECK-SAME: {bytes = 7.680000e+02 : f64, flops = 9.600000e+01 : f64, items = 5.000000e-01 : f64, kernel = @lookup_sum_d4_weighted}
  // CHECK-SAME: {bytes = 5.120000e+02 : f64, flops = 4.800000e+01 : f64, items = 5.000000e-01 : f64, kernel = @lookup_sum_d2_weighted}]
  %p = rec.lookup_served %q, %h0, %h1 {axes = ["shard"], items = #items} : (!rec.jagged<?x?>, !rec.table<9x4>, !rec.table<7x6>) -> tensor<?xf32>
  // CHECK: %[[BACK:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
  // Of 16 * 4 + 8 * 4 + 8 * 2 floats half stay here.
  // CHECK: llvm.call @sparsec_exchange_start({{.*}}) {sparsec.checked, sparsec.work = [{bytes = 2.240000e+02 : f64}]
  // CHECK: %[[TOKEN:.*]] = llvm.load
  %start = comm.all_to_all_start %p, %to, %from {axes = ["shard"]} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> !comm.pending<tensor<?xf32>>
  // CHECK: llvm.call @sparsec_wait(%[[CTX]], %[[TOKEN]]) {sparsec.checked}
  // CHECK: bufferization.to_tensor %[[BACK]]
  %m = comm.wait %start : (!comm.pending<tensor<?xf32>>) -> tensor<?xf32>
  // CHECK: memref.alloc(%[[B]]) {alignment = 64 : i64} : memref<?x4xf32>
  // CHECK: memref.alloc(%[[B]]) {alignment = 64 : i64} : memref<?x6xf32>
  // CHECK: llvm.call @sparsec_combine_sources(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[ROUTED]], {{.*}}) {sparsec.checked, sparsec.work = [
  // CHECK-SAME: {bytes = 6.400000e+02 : f64, flops = 3.200000e+01 : f64, items = 2.000000e+00 : f64, kernel = @combine_d4}, {bytes = 1.280000e+02 : f64, items = 1.000000e+00 : f64, kernel = @combine_d2}]
  %e0, %e1 = rec.combine_sources %m, %r, %a, %w {axes = ["shard"], items = #items} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>, !rec.jagged<1x1>) -> (tensor<?x4xf32>, tensor<?x6xf32>)
  // CHECK: memref.alloc(%[[OWNED]])
  // CHECK: llvm.call @sparsec_spread_sources({{.*}}) {sparsec.checked, sparsec.work = [{bytes = 8.960000e+02 : f64, items = 2.000000e+00 : f64}]
  %s = rec.spread_sources %e0, %e1, %r {axes = ["shard"], items = #items} : (tensor<?x4xf32>, tensor<?x6xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  // CHECK: llvm.call @sparsec_exchange_start(
  // CHECK: llvm.call @sparsec_wait(
  %d = comm.all_to_all %s, %from, %to {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  // CHECK: llvm.call @sparsec_row_gradients_served(
  %g0 = rec.row_gradients_served %q, %d {axes = ["shard"], items = #items, table = @table.a} : (!rec.jagged<?x?>, tensor<?xf32>) -> !rec.rows<4>
  // CHECK: llvm.call @sparsec_row_gradients_served(
  %g1 = rec.row_gradients_served %q, %d {axes = ["shard"], items = #items, table = @table.w} : (!rec.jagged<?x?>, tensor<?xf32>) -> !rec.rows<6>
  // One update for each part: a of 4 columns, w of 4 and 2.
  // CHECK: llvm.mlir.addressof @segment_sum_d4
  // CHECK: llvm.mlir.addressof @segment_sum_d4
  // CHECK: llvm.mlir.addressof @segment_sum_d2
  // CHECK: llvm.call @sparsec_rows_reduce(
  // CHECK: %[[S0:.*]] = llvm.load
  // CHECK: llvm.load
  // CHECK: llvm.load
  // CHECK: llvm.call @sparsec_rows_join(
  %u0, %u1 = comm.all_reduce %g0, %g1 {axes = ["replicate"]} : (!rec.rows<4>, !rec.rows<6>) -> (!rec.rows<4, summed>, !rec.rows<6, summed>)
  %one = arith.constant 1.0 : f32
  // CHECK: llvm.mlir.addressof @step_row_wise_adagrad_d4
  // CHECK: llvm.mlir.addressof @step_sgd_d4
  // CHECK: llvm.mlir.addressof @step_sgd_d2
  // CHECK: llvm.call @sparsec_update(
  rec.apply_rows %h0, %h1 by %u0, %u1 at %one, %step, %one : !rec.table<9x4>, !rec.table<7x6> by !rec.rows<4, summed>, !rec.rows<6, summed>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// What an input entry hands over lies in the frame, a word each. Bags of the other entry are as those made here.
// CHECK-LABEL: func.func @eval_input(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr,
func.func @eval_input(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %b = rec.batch_size {max = 8} : () -> index
  %s = rec.batch_status : () -> i64
  // CHECK: llvm.call @sparsec_agree(
  // CHECK: %[[N:.*]] = arith.index_cast
  %n = comm.agree %s, %b {axes = ["shard"]} : (i64, index) -> index
  %w = rec.ids %b {feature = @feature.w} : (index) -> !rec.jagged<1x1>
  // CHECK: llvm.call @sparsec_unique(
  // CHECK: llvm.load
  // CHECK: %[[AT:.*]] = llvm.load
  %u, %at = rec.unique %w : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x1>)
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i64
  // CHECK: %[[FRAME:.*]] = llvm.call @sparsec_frame(%[[CTX]], %[[TWO]]) {sparsec.checked}
  // CHECK: %[[N64:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: llvm.store %[[N64]], %{{.*}} : i64, !llvm.ptr
  // CHECK: %[[WORD:.*]] = llvm.getelementptr %[[FRAME]][1] : (!llvm.ptr) -> !llvm.ptr, i64
  // CHECK: llvm.store %[[AT]], %[[WORD]] : !llvm.ptr, !llvm.ptr
  rec.hand_over %n, %at : (index, !rec.jagged<1x1>) -> ()
  %zero = arith.constant 0 : i32
  return %zero : i32
}
// CHECK-LABEL: func.func @eval(
func.func @eval(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  // CHECK: %[[FRAME:.*]] = llvm.call @sparsec_frame(
  // CHECK: %[[WORD:.*]] = llvm.getelementptr %[[FRAME]][1]
  // CHECK: %[[AT:.*]] = llvm.load %[[WORD]] : !llvm.ptr -> !llvm.ptr
  %n, %at = rec.take_over {from = @eval_input} : () -> (index, !rec.jagged<1x1>)
  // CHECK: %[[B:.*]] = rec.batch_size
  %b = rec.batch_size {max = 8} : () -> index
  // CHECK: memref.alloc(%[[B]])
  // CHECK: llvm.call @sparsec_parallel(
  %k = rec.bag_scale %at : (!rec.jagged<1x1>) -> tensor<?xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
