// RUN: sparsec-opt %s --rec-lower-embedding | FileCheck %s
// RUN: sparsec-opt %s --rec-lower-embedding | FileCheck %s --check-prefix=KERNELS

rec.feature @feature.a {name = "a", ids = 9, width = 1, bag_length = 1.0, zipf = 0.0, reader = {kind = "hash"}}
rec.feature @feature.w {name = "w", ids = 7, width = 1, multi_hot, bag_length = 3.0, zipf = 0.0, reader = {kind = "hash", weightSeparator = ":"}}
rec.table @table.a {name = "a", rows = 9, dim = 4, init = #rec.init<"constant", 0.0>, update = #rec.update<touched>,
  optimizer = #rec.row_wise_adagrad<lr = 0.05, eps = 1.0e-8, start = 0.0>, parts = [#rec.part<cols 0 + 4, axes [], ranks 0 + 1>]}
rec.table @table.w {name = "w", rows = 7, dim = 16, init = #rec.init<"constant", 0.0>, update = #rec.update<whole>,
  optimizer = #rec.sgd<lr = 0.1>, parts = [#rec.part<cols 0 + 16, axes [], ranks 0 + 1>]}

// The classes that are used, once each.
// KERNELS-DAG: llvm.func internal @lookup_sum_d4(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// KERNELS-DAG: llvm.func internal @lookup_sum_d16_weighted(
// KERNELS-DAG: llvm.func internal @step_row_wise_adagrad_d4(
// KERNELS-DAG: llvm.func internal @sweep_sgd_d16(
// KERNELS-DAG: llvm.func internal @segment_sum_d4(
// KERNELS-NOT: @lookup_sum_d16(

// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[STEP:.*]]: i64
func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  // CHECK: %[[B:.*]] = rec.batch_size
  %b = rec.batch_size {max = 8} : () -> index
  %status = rec.batch_status : () -> i64
  // CHECK: %[[AXES:.*]] = arith.constant 5 : i32
  // CHECK: llvm.call @sparsec_agree(%[[CTX]], %[[AXES]], %{{.*}}, %{{.*}}, %[[TOTAL:.*]]) {sparsec.checked}
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> i64
  %n = comm.agree %status, %b {axes = ["replicate", "shard"]} : (i64, index) -> index
  // CHECK: %[[F0:.*]] = arith.constant 0 : i32
  // CHECK: %[[A:.*]] = llvm.call @sparsec_ids(%[[CTX]], %[[F0]])
  %a = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  // CHECK: %[[F1:.*]] = arith.constant 1 : i32
  // CHECK: %[[W:.*]] = llvm.call @sparsec_ids(%[[CTX]], %[[F1]])
  %w = rec.ids %b {feature = @feature.w} : (index) -> !rec.jagged<1x1>
  %h0 = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  %h1 = rec.handle {table = @table.w} : () -> !rec.table<7x16>
  %t0 = comm.replicate %h0 {axes = ["shard"]} : (!rec.table<9x4>) -> !rec.table<9x4>

  // Buffers as long as the batch; an item for each lookup, in order; one call.
  // CHECK: %[[E0:.*]] = memref.alloc(%[[B]]) {alignment = 64 : i64} : memref<?x4xf32>
  // CHECK: llvm.mlir.addressof @lookup_sum_d4 : !llvm.ptr
  // CHECK: llvm.store %[[A]], %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: %[[E1:.*]] = memref.alloc(%[[B]]) {alignment = 64 : i64} : memref<?x16xf32>
  // CHECK: llvm.mlir.addressof @lookup_sum_d16_weighted : !llvm.ptr
  // CHECK: llvm.store %[[W]], %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: llvm.call @sparsec_lookup_local(%[[CTX]], %{{.*}}, %{{.*}}) {sparsec.checked, sparsec.work = [
  // Of feature a 8 bags of one id, of w 8 of three: a row and its id each, a row and an offset for each bag.
  // CHECK-SAME: {bytes = 3.840000e+02 : f64, flops = 3.200000e+01 : f64, items = 1.000000e+00 : f64, kernel = @lookup_sum_d4}
  // CHECK-SAME: {bytes = 2.304000e+03 : f64, flops = 3.840000e+02 : f64, items = 1.000000e+00 : f64, kernel = @lookup_sum_d16_weighted}
  // CHECK-SAME: ]} : (!llvm.ptr, !llvm.ptr, i64) -> i32
  // CHECK: %[[T0:.*]] = bufferization.to_tensor %[[E0]] restrict writable
  // CHECK: %[[T1:.*]] = bufferization.to_tensor %[[E1]] restrict writable
  %e0, %e1 = rec.lookup_local %a, %w from %t0, %h1 {table_of = array<i64: 0, 1>}
    : !rec.jagged<1x1>, !rec.jagged<1x1> from !rec.table<9x4>, !rec.table<7x16> -> tensor<?x4xf32>, tensor<?x16xf32>

  // Sums of numbers share one buffer and one message.
  // CHECK: %[[FLAT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<36xi8>
  // CHECK: %[[V0:.*]] = memref.view %[[FLAT]][%{{.*}}][] : memref<36xi8> to memref<2x4xf32>
  // CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[V0]]
  // CHECK: %[[V1:.*]] = memref.view %[[FLAT]][%{{.*}}][] : memref<36xi8> to memref<f32>
  // CHECK: memref.store %{{.*}}, %[[V1]][] : memref<f32>
  // CHECK: %[[NINE:.*]] = arith.constant 9 : i64
  // CHECK: llvm.call @sparsec_all_reduce(%[[CTX]], %{{.*}}, %{{.*}}, %[[NINE]]) {sparsec.checked, sparsec.work = [{}]}
  // CHECK: bufferization.to_tensor %[[V0]] restrict writable
  // CHECK: memref.load %[[V1]][] : memref<f32>
  %g = arith.constant dense<1.0> : tensor<2x4xf32>
  %loss = arith.constant 2.0 : f32
  %sum, %total = comm.all_reduce %g, %loss {axes = ["shard"]} : (tensor<2x4xf32>, f32) -> (tensor<2x4xf32>, f32)

  // CHECK: %[[R0:.*]] = llvm.call @sparsec_row_gradients_local(%[[CTX]], %{{.*}}, %{{.*}}, %[[A]], %{{.*}})
  %r0 = rec.row_gradients_local %a with %e0 {table = @table.a} : !rec.jagged<1x1> with tensor<?x4xf32> -> !rec.rows<4>
  // CHECK: %[[R1:.*]] = llvm.call @sparsec_row_gradients_local(%[[CTX]], %{{.*}}, %{{.*}}, %[[W]], %{{.*}})
  // CHECK: %[[R2:.*]] = llvm.call @sparsec_row_gradients_local(%[[CTX]], %{{.*}}, %{{.*}}, %[[W]], %{{.*}})
  // CHECK: %[[JOINED:.*]] = llvm.call @sparsec_rows_join(
  %r1 = rec.row_gradients_local %w, %w with %e1, %e1 {table = @table.w} : !rec.jagged<1x1>, !rec.jagged<1x1> with tensor<?x16xf32>, tensor<?x16xf32> -> !rec.rows<16>
  // CHECK: llvm.mlir.addressof @segment_sum_d4
  // CHECK: llvm.call @sparsec_rows_reduce(%[[CTX]], {{.*}}) {sparsec.checked, sparsec.work = [
  // 24 bytes to find an occurrence and its row of 16; a number and a row for each sum. One rank sends nothing.
  // CHECK-SAME: {bytes = 5.120000e+02 : f64, flops = 3.200000e+01 : f64, ids = 8.000000e+00 : f64, items = 1.000000e+00 : f64, kernel = @segment_sum_d4}, {}]
  %s0 = comm.all_reduce %r0 {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  // CHECK: llvm.mlir.addressof @step_row_wise_adagrad_d4
  // CHECK: llvm.mlir.addressof @sweep_sgd_d16
  // CHECK: llvm.store %[[JOINED]], %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: llvm.call @sparsec_update(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[STEP]]) {sparsec.checked, sparsec.work = [
  // 8 rows of 4 weights and a state are read and written; all 7 rows of 16 weights, for twice 24 occurrences.
  // CHECK-SAME: {bytes = 6.400000e+02 : f64, flops = 1.120000e+02 : f64, ids = 8.000000e+00 : f64, items = 1.000000e+00 : f64, kernel = @step_row_wise_adagrad_d4}
  // CHECK-SAME: {bytes = 5.120000e+03 : f64, flops = 9.920000e+02 : f64, ids = 4.800000e+01 : f64, items = 1.000000e+00 : f64, kernel = @sweep_sgd_d16}]
  rec.apply_rows %h0, %h1 by %s0, %r1 at %loss, %step, %loss : !rec.table<9x4>, !rec.table<7x16> by !rec.rows<4, summed>, !rec.rows<16>
  %zero = arith.constant 0 : i32
  // CHECK-NOT: rec.handle
  // CHECK-NOT: comm.
  return %zero : i32
}

// CHECK-LABEL: func.func @home(
func.func @home(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  // CHECK: %[[B:.*]] = rec.batch_size
  %b = rec.batch_size {max = 8} : () -> index
  %i = rec.ids %b {feature = @feature.a} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.a} : () -> !rec.table<9x4>
  // CHECK: llvm.call @sparsec_unique(
  // CHECK: %[[U:.*]] = llvm.load
  // CHECK: %[[AT:.*]] = llvm.load
  %u, %at = rec.unique %i : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x1>)
  // Distinct ids are counted at run time.
  // CHECK: %[[COUNTED:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
  // CHECK: %[[ROWS:.*]] = arith.index_cast %[[COUNTED]] : i64 to index
  // CHECK: memref.alloc(%[[ROWS]])
  %e = rec.lookup_local %u from %h {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>
  // CHECK: memref.alloc(%[[B]])
  // CHECK: %[[MAX:.*]] = llvm.mlir.addressof @pool_max_d4
  // CHECK: llvm.call @sparsec_parallel(%{{.*}}, %[[MAX]],
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<max>} : (tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // CHECK: llvm.mlir.addressof @pool_max_grad_d4
  %g = rec.pool_rows_grad %p, %e, %at {pooling = #rec.pooling<max>} : (tensor<?x4xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // CHECK: llvm.mlir.addressof @bag_scale
  %k = rec.bag_scale %i : (!rec.jagged<1x1>) -> tensor<?xf32>
  // CHECK: rec.scale_bags
  %m = rec.scale_bags %p, %k : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  // CHECK: llvm.mlir.addressof @dot_interaction_n2_d4_self
  %z = rec.dot_interaction %m, %p {self} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x3xf32>
  // CHECK: llvm.mlir.addressof @dot_interaction_grad_n2_d4_self
  %d0, %d1 = rec.dot_interaction_grad %z, %m, %p {self} : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %zero = arith.constant 0 : i32
  return %zero : i32
}
