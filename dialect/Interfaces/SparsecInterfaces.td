//===- What a pass may ask of an op or an optimizer, instead of listing them ------------------------------------===//
#ifndef SPARSEC_INTERFACES
#define SPARSEC_INTERFACES

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::sparsec";
  let description = [{
    An op that knows its reverse mode. A collective's gradient is its adjoint: the op is a linear map on the product of
    all ranks, and the objective is the sum of the ranks' local losses, so nothing divides by a rank count.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the gradients of the operands from those of the results, at the builder's place. `resultGradients` holds
      one value for each result, null where no gradient arrives. The returned list holds one value for each operand,
      null where there is none (ids, counts, sizes). Values of the forward op may be used: the tail stands behind it.
    }], "::llvm::SmallVector<::mlir::Value>", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients)>
  ];
}

def BatchRoleOpInterface : OpInterface<"BatchRoleOpInterface"> {
  let cppNamespace = "::sparsec";
  let description = [{
    How an op's results depend on the samples of a batch. `perSample`: row i depends on row i of the operands alone, so
    each rank computes it for its own samples. `reduces`: a sum over samples of the batch divided by the batch size that
    is an operand of the op; under partition that operand becomes the global batch size.
  }];
  let methods = [
    InterfaceMethod<"The role.", "::sparsec::BatchRole", "getBatchRole">,
    InterfaceMethod<"The operand that is the batch size; only for `reduces`.", "::mlir::OpOperand *",
      "getBatchSizeOperand", (ins), [{}], [{ return nullptr; }]>
  ];
}

def ReplacedOpInterface : OpInterface<"ReplacedOpInterface"> {
  let cppNamespace = "::sparsec";
  let description = "An op that one stage replaces by others: behind that stage there is none (rec-check-stage).";
  let methods = [InterfaceMethod<"The name of the stage.", "::llvm::StringRef", "getReplacingStage">];
}

def LossOpInterface : OpInterface<"LossOpInterface"> {
  let cppNamespace = "::sparsec";
  let description = "A term of the objective. Names of methods are those of the op's operands and attributes.";
  let methods = [
    InterfaceMethod<"What is compared with the label.", "::mlir::Value", "getOutput">,
    InterfaceMethod<"The task whose loss this is; null if none is named.", "::mlir::FlatSymbolRefAttr", "getTaskAttr">,
    InterfaceMethod<"What `predict` gives where training saw `output`.", "::mlir::Value", "buildPrediction",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$output), [{}], [{ return output; }]>
  ];
}

def OptimizerAttrInterface : AttrInterface<"OptimizerAttrInterface"> {
  let cppNamespace = "::sparsec";
  let description = [{
    The one description of an optimizer: its state and its formula. Row kernels emit the formula over vectors,
    dense parameters over scalars; both through `emitUpdate`.
  }];
  let methods = [
    InterfaceMethod<"The rule's name in descriptions and checkpoints.", "::llvm::StringRef", "getRule">,
    InterfaceMethod<"Learning rate before the schedule's factor.", "double", "getLearningRate">,
    InterfaceMethod<"Every hyper-parameter by name, the learning rate first.",
      "::llvm::SmallVector<std::pair<::llvm::StringRef, double>>", "getHyperparameters">,
    InterfaceMethod<"State kept beside the weights, in the order of `emitUpdate`.",
      "::llvm::SmallVector<::sparsec::OptimizerState>", "getStates">,
    InterfaceMethod<"Whether the step needs the mean of squares over the table's whole row.", "bool", "needsRowNorm",
      (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether a row with zero gradient keeps weights and state as they are.", "bool",
      "isZeroGradientNoOp", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<[{
      Emits one step for elements of one row. `weight` and `gradient` are f32 or vectors of f32; a state is of the same
      type, or a scalar f32 where it is per row. `rowNorm` is mean(gradient^2) over the row (scalar) or null.
      `learningRate` (scalar f32, schedule applied) and `step` (i64, from 1) are run-time values. Returns the new
      weight followed by the new states.
    }], "::llvm::SmallVector<::mlir::Value>", "emitUpdate",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "const ::sparsec::UpdateInputs &":$inputs)>
  ];
}

#endif
