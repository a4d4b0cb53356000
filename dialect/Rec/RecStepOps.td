//===- The batch, parameters, updates, results: where a step touches the world ----------------------------------===//
#ifndef SPARSEC_REC_STEP
#define SPARSEC_REC_STEP

include "dialect/Rec/RecSymbolOps.td"

def Rec_BatchSizeOp : Rec_Pure<"batch_size", [ReadsBatch]> {
  let summary = "samples of this batch that are mine: 0 to `max`";
  let description = "Constraints: `max` >= 1.";
  let arguments = (ins I64Attr:$max);
  let results = (outs Index:$size);
  let hasVerifier = 1;
}
def Rec_BatchStatusOp : Rec_Pure<"batch_status", [ReadsBatch]> {
  let summary = "0, or: reading my samples failed";
  let results = (outs I64:$status);
}
def Rec_FirstSampleOp : Rec_Pure<"first_sample", [ReadsBatch]> {
  let summary = "place of my first sample in the global batch: what random numbers are indexed by";
  let results = (outs I64:$first);
}
def Rec_InputOp : Rec_User<"input", [Pure, ReadsBatch]> {
  let summary = "number features of the batch, side by side";
  let description = "Constraints: the features are numbers, their widths add up to the columns of the result.";
  let arguments = (ins Index:$size, TypedArrayAttrBase<FlatSymbolRefAttr, "features">:$features);
  let results = (outs Rec_Matrix:$values);
}
def Rec_LabelsOp : Rec_User<"labels", [Pure, ReadsBatch]> {
  let summary = "a label of the batch, [samples, 1]";
  let description = "Constraints: one column.";
  let arguments = (ins Index:$size, FlatSymbolRefAttr:$label);
  let results = (outs Rec_Matrix:$values);
}
def Rec_IdsOp : Rec_User<"ids", [Pure, ReadsBatch]> {
  let summary = "the bags of a feature, policies applied and checked by the reader";
  let description = "Constraints: the feature makes ids; the result is one feature's.";
  let arguments = (ins Index:$size, FlatSymbolRefAttr:$feature);
  let results = (outs Rec_Jagged:$ids);
}
def Rec_HandOverOp : Rec_Op<"hand_over"> {
  let summary = "what an input entry leaves for the entry it serves";
  let description = [{
    An input entry runs one batch ahead, on the host, over messages of its own; it touches no table. What it found is
    there when the step of that batch runs, and until that ends.
    ```mlir
    func.func @train_input(%step: i64) attributes {rec.entry} {
      ...
      rec.hand_over %total, %received : (index, !rec.jagged<2x?>) -> ()
      return
    }
    ```
    Constraints: the only one of its function.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Index, Rec_Jagged]>>:$values);
  let hasVerifier = 1;
}
def Rec_TakeOverOp : Rec_User<"take_over", [Pure]> {
  let summary = "what the input entry of this batch handed over";
  let description = [{
    ```mlir
    %total, %received = rec.take_over {from = @train_input} : () -> (index, !rec.jagged<2x?>)
    ```
    Constraints: `from` is a function with a `rec.hand_over`, whose operands have the types of the results.
  }];
  let arguments = (ins FlatSymbolRefAttr:$from);
  let results = (outs Variadic<AnyTypeOf<[Index, Rec_Jagged]>>:$values);
  let extraClassDeclaration = [{
    /// The other half; null if there is none.
    HandOverOp getHandOver();
  }];
}
def Rec_HandleOp : Rec_User<"handle", [Pure]> {
  let summary = "a reference to a table";
  let description = "Constraints: the type has the table's rows and dim.";
  let arguments = (ins FlatSymbolRefAttr:$table);
  let results = (outs Rec_Table:$handle);
}
def Rec_GetOp : Rec_User<"get", [MemoryEffects<[MemRead]>]> {
  let summary = "the value of a dense parameter, before this step's update";
  let description = "Constraints: the result has the parameter's type.";
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs Rec_Floats:$value);
}
def Rec_MinimizeOp : Rec_User<"minimize", [Replaced]> {
  let summary = "train on the sum of these losses: replaced by differentiate with gradients and updates";
  let arguments = (ins Variadic<F32>:$losses, I64:$step, FlatSymbolRefAttr:$schedule);
}
def Rec_ReportOp : Rec_Op<"report"> {
  let summary = "the loss of the global batch; if it is not finite every rank stops here, before any update";
  let arguments = (ins F32:$loss);
}
def Rec_OutputOp : Rec_User<"output"> {
  let summary = "what a task computed for my samples, to metrics or to predictions";
  let arguments = (ins Rec_Matrix:$values, FlatSymbolRefAttr:$task);
}
def Rec_LearningRateOp : Rec_User<"learning_rate", [Pure]> {
  let summary = "the schedule's factor at a step";
  let arguments = (ins I64:$step, FlatSymbolRefAttr:$schedule);
  let results = (outs F32:$factor);
}
def Rec_ApplyOp : Rec_User<"apply"> {
  let summary = "one optimizer step of a dense parameter, in place";
  let description = "Constraints: the gradient has the parameter's type.";
  let arguments = (ins Rec_Floats:$gradient, F32:$factor, I64:$step, FlatSymbolRefAttr:$param);
}
def Rec_ApplyRowsOp : Rec_Op<"apply_rows", [AttrSizedOperandSegments]> {
  let summary = "one optimizer step of the touched rows of tables; duplicates are summed first";
  let description = [{
    One table for each list of rows; each table's optimizer is read from its symbol. One sort serves all tables of the
    op. `scale` multiplies every gradient (the group count under weight synchronisation, else 1).
    Constraints: as many handles as rows; equal dims.
  }];
  let arguments = (ins Variadic<Rec_Table>:$tables, Variadic<Rec_Rows>:$rows, F32:$factor, I64:$step, F32:$scale);
  let assemblyFormat = "$tables `by` $rows `at` $factor `,` $step `,` $scale attr-dict `:` type($tables) `by` type($rows)";
  let hasVerifier = 1;
}

#endif
