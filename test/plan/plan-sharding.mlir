// RUN: sparsec-opt %s --rec-plan-sharding --split-input-file | FileCheck %s

// One rank without a cluster: every table is simply there, and there is no mesh.
// CHECK-NOT: comm.mesh
// CHECK: rec.table @table.t
// CHECK-SAME: parts = [#rec.part<cols 0 + 4, axes[], ranks 0 + 1>]
// CHECK-SAME: strategy = "data_parallel"
rec.table @table.t {dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}

// -----

// Orders are kept; two hosts of two devices give the group a node axis. Blocks of rows on the ranks of host 1; columns
// over both hosts; the odd column goes to the first part.
// CHECK: comm.mesh @mesh {axes = ["node", "shard"], shape = array<i64: 2, 2>}
// CHECK: @table.a {{.*}}parts = [#rec.part<cols 0 + 5, axes["node", "shard"], ranks 2 + 2>]{{.*}}strategy = "table_row_wise"
// CHECK: @table.b {{.*}}parts = [#rec.part<cols 0 + 3, axes["node", "shard"], ranks 0 + 2>, #rec.part<cols 3 + 2, axes["node", "shard"], ranks 2 + 2>]{{.*}}strategy = "grid"
// CHECK: @table.c {{.*}}parts = [#rec.part<cols 0 + 5, axes["node", "shard"], ranks 0 + 4>]{{.*}}strategy = "row_wise"
// CHECK: @table.d {{.*}}exchange = #rec.exchange<unique>{{.*}}parts = [#rec.part<cols 0 + 5, axes["node", "shard"], ranks 3 + 1>]{{.*}}strategy = "table_wise"
module attributes {rec.cluster = {name = "two", ranks = 4 : i64, devices_per_host = 2 : i64}, rec.order = {groups = 1 : i64}} {
  rec.table @table.a {rec.order = {strategy = "table_row_wise", places = array<i64: 1>}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  rec.table @table.b {rec.order = {strategy = "grid", places = array<i64: 0, 1>}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  rec.table @table.c {rec.order = {strategy = "row_wise"}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "c", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  rec.table @table.d {rec.order = {strategy = "table_wise", places = array<i64: 3>, exchange = #rec.exchange<unique>}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "d", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
}

// -----

// Tables that belong together share one owner, wherever that is.
// CHECK: @table.a {{.*}}ranks [[OWNER:[0-9]]] + 1>
// CHECK: @table.b {{.*}}ranks [[OWNER]] + 1>
module attributes {rec.cluster = {name = "two", ranks = 2 : i64, devices_per_host = 2 : i64}, rec.order = {groups = 1 : i64}} {
  rec.table @table.a {rec.order = {strategy = "table_wise", together = 0 : i64}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  rec.table @table.b {rec.order = {strategy = "table_wise", together = 0 : i64}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 900 : i64, update = #rec.update<touched>}
}

// -----

// The place that is ordered for one of them holds for all, be it the smallest.
// CHECK: @table.a {{.*}}ranks 1 + 1>
// CHECK: @table.b {{.*}}ranks 1 + 1>
// CHECK: @table.c {{.*}}ranks 0 + 1>
module attributes {rec.cluster = {name = "two", ranks = 2 : i64, devices_per_host = 2 : i64}, rec.order = {groups = 1 : i64}} {
  rec.table @table.a {rec.order = {strategy = "table_wise", together = 0 : i64}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  rec.table @table.b {rec.order = {strategy = "table_wise", places = array<i64: 1>, together = 0 : i64}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  rec.table @table.c {rec.order = {strategy = "table_wise"}, dim = 5 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "c", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 900 : i64, update = #rec.update<touched>}
}

// -----

// A table of 4 GB that no rank of 3 GB holds is split; optimizer state counts.
// CHECK: @table.big
// CHECK-NOT: strategy = "data_parallel"
// CHECK-NOT: strategy = "table_wise"
// CHECK-SAME: update
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, devices_per_host = 4 : i64, memory = 3.0e9 : f64}} {
  rec.table @table.big {dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "big", optimizer = #rec.adagrad<lr = 0.1 : f64, eps = 1.0e-8 : f64, start = 0.0 : f64>, rows = 5000000 : i64, update = #rec.update<touched>}
}

// -----

// Blocks of rows on host 1: 4 ids for each owner, at 8 bytes, and 8 bags of 4 floats for the group. Owners send 8 bags
// inside their host, and pass on the sums of 4, gradients come back the same ways: 32/100 + 4 * 128/1000 + 2 * 64/100.
// Every rank gets 2 bags, and sends their gradients: 2 * 32/100.
// CHECK: module attributes
// CHECK-SAME: rec.predicted = {memory = {{.*}}, seconds = array<f64: 6.4{{0*}}e-01, 6.4{{0*}}e-01, 2.752{{.*}}, 2.752{{.*}}>
// CHECK: @table.a {{.*}}strategy = "table_row_wise"
module attributes {rec.cluster = {name = "two", ranks = 4 : i64, devices_per_host = 2 : i64, gather_rate = 1.0e30 : f64, inside_rate = 1.0e3 : f64, between_rate = 1.0e2 : f64}, rec.order = {groups = 1 : i64}} {
  rec.training {batch = 8 : i64, data = {}, epochs = 1 : i64, eval_batch = 8 : i64, fingerprint = "0", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
  rec.feature @feature.f {bag_length = 1.0 : f64, ids = 1000 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
  rec.table @table.a {rec.order = {strategy = "table_row_wise", places = array<i64: 1>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %b = rec.batch_size {max = 8 : i64} : () -> index
    %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
    %h = rec.handle {table = @table.a} : () -> !rec.table<1000x4>
    %e = rec.lookup %i, %h {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<1000x4>) -> tensor<?x4xf32>
    return
  }
}

// -----

// Layers of 4 samples a rank: 3 * 2 * 8 flops each, at 1000 a second. Values of 6 columns are written and read, and so are
// their gradients: 2 * 192 bytes; 32 bytes of weights are read and written. All at 1000 bytes a second, as are the two
// halves of weights that go to the other rank, in two messages of a second: 0.192 + 0.448 + 2.032.
// CHECK: module attributes
// CHECK-SAME: rec.predicted = {memory = {{.*}}, seconds = array<f64: 0.{{0*}}e+00, 0.{{0*}}e+00>, step = 2.672{{0*}}e+00 : f64}
module attributes {rec.cluster = {name = "two", ranks = 2 : i64, flop_rate = 1.0e3 : f64, copy_rate = 1.0e3 : f64, inside_rate = 1.0e3 : f64, inside_latency = 1.0 : f64}} {
  rec.training {batch = 8 : i64, data = {}, epochs = 1 : i64, eval_batch = 8 : i64, fingerprint = "0", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
  rec.feature @feature.d {bag_length = 0.0 : f64, ids = 0 : i64, name = "d", reader = {}, width = 2 : i64, zipf = 0.0 : f64}
  rec.param @param.w {init = #rec.init<"constant", 0.0 : f64>, name = "w", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<4x2xf32>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %b = rec.batch_size {max = 8 : i64} : () -> index
    %x = rec.input %b {features = [@feature.d]} : (index) -> tensor<?x2xf32>
    %w = rec.get {param = @param.w} : () -> tensor<4x2xf32>
    %y = rec.linear %x, %w {activation = #rec.activation<none>} : (tensor<?x2xf32>, tensor<4x2xf32>) -> tensor<?x4xf32>
    return
  }
}

// -----

// Two groups of a host each. The owner of a serves its host: 4 ids and 4 bags, (32 + 2 * 64)/1000, and an asker gets 2 of
// them, 64/1000. It gets the 4 rows of the owner in the other group, 4 * 24/100. Each rank gets 2 rows of b from 3 others,
// which are not all in its host: 6 * 24/100.
// CHECK: module attributes
// CHECK-SAME: seconds = array<f64: {{2.62(4|3999)[0-9]*(e.00)?}}, {{1.50(4|3999)[0-9]*(e.00)?}}>
module attributes {rec.cluster = {name = "c", ranks = 4 : i64, devices_per_host = 2 : i64, gather_rate = 1.0e30 : f64, inside_rate = 1.0e3 : f64, between_rate = 1.0e2 : f64}, rec.order = {groups = 2 : i64}} {
  rec.training {batch = 8 : i64, data = {}, epochs = 1 : i64, eval_batch = 8 : i64, fingerprint = "0", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
  rec.feature @feature.f {bag_length = 1.0 : f64, ids = 1000 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
  rec.table @table.a {rec.order = {strategy = "table_wise", places = array<i64: 0>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  rec.table @table.b {rec.order = {strategy = "data_parallel"}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %n = rec.batch_size {max = 8 : i64} : () -> index
    %i = rec.ids %n {feature = @feature.f} : (index) -> !rec.jagged<1x1>
    %a = rec.handle {table = @table.a} : () -> !rec.table<1000x4>
    %b = rec.handle {table = @table.b} : () -> !rec.table<1000x4>
    %e = rec.lookup %i, %a {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<1000x4>) -> tensor<?x4xf32>
    %f = rec.lookup %i, %b {name = "f", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<1000x4>) -> tensor<?x4xf32>
    return
  }
}

// -----

// The same in one host: updates of both tables take its links.
// CHECK: module attributes
// CHECK-SAME: seconds = array<f64: {{4.640*e-01|0.46(4|3999)[0-9]*}}, {{2.080*e-01|0.20(8|7999)[0-9]*}}>
module attributes {rec.cluster = {name = "c", ranks = 4 : i64, devices_per_host = 4 : i64, gather_rate = 1.0e30 : f64, inside_rate = 1.0e3 : f64, between_rate = 1.0e2 : f64}, rec.order = {groups = 2 : i64}} {
  rec.training {batch = 8 : i64, data = {}, epochs = 1 : i64, eval_batch = 8 : i64, fingerprint = "0", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
  rec.feature @feature.f {bag_length = 1.0 : f64, ids = 1000 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
  rec.table @table.a {rec.order = {strategy = "table_wise", places = array<i64: 0>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  rec.table @table.b {rec.order = {strategy = "data_parallel"}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1000 : i64, update = #rec.update<touched>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %n = rec.batch_size {max = 8 : i64} : () -> index
    %i = rec.ids %n {feature = @feature.f} : (index) -> !rec.jagged<1x1>
    %a = rec.handle {table = @table.a} : () -> !rec.table<1000x4>
    %b = rec.handle {table = @table.b} : () -> !rec.table<1000x4>
    %e = rec.lookup %i, %a {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<1000x4>) -> tensor<?x4xf32>
    %f = rec.lookup %i, %b {name = "f", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<1000x4>) -> tensor<?x4xf32>
    return
  }
}
