// RUN: sparsec-opt --rec-dense-kernels --split-input-file --verify-diagnostics %s

func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %a = memref.alloc() : memref<f32>
  // expected-error @+1 {{touches the device's memory on the host}}
  %x = memref.load %a[] : memref<f32>
  // expected-note @+1 {{used here; what is made of it must be stored, by straight-line code}}
  llvm.call @use(%x) : (f32) -> ()
  %ok = arith.constant 0 : i32
  return %ok : i32
}
llvm.func @use(f32)

// -----

func.func @train(%context: !llvm.ptr, %step: i64) -> i32 attributes {rec.entry} {
  %a = memref.alloc() : memref<f32>
  %b = memref.alloc() : memref<f32>
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected the number not to change before it is used, in a store}}
  %x = memref.load %a[] : memref<f32>
  memref.store %zero, %a[] : memref<f32>
  memref.store %x, %b[] : memref<f32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  // expected-error @+1 {{expected a sum: one result, and a body that adds a term to it}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<?x4xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %most = arith.maximumf %x, %y : f32
    linalg.yield %most : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i + j)>
func.func @train(%context: !llvm.ptr, %step: i64, %n: index) -> i32 attributes {rec.entry} {
  %a = memref.alloc() : memref<7xf32>
  %b = memref.alloc() : memref<4x4xf32>
  // expected-error @+1 {{expected buffers that are read by rows and columns, but got map affine_map<(d0, d1) -> (d0 + d1)>}}
  linalg.generic {indexing_maps = [#sum, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<7xf32>) outs(%b : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
