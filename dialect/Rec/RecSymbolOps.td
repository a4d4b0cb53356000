//===- Symbols: what the model is made of -----------------------------------------------------------------------===//
#ifndef SPARSEC_REC_SYMBOLS
#define SPARSEC_REC_SYMBOLS

include "dialect/Rec/RecAttrs.td"

class Rec_SymbolOp<string mnemonic, list<Trait> traits = []> : Op<Rec_Dialect, mnemonic, !listconcat([Symbol], traits)> {
  let assemblyFormat = "$sym_name attr-dict";
}

def Rec_FeatureOp : Rec_SymbolOp<"feature"> {
  let summary = "a column of the data and the rule that makes numbers or ids of it";
  let description = [{
    `ids` is 0 for a number. `reader` holds what the reader needs (transform, separators, policies), under the field
    names of the runtime's FeatureColumn; no pass looks into it. `bag_length` and `zipf` are hints for the planner.

    Constraints: `width` >= 1; `ids` >= 0; `bag_length` >= 0.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name, I64Attr:$ids, I64Attr:$width, UnitAttr:$multi_hot,
    F64Attr:$bag_length, F64Attr:$zipf, DictionaryAttr:$reader);
  let hasVerifier = 1;
}
def Rec_LabelOp : Rec_SymbolOp<"label"> {
  let summary = "a column to learn";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name, DictionaryAttr:$reader);
}
def Rec_TableOp : Rec_SymbolOp<"table"> {
  let summary = "an embedding table";
  let description = [{
    `parts`, `strategy` and `exchange` are absent until the plan stage. Constraints: rows in [1, 2^40]; dim >= 1; the
    parts cover columns [0, dim) in order; `init` has rows x dim values if it lists values; every axis exists in the mesh.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name, I64Attr:$rows, I64Attr:$dim, Rec_Init:$init,
    OptimizerAttrInterface:$optimizer, Rec_Update:$update,
    OptionalAttr<TypedArrayAttrBase<Rec_Part, "parts">>:$parts, OptionalAttr<StrAttr>:$strategy,
    OptionalAttr<Rec_Exchange>:$exchange);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::sparsec::rec::PartAttr getPart(int64_t i) { return ::llvm::cast<::sparsec::rec::PartAttr>((*getParts())[i]); }
  }];
}
def Rec_ParamOp : Rec_SymbolOp<"param"> {
  let summary = "a dense parameter, the same on every rank";
  let description = [{
    Constraints: a static f32 tensor; `init` has as many values as the tensor if it lists values; the
    optimizer needs no row norm.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name, TypeAttrOf<AnyRankedTensor>:$type, Rec_Init:$init,
    OptimizerAttrInterface:$optimizer);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
  }];
}
def Rec_TaskOp : Rec_SymbolOp<"task", [SymbolUser]> {
  let summary = "a loss: which label, how measured, with which weight";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name, Rec_Loss:$loss, FlatSymbolRefAttr:$label, F64Attr:$weight);
}
def Rec_ScheduleOp : Rec_SymbolOp<"schedule"> {
  let summary = "the factor on every learning rate, as a function of the step";
  let description = "Steps count from 1: step / warmup_steps while step <= warmup_steps, then 1.";
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warmup_steps);
}
def Rec_TrainingOp : Op<Rec_Dialect, "training"> {
  let summary = "how the model is trained, as the description says; one for each module";
  let description = "`batch` is global. `data` is the layout of text files, for the reader alone. Constraints: batches >= 1.";
  let arguments = (ins StrAttr:$model, StrAttr:$fingerprint, I64Attr:$batch, I64Attr:$eval_batch, I64Attr:$epochs,
    I64Attr:$seed, I64Attr:$shuffle_rows, DictionaryAttr:$data);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
