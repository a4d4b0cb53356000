// RUN: sparsec-opt --rec-lower-embedding --split-input-file %s | FileCheck %s
// RUN: sparsec-opt --rec-lower-embedding --rec-lower-dense --one-shot-bufferize --canonicalize --cse --rec-memory-plan --split-input-file %s | FileCheck %s --check-prefix=PLAN

comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}

// A bucket: what was summed is in the views that were filled, once it has been waited for.
// CHECK-LABEL: func.func @in_flight(
// CHECK-SAME:    %[[CTX:.*]]: !llvm.ptr,
// CHECK:         %[[SLOT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         %[[BUCKET:.*]] = memref.alloc() {alignment = 64 : i64} : memref<68xi8>
// CHECK:         %[[V0:.*]] = memref.view %[[BUCKET]][%{{.*}}][] : memref<68xi8> to memref<4x4xf32>
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[V0]]
// CHECK:         %[[V1:.*]] = memref.view %[[BUCKET]][%{{.*}}][] : memref<68xi8> to memref<f32>
// CHECK:         memref.store %{{.*}}, %[[V1]][] : memref<f32>
// CHECK-NOT:     sparsec_all_reduce(
// CHECK:         llvm.call @sparsec_all_reduce_start(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]]) {sparsec.checked, sparsec.work
// CHECK-NEXT:    %[[FIELD:.*]] = llvm.getelementptr %[[SLOT]]
// CHECK-NEXT:    %[[TOKEN:.*]] = llvm.load %[[FIELD]]
// CHECK:         llvm.call @sparsec_all_reduce(
// CHECK:         llvm.call @sparsec_wait(%[[CTX]], %[[TOKEN]]) {sparsec.checked}
// CHECK-NEXT:    %[[SUM:.*]] = bufferization.to_tensor %[[V0]] restrict writable
// CHECK-NEXT:    memref.load %[[V1]][] : memref<f32>

// The other sum stands between start and wait: each has bytes of its own.
// PLAN-LABEL: func.func @in_flight
// PLAN-SAME:    sparsec.arena_bytes = 192 : i64
func.func @in_flight(%context: !llvm.ptr, %step: i64, %g: tensor<4x4xf32>, %f: tensor<16xf32>, %l: f32) -> i32 attributes {rec.entry} {
  %p = comm.all_reduce_start %g, %l {axes = ["shard"]} : (tensor<4x4xf32>, f32) -> !comm.pending<tensor<4x4xf32>, f32>
  %other = comm.all_reduce %f {axes = ["shard"]} : (tensor<16xf32>) -> tensor<16xf32>
  %sum, %loss = comm.wait %p : (!comm.pending<tensor<4x4xf32>, f32>) -> (tensor<4x4xf32>, f32)
  %c0 = arith.constant 0 : index
  %x = tensor.extract %sum[%c0, %c0] : tensor<4x4xf32>
  %y = tensor.extract %other[%c0] : tensor<16xf32>
  %z = arith.addf %x, %y : f32
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

comm.mesh @mesh {axes = ["shard"], shape = array<i64: 2>}

// It is over before the other sum begins, which takes its bytes.
// PLAN-LABEL: func.func @finished
// PLAN-SAME:    sparsec.arena_bytes = 128 : i64
func.func @finished(%context: !llvm.ptr, %step: i64, %g: tensor<4x4xf32>, %f: tensor<16xf32>, %l: f32) -> i32 attributes {rec.entry} {
  %p = comm.all_reduce_start %g, %l {axes = ["shard"]} : (tensor<4x4xf32>, f32) -> !comm.pending<tensor<4x4xf32>, f32>
  %sum, %loss = comm.wait %p : (!comm.pending<tensor<4x4xf32>, f32>) -> (tensor<4x4xf32>, f32)
  %other = comm.all_reduce %f {axes = ["shard"]} : (tensor<16xf32>) -> tensor<16xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
