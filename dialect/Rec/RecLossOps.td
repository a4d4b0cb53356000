//===- Losses ---------------------------------------------------------------------------------------------------===//
#ifndef SPARSEC_REC_LOSS
#define SPARSEC_REC_LOSS

include "dialect/Rec/RecDialect.td"

class Rec_LossOp<string mnemonic, string text> : Rec_Pure<mnemonic, [Differentiable, LossOpInterface, SymbolUser,
    DeclareOpInterfaceMethods<BatchRoleOpInterface, ["getBatchSizeOperand"]>]> {
  let summary = text;
  let description = [{
    The sum over my samples divided by `size`, the samples of the global batch after partition: the objective is the sum
    of the ranks' values. `task` says whose loss it is: `@eval` and `@predict` are derived by it.
    Constraints: output and label [batch, 1]; the task's loss is this op, its weight this weight.
  }];
  let arguments = (ins Rec_Matrix:$output, Rec_Matrix:$label, Index:$size, F64Attr:$weight,
    OptionalAttr<FlatSymbolRefAttr>:$task);
  let results = (outs F32:$loss);
  let hasVerifier = 1;
}
class Rec_LossGradOp<string mnemonic, string text> : Rec_Pure<mnemonic> {
  let summary = text;
  let description = "Constraints: output and label [batch, 1]; the gradient is like them.";
  let arguments = (ins Rec_Matrix:$output, Rec_Matrix:$label, Index:$size, F64Attr:$weight);
  let results = (outs Rec_Matrix:$gradient);
  let hasVerifier = 1;
}
def Rec_BceOp : Rec_LossOp<"bce", "binary cross entropy with logits, stable form: max(x,0) - x y + log(1 + exp(-|x|))"> {
  let extraClassDeclaration = [{ ::mlir::Value buildPrediction(::mlir::OpBuilder &builder, ::mlir::Value output); }];
}
def Rec_BceGradOp : Rec_LossGradOp<"bce_grad", "weight (sigmoid(x) - y) / size">;
def Rec_MseOp : Rec_LossOp<"mse", "squared error: (x - y)^2">;
def Rec_MseGradOp : Rec_LossGradOp<"mse_grad", "weight 2 (x - y) / size">;

#endif
