// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(rec-fuse-lookups))" | FileCheck %s

comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}
rec.table @table.a {name = "a", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["shard"], ranks 0 + 2>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.table @table.b {name = "b", rows = 10 : i64, parts = [#rec.part<cols 0 + 4, axes["shard"], ranks 1 + 1>], dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.1 : f64>, update = #rec.update<touched>}
rec.feature @feature.f {bag_length = 1.0 : f64, ids = 4 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.feature @feature.g {bag_length = 1.0 : f64, ids = 4 : i64, name = "g", reader = {}, width = 1 : i64, zipf = 1.0 : f64}

// One exchange for both; items count the lookups of the whole; what the second needs moves in front.
// CHECK-LABEL: func.func @exchanges
// CHECK-DAG:   %[[F:.*]] = rec.ids %{{.*}} {feature = @feature.f}
// CHECK-DAG:   %[[G:.*]] = rec.ids %{{.*}} {feature = @feature.g}
// CHECK-DAG:   %[[A:.*]] = rec.handle {table = @table.a}
// CHECK-DAG:   %[[B:.*]] = rec.handle {table = @table.b}
// CHECK:       rec.route %[[F]], %[[G]] {axes = ["shard"], items = [#rec.item<0, @table.a, 0>, #rec.item<1, @table.b, 0>]}
// CHECK-NOT:   rec.route
// CHECK:       rec.lookup_served %{{.*}}, %[[A]], %[[B]]
// CHECK:       %[[E:.*]]:2 = rec.combine_sources %{{.*}}, %{{.*}}, %[[F]], %[[G]]
// CHECK:       return %[[E]]#0, %[[E]]#1
func.func @exchanges() -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = rec.batch_size {max = 8 : i64} : () -> index
  %f = rec.ids %n {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %a = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %r0 = rec.route %f {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q0 = comm.all_to_all %r0 {axes = ["shard"], items = [#rec.item<0, @table.a, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %s0, %t0 = rec.exchange_counts %r0, %q0 {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p0 = rec.lookup_served %q0, %a {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.table<10x4>) -> tensor<?xf32>
  %m0 = comm.all_to_all %p0, %s0, %t0 {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e0 = rec.combine_sources %m0, %r0, %f {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %g = rec.ids %n {feature = @feature.g} : (index) -> !rec.jagged<1x1>
  %b = rec.handle {table = @table.b} : () -> !rec.table<10x4>
  %r1 = rec.route %g {axes = ["shard"], items = [#rec.item<0, @table.b, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q1 = comm.all_to_all %r1 {axes = ["shard"], items = [#rec.item<0, @table.b, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %s1, %t1 = rec.exchange_counts %r1, %q1 {axes = ["shard"], items = [#rec.item<0, @table.b, 0>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p1 = rec.lookup_served %q1, %b {axes = ["shard"], items = [#rec.item<0, @table.b, 0>]} : (!rec.jagged<?x?>, !rec.table<10x4>) -> tensor<?xf32>
  %m1 = comm.all_to_all %p1, %s1, %t1 {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e1 = rec.combine_sources %m1, %r1, %g {axes = ["shard"], items = [#rec.item<0, @table.b, 0>]} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return %e0, %e1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Two lookups of one table name it once.
// CHECK-LABEL: func.func @local
// CHECK:       %[[E:.*]]:2 = rec.lookup_local %{{.*}}, %{{.*}} from %{{.*}} {table_of = array<i64: 0, 0>}
// CHECK:       return %[[E]]#0, %[[E]]#1
func.func @local() -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = rec.batch_size {max = 8 : i64} : () -> index
  %a = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %f = rec.ids %n {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %e0 = rec.lookup_local %f from %a {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<10x4> -> tensor<?x4xf32>
  %g = rec.ids %n {feature = @feature.g} : (index) -> !rec.jagged<1x1>
  %e1 = rec.lookup_local %g from %a {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<10x4> -> tensor<?x4xf32>
  return %e0, %e1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Two lookups of the same ids in the same table share a route: one of their exchanges is enough.
// CHECK-LABEL: func.func @repeated
// CHECK:       rec.route
// CHECK-COUNT-2: comm.all_to_all
// CHECK-NOT:   comm.all_to_all
// CHECK:       %[[E:.*]] = rec.combine_sources
// CHECK:       return %[[E]], %[[E]]
func.func @repeated() -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = rec.batch_size {max = 8 : i64} : () -> index
  %f = rec.ids %n {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %a = rec.handle {table = @table.a} : () -> !rec.table<10x4>
  %r = rec.route %f {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q0 = comm.all_to_all %r {axes = ["shard"], items = [#rec.item<0, @table.a, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %s0, %t0 = rec.exchange_counts %r, %q0 {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p0 = rec.lookup_served %q0, %a {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.table<10x4>) -> tensor<?xf32>
  %m0 = comm.all_to_all %p0, %s0, %t0 {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e0 = rec.combine_sources %m0, %r, %f {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %q1 = comm.all_to_all %r {axes = ["shard"], items = [#rec.item<0, @table.a, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %s1, %t1 = rec.exchange_counts %r, %q1 {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p1 = rec.lookup_served %q1, %a {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (!rec.jagged<?x?>, !rec.table<10x4>) -> tensor<?xf32>
  %m1 = comm.all_to_all %p1, %s1, %t1 {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e1 = rec.combine_sources %m1, %r, %f {axes = ["shard"], items = [#rec.item<0, @table.a, 0>]} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  return %e0, %e1 : tensor<?x4xf32>, tensor<?x4xf32>
}
