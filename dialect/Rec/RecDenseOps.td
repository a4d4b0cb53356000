//===- Dense layers and the pieces their gradients are made of --------------------------------------------------===//
// Everything here is per sample but `matmul` with a transposed left side and `column_sum`, which only gradients use.
#ifndef SPARSEC_REC_DENSE
#define SPARSEC_REC_DENSE

include "dialect/Rec/RecDialect.td"

class Rec_Layer<string mnemonic, list<Trait> traits = []>
  : Rec_Pure<mnemonic, !listconcat([PerSample, Differentiable], traits)> { let hasVerifier = 1; }

def Rec_LinearOp : Rec_Layer<"linear"> {
  let summary = "activation(x w^T + b)";
  let description = [{
    Constraints: x [batch, in], weight [units, in], bias [units] if there is one; result [batch, units].
    ```mlir
    %h = rec.linear %x, %w, %b {activation = #rec.activation<relu>}
       : (tensor<?x2xf32>, tensor<4x2xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Rec_Matrix:$x, Rec_Matrix:$weight, Optional<Rec_Vector>:$bias, Rec_Activation:$activation);
  let results = (outs Rec_Matrix:$y);
}
def Rec_MatmulOp : Rec_Pure<"matmul"> {
  let summary = "op(a) op(b): the gradients of `linear`";
  let description = "Constraints: inner extents agree. With `transpose_a` it sums over the batch.";
  let arguments = (ins Rec_Matrix:$a, Rec_Matrix:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Rec_Matrix:$c);
  let hasVerifier = 1;
}
def Rec_ColumnSumOp : Rec_Pure<"column_sum"> {
  let summary = "sum over the batch: [batch, n] to [n]";
  let arguments = (ins Rec_Matrix:$x);
  let results = (outs Rec_Vector:$sum);
  let hasVerifier = 1;
}
def Rec_ActivateOp : Rec_Layer<"activate", [SameOperandsAndResultType]> {
  let summary = "an activation, element by element";
  let arguments = (ins Rec_Matrix:$x, Rec_Activation:$activation);
  let results = (outs Rec_Matrix:$y);
}
def Rec_ActivateGradOp : Rec_Pure<"activate_grad", [SameOperandsAndResultType]> {
  let summary = "gradient before an activation, from the gradient behind it and its output y";
  let description = "relu: g where y > 0; sigmoid: g y (1 - y); tanh: g (1 - y^2).";
  let arguments = (ins Rec_Matrix:$gradient, Rec_Matrix:$y, Rec_Activation:$activation);
  let results = (outs Rec_Matrix:$result);
}
def Rec_AddOp : Rec_Layer<"add", [SameOperandsAndResultType]> {
  let summary = "sum of tensors of one shape, in order";
  let arguments = (ins Variadic<Rec_Floats>:$inputs);
  let results = (outs Rec_Floats:$sum);
}
def Rec_SubtractOp : Rec_Layer<"subtract", [SameOperandsAndResultType]> {
  let summary = "left - right";
  let arguments = (ins Rec_Matrix:$left, Rec_Matrix:$right);
  let results = (outs Rec_Matrix:$difference);
}
def Rec_MultiplyOp : Rec_Layer<"multiply", [SameOperandsAndResultType]> {
  let summary = "element-wise product of tensors of one shape, in order";
  let arguments = (ins Variadic<Rec_Matrix>:$inputs);
  let results = (outs Rec_Matrix:$product);
}
def Rec_ScaleOp : Rec_Layer<"scale", [SameOperandsAndResultType]> {
  let summary = "x times a constant";
  let arguments = (ins Rec_Matrix:$x, F64Attr:$factor);
  let results = (outs Rec_Matrix:$y);
}
def Rec_RowSumOp : Rec_Layer<"row_sum"> {
  let summary = "sum over the columns: [batch, n] to [batch, 1]";
  let arguments = (ins Rec_Matrix:$x);
  let results = (outs Rec_Matrix:$sum);
}
def Rec_BroadcastColumnsOp : Rec_Layer<"broadcast_columns"> {
  let summary = "[batch, 1] to [batch, n]: the gradient of row_sum";
  let arguments = (ins Rec_Matrix:$x);
  let results = (outs Rec_Matrix:$y);
}
def Rec_ConcatOp : Rec_Layer<"concat"> {
  let summary = "matrices side by side";
  let description = "Constraints: the widths of the inputs add up to that of the result.";
  let arguments = (ins Variadic<Rec_Matrix>:$inputs);
  let results = (outs Rec_Matrix:$result);
}
def Rec_SliceOp : Rec_Layer<"slice"> {
  let summary = "columns [begin, begin + width of the result)";
  let arguments = (ins Rec_Matrix:$x, I64Attr:$begin);
  let results = (outs Rec_Matrix:$y);
}
def Rec_PadColumnsOp : Rec_Layer<"pad_columns"> {
  let summary = "x from column `begin` of the result on, zeros around it: the gradient of slice";
  let arguments = (ins Rec_Matrix:$x, I64Attr:$begin);
  let results = (outs Rec_Matrix:$y);
}
def Rec_DropoutOp : Rec_Layer<"dropout", [AllTypesMatch<["x", "y"]>]> {
  let summary = "zero with probability `rate`, else x / (1 - rate)";
  let description = [{
    The decision for (sample, column) is Philox4x32-10 keyed by (seed, stream), indexed by (step, first + sample,
    column): the same on every rank count. Linear in x and its own adjoint.
  }];
  let arguments = (ins Rec_Matrix:$x, I64:$first, I64:$step, F64Attr:$rate, StrAttr:$stream, I64Attr:$seed);
  let results = (outs Rec_Matrix:$y);
}
def Rec_DotInteractionOp : Rec_Layer<"dot_interaction"> {
  let summary = "inner products of all pairs: (1,0) (2,0) (2,1) (3,0) ...";
  let description = [{
    With `self`, (i,i) follows the pairs of its i. Constraints: inputs of one type [batch, d]; result
    [batch, n (n-1) / 2], or n (n+1) / 2 with `self`.
  }];
  let arguments = (ins Variadic<Rec_Matrix>:$inputs, UnitAttr:$self);
  let results = (outs Rec_Matrix:$pairs);
}
def Rec_DotInteractionGradOp : Rec_Pure<"dot_interaction_grad"> {
  let summary = "gradients of all inputs of dot_interaction";
  let description = "Constraints: as of dot_interaction, with `gradient` in place of its result; results like the inputs.";
  let arguments = (ins Rec_Matrix:$gradient, Variadic<Rec_Matrix>:$inputs, UnitAttr:$self);
  let results = (outs Variadic<Rec_Matrix>:$results);
  let hasVerifier = 1;
}

#endif
