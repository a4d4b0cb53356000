//===- Lookups: the user's, and the pieces that partition makes of them -----------------------------------------===//
#ifndef SPARSEC_REC_EMBEDDING
#define SPARSEC_REC_EMBEDDING

include "dialect/Rec/RecAttrs.td"

def Rec_LookupOp : Rec_Pure<"lookup", [Replaced]> {
  let summary = "pooled rows of a table, one for each bag: what the description's `lookup` says";
  let description = [{
    Whole-program view; partition replaces it. An empty bag is the zero vector. `mean` divides by the bag's original
    count, or by the sum of its weights. Constraints: the ids are one feature's; result [batch, dim].
  }];
  let arguments = (ins Rec_Jagged:$ids, Rec_Table:$table, StrAttr:$name, Rec_Pooling:$pooling);
  let results = (outs Rec_Matrix:$rows);
  let hasVerifier = 1;
}

//===- local: every rank of the group has the table ------------------------------------------------------------===//

def Rec_LookupLocalOp : Rec_Pure<"lookup_local", [Differentiable, AttrSizedOperandSegments]> {
  let summary = "sum-pooled rows of tables this rank has whole; many lookups in one op";
  let description = [{
    Lookup i reads bags ids[i] from tables[table_of[i]]. Results are [bags, dim].
    Constraints: as many ids, `table_of` and results; each result is as wide as the table.
    ```mlir
    %e0, %e1 = rec.lookup_local %c0, %c1 from %h0 {table_of = array<i64: 0, 0>}
      : !rec.jagged<1x1>, !rec.jagged<1x1> from !rec.table<9x4> -> tensor<?x4xf32>, tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Rec_Jagged>:$ids, Variadic<Rec_Table>:$tables, DenseI64ArrayAttr:$table_of);
  let results = (outs Variadic<Rec_Matrix>:$rows);
  let assemblyFormat = "$ids `from` $tables attr-dict `:` type($ids) `from` type($tables) `->` type($rows)";
  let hasVerifier = 1;
}
def Rec_RowGradientsLocalOp : Rec_Pure<"row_gradients_local", [AttrSizedOperandSegments]> {
  let summary = "gradients of a table's rows, from those of its local lookups; nothing is summed yet";
  let description = "Constraints: as many ids as gradients; the ids are one feature's; gradients and rows of one width.";
  let arguments = (ins Variadic<Rec_Jagged>:$ids, Variadic<Rec_Matrix>:$gradients, FlatSymbolRefAttr:$table);
  let results = (outs Rec_Rows:$rows);
  let assemblyFormat = "$ids `with` $gradients attr-dict `:` type($ids) `with` type($gradients) `->` qualified(type($rows))";
  let hasVerifier = 1;
}

//===- exchanged: parts of tables, each with its owners --------------------------------------------------------===//
// `items` says for every part of every lookup of the exchange who gets its ids; a rank's own items are those it owns.
// Rows go back from owner to asker at once or, `in_node`, in the two steps of `rec.node_counts`.

def Rec_RouteOp : Rec_Pure<"route"> {
  let summary = "ids to the owners of their rows: [destination][item of the destination][bag][position]";
  let description = [{
    Lookup l of `items` is operand l. Nothing is sent: the result is what `comm.all_to_all` takes. A part with several
    owners splits a bag by row; one with one owner gets the bag whole.
    ```mlir
    %r = rec.route %c1, %c2 {axes = ["shard"], items = [#rec.item<0, @table.t1, 0>, #rec.item<1, @table.t2, 0>]}
      : (!rec.jagged<1x1>, !rec.jagged<1x1>) -> !rec.jagged<2x?>
    ```
  }];
  let arguments = (ins Variadic<Rec_Jagged>:$ids, Rec_Items:$items, StrArrayAttr:$axes);
  let results = (outs Rec_Jagged:$routed);
  let hasVerifier = 1;
}
def Rec_ExchangeCountsOp : Rec_Pure<"exchange_counts"> {
  let summary = "floats that travel with each rank when pooled rows go back; no message";
  let description = [{
    `to_asker`: rows of the bags others routed to me; `from_owner`: rows of the bags I routed.
    Constraints: bags of one type.
  }];
  let arguments = (ins Rec_Jagged:$routed, Rec_Jagged:$received, Rec_Items:$items, StrArrayAttr:$axes);
  let results = (outs Rec_Counts:$to_asker, Rec_Counts:$from_owner);
  let hasVerifier = 1;
}
def Rec_LookupServedOp : Rec_Pure<"lookup_served", [Differentiable]> {
  let summary = "sum-pooled rows of every item this rank owns, for all who asked";
  let description = [{
    Result, flat: [source][my item][bag][column of the item's part]; `in_node`: sources by shard, then by node.
    Constraints: `in_node` with axes `node` and `shard` alone.
  }];
  let arguments = (ins Rec_Jagged:$received, Variadic<Rec_Table>:$tables, Rec_Items:$items, StrArrayAttr:$axes,
    UnitAttr:$in_node);
  let results = (outs Rec_Vector:$rows);
  let hasVerifier = 1;
}
def Rec_RowGradientsServedOp : Rec_Pure<"row_gradients_served"> {
  let summary = "gradients of one table's rows, from those of the rows this rank served";
  let description = "`gradient` and constraints: as the result of `rec.lookup_served`.";
  let arguments = (ins Rec_Jagged:$received, Rec_Vector:$gradient, Rec_Items:$items, StrArrayAttr:$axes,
    FlatSymbolRefAttr:$table, UnitAttr:$in_node);
  let results = (outs Rec_Rows:$rows);
  let hasVerifier = 1;
}
def Rec_CombineSourcesOp : Rec_Pure<"combine_sources", [Differentiable]> {
  let summary = "pooled rows of each lookup, from what the owners sent: columns put in order, sums in rank order";
  let description = [{
    `rows`, flat: [owner][item of the owner][bag][column]; `in_node`: the nodes' sums, [node][item of it][bag][column].
    Result l: [bags of lookup l, dim]. Constraints: `in_node` with axes `node` and `shard` alone.
  }];
  let arguments = (ins Rec_Vector:$rows, Rec_Jagged:$routed, Variadic<Rec_Jagged>:$ids, Rec_Items:$items, StrArrayAttr:$axes,
    UnitAttr:$in_node);
  let results = (outs Variadic<Rec_Matrix>:$pooled);
  let hasVerifier = 1;
}
def Rec_SpreadSourcesOp : Rec_Pure<"spread_sources"> {
  let summary = "the adjoint of combine_sources: every owner, or node, gets its columns of every bag";
  let description = "Result and constraints: as `rows` of `rec.combine_sources`.";
  let arguments = (ins Variadic<Rec_Matrix>:$gradients, Rec_Jagged:$routed, Rec_Items:$items, StrArrayAttr:$axes,
    UnitAttr:$in_node);
  let results = (outs Rec_Vector:$rows);
  let hasVerifier = 1;
}
def Rec_JoinRowsOp : Rec_Pure<"join_rows"> {
  let summary = "row gradients one after another: a table read in several places";
  let description = "Constraints: one list or more, all of the result's type.";
  let arguments = (ins Variadic<Rec_Rows>:$inputs);
  let results = (outs Rec_Rows:$rows);
  let hasVerifier = 1;
}

//===- exchanged in two steps: parts whose owners are the ranks of one node -------------------------------------===//

def Rec_NodeCountsOp : Rec_Pure<"node_counts"> {
  let summary = "floats that travel inside nodes and between them when pooled rows go back in two steps; no message";
  let description = [{
    Partial sums of blocks of rows meet in the node that holds them all, and only their sum leaves it. What asker
    (n, s), rank s of node n, gets from node m goes from each owner (m, j) to (m, s), over `shard`; (m, s) adds it up
    and sends the sums to (n, s), over `node`. Gradients come the same ways back. All ranks of a node own the same items
    and have the lengths of all their bags, so the counts of the direct way say how much travels.

    `inside_send`, `inside_receive`: with each rank of my node; `across_send`, `across_receive`: with the rank of my
    place in each node. Constraints: axes `node` and `shard`.
    ```mlir
    %is, %ir, %as, %ar = rec.node_counts %to, %from {axes = ["node", "shard"]} : (tensor<4xindex>, tensor<4xindex>)
      -> (tensor<2xindex>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>)
    ```
  }];
  let arguments = (ins Rec_Counts:$to_asker, Rec_Counts:$from_owner, StrArrayAttr:$axes);
  let results = (outs Rec_Counts:$inside_send, Rec_Counts:$inside_receive, Rec_Counts:$across_send,
    Rec_Counts:$across_receive);
  let hasVerifier = 1;
}
def Rec_SumInNodeOp : Rec_Pure<"sum_in_node", [Differentiable]> {
  let summary = "sums of what the ranks of this node pooled, in rank order, for the askers of my place in their node";
  let description = [{
    `rows`, flat: [owner][node of the asker][my item][bag][column]; the result is one such list without owners.
    Constraints: axes `node` and `shard`.
    ```mlir
    %s = rec.sum_in_node %p, %q {axes = ["node", "shard"], items = [#rec.item<0, @table.t, 0>]}
      : (tensor<?xf32>, !rec.jagged<4x?>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Rec_Vector:$rows, Rec_Jagged:$received, Rec_Items:$items, StrArrayAttr:$axes);
  let results = (outs Rec_Vector:$sums);
  let hasVerifier = 1;
}
def Rec_CopyInNodeOp : Rec_Pure<"copy_in_node"> {
  let summary = "the adjoint of sum_in_node: every rank of this node gets the gradient of the sums";
  let description = [{
    Constraints: axes `node` and `shard`.
    ```mlir
    %c = rec.copy_in_node %g {axes = ["node", "shard"]} : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Rec_Vector:$gradient, StrArrayAttr:$axes);
  let results = (outs Rec_Vector:$rows);
  let hasVerifier = 1;
}

//===- pooling at home -----------------------------------------------------------------------------------------===//

def Rec_BagScaleOp : Rec_Pure<"bag_scale"> {
  let summary = "1 / max(original count, 1) of each bag, or 1 / sum of weights (0 where that is 0)";
  let description = "Constraints: the ids are one feature's.";
  let arguments = (ins Rec_Jagged:$ids);
  let results = (outs Rec_Vector:$scale);
  let hasVerifier = 1;
}
def Rec_ScaleBagsOp : Rec_Pure<"scale_bags", [PerSample, Differentiable, AllTypesMatch<["rows", "result"]>]> {
  let summary = "each row times its bag's scale: what makes a mean of a sum";
  let arguments = (ins Rec_Matrix:$rows, Rec_Vector:$scale);
  let results = (outs Rec_Matrix:$result);
}
def Rec_UniqueOp : Rec_Pure<"unique"> {
  let summary = "distinct ids, ascending, a bag each; and the bags again, with places among them instead of ids";
  let description = "Constraints: the ids are one feature's; results of their type.";
  let arguments = (ins Rec_Jagged:$ids);
  let results = (outs Rec_Jagged:$unique, Rec_Jagged:$at);
  let hasVerifier = 1;
}
def Rec_PoolRowsOp : Rec_Pure<"pool_rows", [Differentiable]> {
  let summary = "bags of rows that are here: max by component, or weighted sum";
  let description = [{
    `at` holds places in `rows`. Under `max` ties go to the earliest position and only it gets the gradient; an id of
    policy `zero` is a zero row that can win; an empty bag is zero.
    Constraints: sum or max; rows and result of one width; the bags are one feature's.
  }];
  let arguments = (ins Rec_Matrix:$rows, Rec_Jagged:$at, Rec_Pooling:$pooling);
  let results = (outs Rec_Matrix:$pooled);
  let hasVerifier = 1;
}
def Rec_PoolRowsGradOp : Rec_Pure<"pool_rows_grad"> {
  let summary = "gradient of the rows of pool_rows";
  let description = "Constraints: as of pool_rows, with `gradient` in place of its result; result like `rows`.";
  let arguments = (ins Rec_Matrix:$gradient, Rec_Matrix:$rows, Rec_Jagged:$at, Rec_Pooling:$pooling);
  let results = (outs Rec_Matrix:$result);
  let hasVerifier = 1;
}

#endif
