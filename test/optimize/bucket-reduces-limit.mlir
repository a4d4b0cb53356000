// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-bucket-reduces))" | FileCheck %s
// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-bucket-reduces{limit=20}))" | FileCheck %s
// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-bucket-reduces{limit=21}))" | FileCheck %s --check-prefix=MORE
// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(comm-bucket-reduces{limit=1000}))" | FileCheck %s --check-prefix=ONE

// 20 bytes cross between hosts in 16 times the latency: the loss and the first gradient fill a bucket.
module attributes {rec.cluster = {between_latency = 1.0e-6, between_rate = 1.25e+6}} {

// A bucket stands where its last member stood; what the layers below compute comes after it. Rows are joined without a
// limit.
// CHECK-LABEL: func.func @train
// CHECK-SAME:  %[[L:.*]]: f32, %[[G:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<2x4xf32>, %[[R:.*]]: !rec.rows<4>, %[[Q:.*]]: !rec.rows<4>
// CHECK:       %[[A:.*]]:2 = comm.all_reduce %[[L]], %[[G]] {axes = ["shard"]} : (f32, tensor<4xf32>)
// CHECK-NEXT:  rec.report %[[A]]#0
// CHECK-NEXT:  %[[D:.*]] = rec.activate %[[X]]
// CHECK-NEXT:  %[[B:.*]] = comm.all_reduce %[[D]] {axes = ["shard"]} : (tensor<2x4xf32>)
// CHECK-NEXT:  %[[ROWS:.*]]:2 = comm.all_reduce %[[R]], %[[Q]] {axes = ["shard"]}
// CHECK-NEXT:  %[[C:.*]] = comm.all_reduce %[[G]] {axes = ["shard"]} : (tensor<4xf32>)
// CHECK-NEXT:  return %[[A]]#1, %[[B]], %[[C]], %[[ROWS]]#0, %[[ROWS]]#1

// MORE:        %[[D:.*]] = rec.activate
// MORE-NEXT:   %[[A:.*]]:3 = comm.all_reduce %{{.*}}, %{{.*}}, %[[D]] {axes = ["shard"]} : (f32, tensor<4xf32>, tensor<2x4xf32>)
// MORE-NEXT:   rec.report %[[A]]#0
// MORE:        comm.all_reduce %{{.*}} {axes = ["shard"]} : (tensor<4xf32>)

// ONE:         comm.all_reduce %{{.*}}, %{{.*}} {axes = ["shard"]} : (!rec.rows<4>, !rec.rows<4>)
// ONE-NEXT:    %[[A:.*]]:4 = comm.all_reduce %{{.*}} {axes = ["shard"]} : (f32, tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>)
// ONE-NEXT:    rec.report %[[A]]#0
func.func @train(%l: f32, %g: tensor<4xf32>, %x: tensor<2x4xf32>, %r: !rec.rows<4>, %q: !rec.rows<4>)
    -> (tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, !rec.rows<4, summed>, !rec.rows<4, summed>) {
  %0 = comm.all_reduce %l {axes = ["shard"]} : (f32) -> f32
  rec.report %0 : (f32) -> ()
  %1 = comm.all_reduce %g {axes = ["shard"]} : (tensor<4xf32>) -> tensor<4xf32>
  %d = rec.activate %x {activation = #rec.activation<relu>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = comm.all_reduce %d {axes = ["shard"]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = comm.all_reduce %r {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  %4 = comm.all_reduce %q {axes = ["shard"]} : (!rec.rows<4>) -> !rec.rows<4, summed>
  %5 = comm.all_reduce %g {axes = ["shard"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %5, %3, %4 : tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, !rec.rows<4, summed>, !rec.rows<4, summed>
}

}
