// RUN: sparsec-opt --rec-entry-abi --rec-lower-dense %s | FileCheck %s

rec.label @label.y {name = "y", reader = {}}
rec.task @task.t {name = "t", loss = #rec.loss<mse>, label = @label.y, weight = 1.0 : f64}
rec.feature @feature.x {name = "x", ids = 0 : i64, width = 4 : i64, bag_length = 1.0 : f64, zipf = 0.0 : f64, reader = {kind = "number"}}
rec.param @param.w {name = "w", type = tensor<8x4xf32>, init = #rec.init<"constant", 0.0 : f64>, optimizer = #rec.sgd<lr = 0.5 : f64>}
rec.schedule @schedule {warmup_steps = 10 : i64}

// CHECK-LABEL: func.func @train
func.func @train(%step: i64) attributes {rec.entry} {
  // CHECK: %[[SIZE:.+]] = llvm.call @sparsec_batch_size(%arg0)
  // CHECK: %[[MOST:.+]] = arith.constant 16 : index
  // CHECK: arith.minui %{{.+}}, %[[MOST]]
  %b = rec.batch_size {max = 16 : i64} : () -> index
  // CHECK: llvm.call @sparsec_input
  %x = rec.input %b {features = [@feature.x]} : (index) -> tensor<?x4xf32>
  // CHECK: llvm.call @sparsec_param
  %w = rec.get {param = @param.w} : () -> tensor<8x4xf32>
  // TRANSPOSE_B and RELU: 2 + 4.
  // CHECK: %[[FLAGS:.+]] = arith.constant 6 : i32
  // CHECK: llvm.call @sparsec_gemm(%arg0, %[[FLAGS]], {{.+}}) {sparsec.checked}
  %h = rec.linear %x, %w {activation = #rec.activation<relu>} : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  %lr = rec.learning_rate %step {schedule = @schedule} : (i64) -> f32
  %g = rec.matmul %h, %x {transpose_a} : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<8x4xf32>
  rec.apply %g, %lr, %step {param = @param.w} : (tensor<8x4xf32>, f32, i64) -> ()
  // The loss is passed by its place.
  // CHECK: %[[LOSS:.+]] = arith.constant 5.000000e-01 : f32
  // CHECK: %[[PLACE:.+]] = memref.alloc() {alignment = 64 : i64} : memref<f32>
  // CHECK: memref.store %[[LOSS]], %[[PLACE]][] : memref<f32>
  // CHECK: memref.extract_aligned_pointer_as_index %[[PLACE]]
  // CHECK: llvm.call @sparsec_report_loss(%arg0, %{{.+}}) {sparsec.checked} : (!llvm.ptr, !llvm.ptr) -> i32
  %loss = arith.constant 0.5 : f32
  rec.report %loss : (f32) -> ()
  // The update moves behind the output.
  // CHECK: llvm.call @sparsec_output
  // CHECK: linalg.generic
  // CHECK: arith.subf
  rec.output %h {task = @task.t} : (tensor<?x8xf32>) -> ()
  // CHECK-NOT: rec.
  // CHECK: return
  return
}
