// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-overlap-exchanges))" | FileCheck %s

// The start stays; the wait and what only its result feeds go down to the first user, past independent work.
// CHECK-LABEL: func.func @forward
// CHECK:       comm.all_to_all_start
// CHECK-NEXT:  %[[H:.*]] = rec.activate
// CHECK-NEXT:  %[[ROWS:.*]] = comm.wait
// CHECK-NEXT:  %[[E:.*]] = rec.combine_sources %[[ROWS]]
// CHECK-NEXT:  rec.add %[[H]], %[[E]]
func.func @forward(%p: tensor<?xf32>, %n: tensor<?xindex>, %r: !rec.jagged<?x?>, %i: !rec.jagged<1x1>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = comm.all_to_all %p, %n, %n {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %m, %r, %i {axes = ["shard"], items = []} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %h = rec.activate %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = rec.add %h, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// An exchange of ids stays whole: its lengths travel first.
// CHECK-LABEL: func.func @ids
// CHECK:       comm.all_to_all %
func.func @ids(%r: !rec.jagged<?x?>) -> !rec.jagged<?x?> {
  %q = comm.all_to_all %r {axes = ["shard"], items = [], operandSegmentSizes = array<i32: 1, 0, 0>} : (!rec.jagged<?x?>) -> !rec.jagged<?x?>
  return %q : !rec.jagged<?x?>
}

// Of two steps the first is awaited where the second starts; its sum is not put off further.
// CHECK-LABEL: func.func @two_steps
// CHECK:       comm.all_to_all_start {{.*}}axes = ["shard"]
// CHECK-NEXT:  %[[PARTIAL:.*]] = comm.wait
// CHECK-NEXT:  %[[SUMS:.*]] = rec.sum_in_node %[[PARTIAL]]
// CHECK-NEXT:  comm.all_to_all_start %[[SUMS]], {{.*}}axes = ["node"]
// CHECK-NEXT:  %[[H:.*]] = rec.activate
// CHECK-NEXT:  %[[ROWS:.*]] = comm.wait
// CHECK-NEXT:  %[[E:.*]] = rec.combine_sources %[[ROWS]]
// CHECK-NEXT:  rec.add %[[H]], %[[E]]
func.func @two_steps(%p: tensor<?xf32>, %n: tensor<?xindex>, %r: !rec.jagged<?x?>, %q: !rec.jagged<?x?>, %i: !rec.jagged<1x1>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = comm.all_to_all %p, %n, %n {axes = ["shard"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %s = rec.sum_in_node %m, %q {axes = ["node", "shard"], items = []} : (tensor<?xf32>, !rec.jagged<?x?>) -> tensor<?xf32>
  %t = comm.all_to_all %s, %n, %n {axes = ["node"], operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<?xf32>, tensor<?xindex>, tensor<?xindex>) -> tensor<?xf32>
  %e = rec.combine_sources %t, %r, %i {axes = ["node", "shard"], in_node, items = []} : (tensor<?xf32>, !rec.jagged<?x?>, !rec.jagged<1x1>) -> tensor<?x4xf32>
  %h = rec.activate %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = rec.add %h, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
