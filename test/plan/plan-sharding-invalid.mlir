// RUN: sparsec-opt %s --rec-plan-sharding --split-input-file --verify-diagnostics

// expected-error @below {{3 ranks cannot form 2 groups}}
module attributes {rec.cluster = {name = "c", ranks = 3 : i64}, rec.order = {groups = 2 : i64}} {}

// -----

// expected-error @below {{the plan wants 2 groups of 3 shards, but there are 4 ranks}}
module attributes {rec.cluster = {name = "c", ranks = 4 : i64}, rec.order = {groups = 2 : i64, shards = 3 : i64}} {}

// -----

// expected-error @below {{4 ranks cannot form groups of 3}}
module attributes {rec.cluster = {name = "c", ranks = 4 : i64}, rec.order = {shards = 3 : i64}} {}

// -----

// expected-note @below {{the mesh has 1 group of 1 host x 2 ranks}}
module attributes {rec.cluster = {name = "c", ranks = 2 : i64}, rec.order = {groups = 1 : i64}} {
  // expected-error @below {{table `t` cannot be `table_wise`: expected a rank in [0, 2), but got 2}}
  rec.table @table.t {rec.order = {strategy = "table_wise", places = array<i64: 2>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
}

// -----

// expected-note @below {{the mesh has 1 group of 1 host x 2 ranks}}
module attributes {rec.cluster = {name = "c", ranks = 2 : i64}, rec.order = {groups = 1 : i64}} {
  // expected-error @below {{table `t` cannot be `column_wise`: the optimizer needs the norm of whole rows, which no rank has}}
  rec.table @table.t {rec.order = {strategy = "column_wise", places = array<i64: 0, 1>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.row_wise_adagrad<lr = 0.1 : f64, eps = 1.0e-8 : f64, start = 0.0 : f64>, rows = 10 : i64, update = #rec.update<touched>}
}

// -----

// expected-note @below {{the mesh has 1 group of 1 host x 2 ranks}}
module attributes {rec.cluster = {name = "c", ranks = 2 : i64}, rec.order = {groups = 1 : i64}} {
  // expected-error @below {{table `t` cannot be `column_wise`: 1 columns cannot be cut into 2 parts}}
  rec.table @table.t {rec.order = {strategy = "column_wise", places = array<i64: 0, 1>}, dim = 1 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
}

// -----

// expected-note @below {{all tables with their optimizer state need 18.63 GiB; 20 ranks hold that}}
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 4.66 GiB, but a rank of `small` has 953.67 MiB}}
  rec.table @table.t {dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 50000000 : i64, update = #rec.update<touched>}
}

// -----

// expected-note @below {{every one of 4 groups holds all tables (1.12 GiB); try --groups=2}}
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, memory = 1.0e9 : f64}, rec.order = {groups = 4 : i64}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 1.12 GiB, but a rank of `small` has 953.67 MiB}}
  rec.table @table.t {dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 3000000 : i64, update = #rec.update<touched>}
}

// -----

// A table that every rank must hold: no number of ranks helps, another strategy does.
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 1.12 GiB, but a rank of `small` has 953.67 MiB}}
  // expected-note @below {{leave its strategy open, or spread it with `row_wise`}}
  rec.table @table.t {rec.order = {strategy = "data_parallel"}, dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 3000000 : i64, update = #rec.update<touched>}
}

// -----

// Three of them, of which any two fit no rank.
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, memory = 1.0e9 : f64}} {
  rec.table @table.a {rec.order = {strategy = "data_parallel"}, dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "a", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1300000 : i64, update = #rec.update<touched>}
  // expected-error @below {{table `b` does not fit: the fullest rank would need 991.82 MiB, but a rank of `small` has 953.67 MiB}}
  // expected-note @below {{leave the strategies of all tables open}}
  rec.table @table.b {rec.order = {strategy = "data_parallel"}, dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1300000 : i64, update = #rec.update<touched>}
  rec.table @table.c {rec.order = {strategy = "data_parallel"}, dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "c", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 1300000 : i64, update = #rec.update<touched>}
}

// -----

// 10 ranks would hold that, but do not fill hosts.
// expected-note @below {{every one of 2 groups holds all tables (4.66 GiB); 12 ranks hold that}}
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, devices_per_host = 4 : i64, memory = 1.0e9 : f64}, rec.order = {groups = 2 : i64, groups_in_plan}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 2.33 GiB, but a rank of `small` has 953.67 MiB}}
  rec.table @table.t {dim = 125 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10000000 : i64, update = #rec.update<touched>}
}

// -----

// What a plan file says is changed there.
// expected-note @below {{every one of 4 groups holds all tables (1.12 GiB); order `groups: 2`}}
module attributes {rec.cluster = {name = "small", ranks = 4 : i64, memory = 1.0e9 : f64}, rec.order = {groups = 4 : i64, groups_in_plan}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 1.12 GiB, but a rank of `small` has 953.67 MiB}}
  rec.table @table.t {dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 3000000 : i64, update = #rec.update<touched>}
}

// -----

// There are no more machines.
// expected-note @below {{no number of ranks up to the 4 of `few` holds that, but ranks with 2 GiB would}}
module attributes {rec.cluster = {name = "few", ranks = 4 : i64, memory = 1.0e9 : f64}, rec.machines = {name = "few", ranks = 4 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 1.16 GiB, but a rank of `few` has 953.67 MiB}}
  rec.table @table.t {dim = 125 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10000000 : i64, update = #rec.update<touched>}
}

// -----

// Every rank has the dense parameters, so more ranks are no help.
// expected-note @below {{no number of ranks holds that, but ranks with 2 GiB would}}
module attributes {rec.cluster = {name = "small", ranks = 2 : i64, memory = 1.0e9 : f64}} {
  rec.param @param.b {init = #rec.init<"constant", 0.0 : f64>, name = "b", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<20000xf32>}
  // expected-error @below {{the dense parameters do not fit: with their optimizer state they take 1.49 GiB of each rank, and the fullest would need 1.49 GiB, but a rank of `small` has 953.67 MiB}}
  // expected-note @below {{every rank holds all of them, and `w` is 1.49 GiB; make layers smaller: 953.67 MiB would fit}}
  rec.param @param.w {init = #rec.init<"constant", 0.0 : f64>, name = "w", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<20000x20000xf32>}
  rec.table @table.t {dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
}

// -----

// They take most, but leave room for tables that are split.
// expected-note @below {{all tables with their optimizer state need 457.76 MiB; 2 ranks hold that}}
module attributes {rec.cluster = {name = "small", ranks = 1 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{the dense parameters do not fit: with their optimizer state they take 610.35 MiB of each rank, and the fullest would need 1.04 GiB, but a rank of `small` has 953.67 MiB}}
  // expected-note @below {{every rank holds all of them, and `w` is 610.35 MiB; make layers smaller: 495.91 MiB would fit}}
  rec.param @param.w {init = #rec.init<"constant", 0.0 : f64>, name = "w", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<16000x10000xf32>}
  rec.table @table.t {dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 30000000 : i64, update = #rec.update<touched>}
}

// -----

// The same beside a table that is ordered on every rank.
module attributes {rec.cluster = {name = "small", ranks = 2 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{the dense parameters do not fit}}
  // expected-note @below {{make layers smaller: 495.91 MiB would fit}}
  rec.param @param.w {init = #rec.init<"constant", 0.0 : f64>, name = "w", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<16000x10000xf32>}
  // expected-note @below {{table `t`: leave its strategy open, or spread it with `row_wise`}}
  rec.table @table.t {rec.order = {strategy = "data_parallel"}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 30000000 : i64, update = #rec.update<touched>}
}

// -----

// No layer is small enough beside a table that every rank must hold, and no other place of the table is enough.
// expected-note @below {{no number of ranks holds that, but ranks with 3 GiB would}}
module attributes {rec.cluster = {name = "small", ranks = 2 : i64, memory = 1.0e9 : f64}} {
  // expected-error @below {{the dense parameters do not fit: with their optimizer state they take 1.79 GiB of each rank, and the fullest would need 2.91 GiB, but a rank of `small` has 953.67 MiB}}
  // expected-note @below {{every rank holds all of them, and `w` is 1.79 GiB}}
  rec.param @param.w {init = #rec.init<"constant", 0.0 : f64>, name = "w", optimizer = #rec.sgd<lr = 0.1 : f64>, type = tensor<40000x12000xf32>}
  rec.table @table.t {rec.order = {strategy = "data_parallel"}, dim = 100 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 3000000 : i64, update = #rec.update<touched>}
}

// -----

// A batch of 100 samples has 4 columns of 4 bytes, and their gradients: 3200 bytes beside a table of 160.
// expected-note @below {{ranks share the batch; 4 ranks hold that}}
module attributes {rec.cluster = {name = "tiny", ranks = 1 : i64, memory = 1000.0 : f64}} {
  // expected-error @below {{a batch of 100 samples does not fit: its activations and their gradients take 3.12 KiB of each rank, and the fullest would need 3.28 KiB, but a rank of `tiny` has 1000 bytes}}
  // expected-note @below {{take a smaller batch: `batch_size: 26` fits}}
  rec.training {batch = 100 : i64, data = {}, epochs = 1 : i64, eval_batch = 8 : i64, fingerprint = "0", model = "m", seed = 1 : i64, shuffle_rows = 0 : i64}
  rec.feature @feature.f {bag_length = 1.0 : f64, ids = 10 : i64, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
  rec.table @table.t {dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %b = rec.batch_size {max = 100 : i64} : () -> index
    %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
    %h = rec.handle {table = @table.t} : () -> !rec.table<10x4>
    %e = rec.lookup %i, %h {name = "e", pooling = #rec.pooling<sum>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
    return
  }
}

// -----

// Small amounts are told in small units.
// expected-note @below {{no number of ranks up to the 2 of `tiny` holds that, but ranks with 1 GiB would}}
module attributes {rec.cluster = {name = "tiny", ranks = 2 : i64, memory = 1.0 : f64}, rec.machines = {name = "tiny", ranks = 2 : i64, memory = 1.0 : f64}} {
  // expected-error @below {{table `t` does not fit: the fullest rank would need 2.29 MiB, but a rank of `tiny` has 1 byte}}
  rec.table @table.t {dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 300000 : i64, update = #rec.update<touched>}
}

// -----

// What is ordered and cannot be kept is refused, never relaxed.
module attributes {rec.cluster = {name = "c", ranks = 2 : i64}, rec.order = {groups = 1 : i64}} {
  rec.feature @feature.f {bag_length = 3.0 : f64, ids = 10 : i64, multi_hot, name = "f", reader = {}, width = 1 : i64, zipf = 1.0 : f64}
  // expected-error @below {{table `t` cannot exchange pooled rows: `max` pools whole rows at home}}
  // expected-note @below {{write `exchange: UNIQUE_ROWS`, or leave it open}}
  rec.table @table.t {rec.order = {strategy = "table_wise", exchange = #rec.exchange<pooled>}, dim = 4 : i64, init = #rec.init<"constant", 0.0 : f64>, name = "t", optimizer = #rec.sgd<lr = 0.1 : f64>, rows = 10 : i64, update = #rec.update<touched>}
  func.func @train(%step: i64) attributes {rec.entry} {
    %b = rec.batch_size {max = 8 : i64} : () -> index
    %i = rec.ids %b {feature = @feature.f} : (index) -> !rec.jagged<1x1>
    %h = rec.handle {table = @table.t} : () -> !rec.table<10x4>
    %e = rec.lookup %i, %h {name = "e", pooling = #rec.pooling<max>} : (!rec.jagged<1x1>, !rec.table<10x4>) -> tensor<?x4xf32>
    return
  }
}
