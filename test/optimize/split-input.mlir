// RUN: sparsec-opt %s --rec-split-input | FileCheck %s

rec.feature @feature.f {bag_length = 3.0 : f64, ids = 10 : i64, multi_hot, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
rec.feature @feature.x {bag_length = 0.0 : f64, ids = 0 : i64, name = "x", reader = {}, width = 1 : i64, zipf = 0.0 : f64}
rec.table @table.t {dim = 1 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}

// Messages of sizes and ids move, with all that they need; what the batch knows is asked again, the rest handed over.
// CHECK-LABEL: func.func @train_input(%{{.*}}: i64) attributes {rec.entry}
// CHECK-DAG:     %[[B:.*]] = rec.batch_size
// CHECK-DAG:     %[[S:.*]] = rec.batch_status
// CHECK:         %[[N:.*]] = comm.agree %[[S]], %[[B]]
// CHECK:         %[[I:.*]] = rec.ids %[[B]]
// CHECK:         %[[R:.*]] = rec.route %[[I]]
// CHECK:         %[[Q:.*]] = comm.all_to_all %[[R]]
// CHECK-NEXT:    rec.hand_over %[[N]], %[[R]], %[[Q]] : (index, !rec.jagged<?x?>, !rec.jagged<?x?>) -> ()
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @train(%{{.*}}: i64) attributes {rec.entry}
// CHECK:         %[[TAKEN:.*]]:3 = rec.take_over {from = @train_input}
// CHECK-NOT:     comm.agree
// CHECK:         %[[B:.*]] = rec.batch_size
// CHECK-NOT:     rec.batch_status
// CHECK:         %[[I:.*]] = rec.ids %[[B]]
// CHECK-NOT:     rec.route
// CHECK:         %[[TO:.*]], %[[FROM:.*]] = rec.exchange_counts %[[TAKEN]]#1, %[[TAKEN]]#2
// CHECK:         %[[P:.*]] = rec.lookup_served %[[TAKEN]]#2
// CHECK:         comm.all_to_all %[[P]], %[[TO]], %[[FROM]]
// CHECK:         rec.combine_sources %{{.*}}, %[[TAKEN]]#1, %[[I]]
// CHECK:         rec.mse %{{.*}}, %{{.*}}, %[[TAKEN]]#0
// CHECK:         comm.all_reduce
func.func @train(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %s = rec.batch_status : () -> i64
  %n = comm.agree %s, %b {axes = ["shard"]} : (i64, index) -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.t} : () -> !rec.table<10x1>
  %r = rec.route %i {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<1x1>) -> !rec.jagged<?x?>
  %q = comm.all_to_all %r {axes = ["shard"], items = [#rec.item<0, @table.t, 0>], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  %to, %from = rec.exchange_counts %r, %q {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<?x?>, !rec.jagged<?x?>) -> (tensor<?xindex>, tensor<?xindex>)
  %p = rec.lookup_served %q, %h {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (!rec.jagged<?x?>, !rec.table<10x1>) -> tensor<?xf32>
  %m = comm.all_to_all %p, %to, %from {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %m, %r, %i {axes = ["shard"], items = [#rec.item<0, @table.t, 0>]} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x1xf32>
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x1xf32>
  %l = rec.mse %e, %x, %n {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %sum = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  rec.report %sum : (f32) -> ()
  return
}

// A sum of floats stays, even one that only the batch decides.
// CHECK-LABEL: func.func @mean_input
// CHECK-NOT:     comm.all_reduce
// CHECK:         rec.hand_over %{{.*}} : (index) -> ()
// CHECK-LABEL: func.func @mean(
// CHECK:         comm.all_reduce
func.func @mean(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %s = rec.batch_status : () -> i64
  %n = comm.agree %s, %b {axes = ["shard"]} : (i64, index) -> index
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x1xf32>
  %l = rec.mse %x, %x, %n {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  %sum = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  rec.report %sum : (f32) -> ()
  return
}

// Distinct ids need no other rank, but no table either: they are made ahead, too.
// CHECK-LABEL: func.func @distinct_input
// CHECK:         %[[U:.*]], %[[AT:.*]] = rec.unique
// CHECK-NEXT:    rec.hand_over %[[U]], %[[AT]] :
// CHECK-LABEL: func.func @distinct(
// CHECK:         %[[TAKEN:.*]]:2 = rec.take_over
// CHECK-NOT:     rec.unique
// CHECK:         %[[E:.*]] = rec.lookup_local %[[TAKEN]]#0
// CHECK:         rec.pool_rows %[[E]], %[[TAKEN]]#1
func.func @distinct(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
  %h = rec.handle {table = @table.t} : () -> !rec.table<10x1>
  %u, %at = rec.unique %i : (!rec.jagged<1x1>) -> (!rec.jagged<1x1>, !rec.jagged<1x1>)
  %e = rec.lookup_local %u from %h {table_of = array<i64: 0>} : !rec.jagged<1x1> from !rec.table<10x1> -> tensor<?x1xf32>
  %p = rec.pool_rows %e, %at {pooling = #rec.pooling<max>} : (tensor<?x1xf32>, !rec.jagged<1x1>) -> tensor<?x1xf32>
  %l = rec.mse %p, %p, %b {weight = 1.0 : f64} : (tensor<?x1xf32>, tensor<?x1xf32>, index) -> f32
  rec.report %l : (f32) -> ()
  return
}

// Nothing to hear: nothing is split.
// CHECK-NOT:   func.func @alone_input
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     rec.take_over
func.func @alone(%step: i64) attributes {rec.entry} {
  %b = rec.batch_size {max = 8 : i64} : () -> index
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x1xf32>
  return
}
