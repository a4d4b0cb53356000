// RUN: sparsec-opt %s --pass-pipeline="builtin.module(func.func(rec-fuse-updates))" | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK-SAME:  %[[A:.*]]: !rec.table<10x4>, %[[B:.*]]: !rec.table<7x2>, %[[RA:.*]]: !rec.rows<4>, %[[RB:.*]]: !rec.rows<2>
// CHECK:       rec.apply_rows %[[A]], %[[B]] by %[[RA]], %[[RB]] at
// CHECK-NOT:   rec.apply_rows
func.func @update(%a: !rec.table<10x4>, %b: !rec.table<7x2>, %ra: !rec.rows<4>, %rb: !rec.rows<2>, %lr: f32, %step: i64) {
  rec.apply_rows %a by %ra at %lr, %step, %lr : !rec.table<10x4> by !rec.rows<4>
  rec.apply_rows %b by %rb at %lr, %step, %lr : !rec.table<7x2> by !rec.rows<2>
  return
}

// Another scale is another update.
// CHECK-LABEL: func.func @scales
// CHECK-COUNT-2: rec.apply_rows
func.func @scales(%a: !rec.table<10x4>, %b: !rec.table<7x2>, %ra: !rec.rows<4>, %rb: !rec.rows<2>, %lr: f32, %m: f32, %step: i64) {
  rec.apply_rows %a by %ra at %lr, %step, %lr : !rec.table<10x4> by !rec.rows<4>
  rec.apply_rows %b by %rb at %lr, %step, %m : !rec.table<7x2> by !rec.rows<2>
  return
}
