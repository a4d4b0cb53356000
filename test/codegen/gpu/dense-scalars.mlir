// RUN: sparsec-opt --rec-dense-kernels --canonicalize --cse %s | FileCheck %s

// A number of the device, worked on with one of the host and stored: one thread. The host's part stays there.
// CHECK-LABEL: func.func @train
// CHECK:         %[[FACTOR:.+]] = arith.divf
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[FACTOR]] : f64 to i64
// CHECK:         llvm.store %[[BITS]]
// CHECK:         llvm.call @sparsec_launch
// CHECK-NOT:     memref.load

// What is made of the step's number differs from step to step: the kernel reads it in the device's memory.
// CHECK-LABEL: func.func @of_the_step
// CHECK:         %[[RATE:.+]] = arith.uitofp %arg1 : i64 to f64
// CHECK:         %[[RATE_BITS:.+]] = arith.bitcast %[[RATE]] : f64 to i64
// CHECK:         %[[PLACE:.+]] = llvm.call @sparsec_word_on_device(%arg0, %[[RATE_BITS]])
// CHECK:         llvm.store %[[PLACE]], %{{.+}} : !llvm.ptr, !llvm.ptr
// CHECK:         llvm.call @sparsec_launch

// CHECK-LABEL: gpu.func @dense_scalars_0(%arg0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg1: !llvm.ptr<1>, %arg2: i64)
// CHECK:         scf.if
// CHECK:           %[[HOST:.+]] = arith.bitcast %arg2 : i64 to f64
// CHECK:           %[[TOTAL:.+]] = llvm.load %arg0 {alignment = 8 : i64} : !llvm.ptr<1> -> f64
// CHECK:           %[[LOSS:.+]] = arith.mulf %[[TOTAL]], %[[HOST]]
// CHECK:           arith.truncf %[[LOSS]]
// CHECK:           llvm.store

// CHECK-LABEL: gpu.func @dense_scalars_1(%arg0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>)
// CHECK:         llvm.load %arg2 {{.*}} : !llvm.ptr<1> -> i64

func.func @train(%context: !llvm.ptr, %step: i64, %n: f64) -> i32 attributes {rec.entry} {
  %one = arith.constant 1.0 : f64
  %sum = memref.alloc() {alignment = 64 : i64} : memref<f64>
  %loss = memref.alloc() {alignment = 64 : i64} : memref<f32>
  %total = memref.load %sum[] : memref<f64>
  %factor = arith.divf %one, %n : f64
  %mean = arith.mulf %total, %factor : f64
  %narrow = arith.truncf %mean : f64 to f32
  memref.store %narrow, %loss[] : memref<f32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

func.func @of_the_step(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %from = memref.alloc() {alignment = 64 : i64} : memref<f64>
  %to = memref.alloc() {alignment = 64 : i64} : memref<f64>
  %rate = arith.uitofp %step : i64 to f64
  %x = memref.load %from[] : memref<f64>
  %y = arith.mulf %x, %rate : f64
  memref.store %y, %to[] : memref<f64>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
