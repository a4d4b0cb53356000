// RUN: sparsec-opt --rec-entry-abi --rec-gemm-gradients --split-input-file %s | FileCheck %s

rec.label @label.y {name = "y", reader = {}}
rec.task @task.t {name = "t", loss = #rec.loss<mse>, label = @label.y, weight = 1.0 : f64}
rec.feature @feature.x {name = "x", ids = 0 : i64, width = 12 : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64, reader = {kind = "number"}}
rec.param @param.w {name = "w", type = tensor<8x4xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.5 : f64>}
rec.param @param.b {name = "b", type = tensor<8xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.5 : f64>}
rec.schedule @schedule {warmup_steps = 10 : i64}

// The gradient of a layer of eight units on four of a relu: one call back to these, one for the weight and the bias.
// CHECK-LABEL: func.func @train
func.func @train(%step: i64) attributes {rec.entry} {
  %n = rec.batch_size {max = 16 : i64} : () -> index
  %all = rec.input %n {features = [@feature.x]} : (index) -> tensor<?x12xf32>
  // CHECK: %[[G:.+]] = rec.slice %{{.+}} {{.*}} -> tensor<?x8xf32>
  %g = rec.slice %all {begin = 0 : i64} : (tensor<?x12xf32>) -> tensor<?x8xf32>
  // CHECK: %[[Y:.+]] = rec.slice %{{.+}} {{.*}} -> tensor<?x4xf32>
  %y = rec.slice %all {begin = 8 : i64} : (tensor<?x12xf32>) -> tensor<?x4xf32>
  // CHECK: %[[W:.+]] = rec.get
  %w = rec.get {param = @param.w} : () -> tensor<8x4xf32>
  // CHECK-NOT: rec.matmul
  %dx = rec.matmul %g, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>

  // TRANSPOSE_A and SUMS: 1 + 8.
  // CHECK: %[[SUMS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  // CHECK: %[[DW:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
  // CHECK: %[[FLAGS:.+]] = arith.constant 9 : i32
  // CHECK: bufferization.to_buffer %[[G]] read_only
  // CHECK: bufferization.to_buffer %[[Y]] read_only
  // CHECK: memref.extract_aligned_pointer_as_index %[[SUMS]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[DW]]
  // CHECK: llvm.call @sparsec_gemm(%arg0, %[[FLAGS]], {{.+}}) {sparsec.checked}
  // CHECK: %[[GW:.+]] = bufferization.to_tensor %[[DW]]
  // CHECK: %[[GB:.+]] = bufferization.to_tensor %[[SUMS]]
  // CHECK-NOT: rec.column_sum
  %gw = rec.matmul %g, %y {transpose_a} : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<8x4xf32>
  %gb = rec.column_sum %g : (tensor<?x8xf32>) -> tensor<8xf32>

  // RELU_GRADIENT: 16.
  // CHECK: %[[DZ:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?x4xf32>
  // CHECK: %[[FLAGS:.+]] = arith.constant 16 : i32
  // CHECK: bufferization.to_buffer %[[G]] read_only
  // CHECK: bufferization.to_buffer %[[W]] read_only
  // CHECK: bufferization.to_buffer %[[Y]] read_only
  // CHECK: llvm.call @sparsec_gemm(%arg0, %[[FLAGS]], {{.+}}) {sparsec.checked}
  // CHECK: %[[GZ:.+]] = bufferization.to_tensor %[[DZ]]
  // CHECK-NOT: rec.activate_grad
  %dz = rec.activate_grad %dx, %y {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>

  %lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
  // CHECK: rec.apply %[[GW]]
  rec.apply %gw, %lr, %step {param = @param.w} : (tensor<8x4xf32>, f32, i64) -> ()
  // CHECK: rec.apply %[[GB]]
  rec.apply %gb, %lr, %step {param = @param.b} : (tensor<8xf32>, f32, i64) -> ()
  // CHECK: rec.output %[[GZ]]
  rec.output %dz {task = @task.t} : (tensor<?x4xf32>) -> ()
  return
}

// -----

rec.label @label.y {name = "y", reader = {}}
rec.task @task.t {name = "t", loss = #rec.loss<mse>, label = @label.y, weight = 1.0 : f64}
rec.feature @feature.x {name = "x", ids = 0 : i64, width = 4 : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64, reader = {kind = "number"}}
rec.param @param.w {name = "w", type = tensor<4x4xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.5 : f64>}
rec.param @param.one {name = "one", type = tensor<1x4xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.5 : f64>}

// What stays: a product of one number each, one that something else wants, too, another activation, a sum of something
// else than the product's left side.
// CHECK-LABEL: func.func @train
// CHECK-NOT: llvm.call @sparsec_gemm
// CHECK-COUNT-4: rec.matmul
// CHECK: rec.column_sum
func.func @train(%step: i64) attributes {rec.entry} {
  %n = rec.batch_size {max = 16 : i64} : () -> index
  %x = rec.input %n {features = [@feature.x]} : (index) -> tensor<?x4xf32>
  %w = rec.get {param = @param.w} : () -> tensor<4x4xf32>
  %one = rec.get {param = @param.one} : () -> tensor<1x4xf32>
  %g = rec.row_sum %x : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %a = rec.matmul %g, %one : (tensor<?x1xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %ag = rec.activate_grad %a, %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = rec.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %bg = rec.activate_grad %b, %x {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %c = rec.matmul %bg, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %cg = rec.activate_grad %c, %x {activation = #rec.activation<sigmoid>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %gw = rec.matmul %ag, %x {transpose_a} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  %s = rec.column_sum %x : (tensor<?x4xf32>) -> tensor<4xf32>
  rec.output %b {task = @task.t} : (tensor<?x4xf32>) -> ()
  rec.output %cg {task = @task.t} : (tensor<?x4xf32>) -> ()
  return
}
