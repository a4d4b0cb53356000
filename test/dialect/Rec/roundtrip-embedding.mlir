// RUN: sparsec-opt %s | sparsec-opt | FileCheck %s
// RUN: sparsec-opt %s --mlir-print-op-generic | sparsec-opt | FileCheck %s

// CHECK-LABEL: func.func @local(
// CHECK-SAME: %[[I:.*]]: !rec.jagged<1x1>, %[[T:.*]]: !rec.table<9x4>, %[[G:.*]]: tensor<?x4xf32>)
func.func @local(%i: !rec.jagged<1x1>, %t: !rec.table<9x4>, %g: tensor<?x4xf32>) {
  // CHECK: %{{.*}}:2 = rec.lookup_local %[[I]], %[[I]] from %[[T]] {table_of = array<i64: 0, 0>} : !rec.jagged<1x1>, !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>, tensor<?x4xf32>
  %0:2 = rec.lookup_local %i, %i from %t {table_of = array<i64: 0, 0>} : !rec.jagged<1x1>, !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>, tensor<?x4xf32>
  // CHECK: %[[R:.*]] = rec.row_gradients_local %[[I]], %[[I]] with %[[G]], %[[G]] {table = @table.t} : !rec.jagged<1x1>, !rec.jagged<1x1> with tensor<?x4xf32>, tensor<?x4xf32> -> !rec.rows<4>
  %1 = rec.row_gradients_local %i, %i with %g, %g {table = @table.t} : !rec.jagged<1x1>, !rec.jagged<1x1> with tensor<?x4xf32>, tensor<?x4xf32> -> !rec.rows<4>
  // CHECK: rec.join_rows %[[R]], %[[R]] : (!rec.rows<4>, !rec.rows<4>) -> !rec.rows<4>
  %2 = rec.join_rows %1, %1 : (!rec.rows<4>, !rec.rows<4>) -> !rec.rows<4>
  return
}

// CHECK-LABEL: func.func @exchanged(
// CHECK-SAME: %[[I:.*]]: !rec.jagged<1x1>, %[[Q:.*]]: !rec.jagged<2x?>, %[[T:.*]]: !rec.table<9x4>, %[[F:.*]]: tensor<?xf32>, %[[G:.*]]: tensor<?x4xf32>)
func.func @exchanged(%i: !rec.jagged<1x1>, %q: !rec.jagged<2x?>, %t: !rec.table<9x4>, %f: tensor<?xf32>, %g: tensor<?x4xf32>) {
  // CHECK: %[[R:.*]] = rec.route %[[I]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>, #rec.item<0, @table.t, 1>]} : (!rec.jagged<1x1>) -> !rec.jagged<2x?>
  %r = rec.route %i {axes = ["shard"], items = [#rec.item<0, @table.t, 0>, #rec.item<0, @table.t, 1>]} : (!rec.jagged<1x1>) -> !rec.jagged<2x?>
  // CHECK: rec.exchange_counts %[[R]], %[[Q]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<2x?>, !rec.jagged<2x?>) -> (tensor<2xindex>, tensor<2xindex>)
  %to, %from = rec.exchange_counts %r, %q {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<2x?>, !rec.jagged<2x?>) -> (tensor<2xindex>, tensor<2xindex>)
  // CHECK: rec.lookup_served %[[Q]], %[[T]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<2x?>, !rec.table<9x4>) -> tensor<?xf32>
  %s = rec.lookup_served %q, %t {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<2x?>, !rec.table<9x4>) -> tensor<?xf32>
  // CHECK: rec.row_gradients_served %[[Q]], %[[F]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>], table = @table.t} : (!rec.jagged<2x?>, tensor<?xf32>) -> !rec.rows<4>
  %d = rec.row_gradients_served %q, %f {axes = ["shard"], items = [#rec.item<0, @table.t, 0>], table = @table.t} : (!rec.jagged<2x?>, tensor<?xf32>) -> !rec.rows<4>
  // CHECK: rec.combine_sources %[[F]], %[[R]], %[[I]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<2x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %p = rec.combine_sources %f, %r, %i {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<2x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // CHECK: rec.spread_sources %[[G]], %[[R]] {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?x4xf32>, !rec.jagged<2x?>) -> tensor<?xf32>
  %b = rec.spread_sources %g, %r {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?x4xf32>, !rec.jagged<2x?>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @in_node(
// CHECK-SAME: %[[I:.*]]: !rec.jagged<1x1>, %[[R:.*]]: !rec.jagged<4x?>, %[[Q:.*]]: !rec.jagged<4x?>, %[[T:.*]]: !rec.table<9x4>, %[[N:.*]]: tensor<4xindex>, %[[F:.*]]: tensor<?xf32>, %[[G:.*]]: tensor<?x4xf32>)
func.func @in_node(%i: !rec.jagged<1x1>, %r: !rec.jagged<4x?>, %q: !rec.jagged<4x?>, %t: !rec.table<9x4>, %n: tensor<4xindex>, %f: tensor<?xf32>, %g: tensor<?x4xf32>) {
  // CHECK: rec.node_counts %[[N]], %[[N]] {axes = ["node", "shard"]} : (tensor<4xindex>, tensor<4xindex>) -> (tensor<2xindex>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>)
  %is, %ir, %as, %ar = rec.node_counts %n, %n {axes = ["node", "shard"]} : (tensor<4xindex>, tensor<4xindex>) -> (tensor<2xindex>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>)
  // CHECK: rec.lookup_served %[[Q]], %[[T]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<4x?>, !rec.table<9x4>) -> tensor<?xf32>
  %p = rec.lookup_served %q, %t {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<4x?>, !rec.table<9x4>) -> tensor<?xf32>
  // CHECK: rec.sum_in_node %[[F]], %[[Q]] {axes = ["node", "shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<4x?>) -> tensor<?xf32>
  %s = rec.sum_in_node %f, %q {axes = ["node", "shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<4x?>) -> tensor<?xf32>
  // CHECK: rec.combine_sources %[[F]], %[[R]], %[[I]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<4x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %e = rec.combine_sources %f, %r, %i {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<4x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // CHECK: rec.spread_sources %[[G]], %[[R]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (tensor<?x4xf32>, !rec.jagged<4x?>) -> tensor<?xf32>
  %b = rec.spread_sources %g, %r {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>]} : (tensor<?x4xf32>, !rec.jagged<4x?>) -> tensor<?xf32>
  // CHECK: rec.copy_in_node %[[F]] {axes = ["node", "shard"]} : (tensor<?xf32>) -> tensor<?xf32>
  %c = rec.copy_in_node %f {axes = ["node", "shard"]} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: rec.row_gradients_served %[[Q]], %[[F]] {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>], table = @table.t} : (!rec.jagged<4x?>, tensor<?xf32>) -> !rec.rows<4>
  %d = rec.row_gradients_served %q, %f {axes = ["node", "shard"], in_node, items = [#rec.item<0, @table.t, 0>], table = @table.t} : (!rec.jagged<4x?>, tensor<?xf32>) -> !rec.rows<4>
  return
}

// CHECK-LABEL: func.func @home(
// CHECK-SAME: %[[I:.*]]: !rec.jagged<1x1>, %[[E:.*]]: tensor<?x4xf32>)
func.func @home(%i: !rec.jagged<1x1>, %e: tensor<?x4xf32>) {
  // CHECK: %[[K:.*]] = rec.bag_scale %[[I]] : (!rec.jagged<1x1>) -> tensor<?xf32>
  %k = rec.bag_scale %i : (!rec.jagged<1x1>) -> tensor<?xf32>
  // CHECK: rec.scale_bags %[[E]], %[[K]] : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  %m = rec.scale_bags %e, %k : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  // CHECK: %[[U:.*]], %[[AT:.*]] = rec.unique %[[I]] : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x1>)
  %u, %at = rec.unique %i : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x1>)
  // CHECK: rec.pool_rows %[[E]], %[[AT]] {pooling = #rec.pooling<max>} : (tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<max>} : (tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  // CHECK: rec.pool_rows_grad %[[E]], %[[E]], %[[AT]] {pooling = #rec.pooling<sum>} : (tensor<?x4xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %g = rec.pool_rows_grad %e, %e, %at {pooling = #rec.pooling<sum>} : (tensor<?x4xf32>, tensor<?x4xf32>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return
}
