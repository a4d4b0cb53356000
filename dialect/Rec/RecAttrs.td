//===- Attributes: initial values, optimizers, parts of tables --------------------------------------------------===//
#ifndef SPARSEC_REC_ATTRS
#define SPARSEC_REC_ATTRS

include "dialect/Rec/RecDialect.td"

class Rec_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Rec_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Rec_Init : Rec_Attr<"Init", "init"> {
  let summary = "initial values of a parameter";
  let description = [{
    `constant` and `uniform` (in +-value), `normal` (mean 0, standard deviation value), or `values`, row by row. A pure
    function of seed, parameter name, row and column.
  }];
  let parameters = (ins StringRefParameter<>:$kind, "::mlir::FloatAttr":$value,
    OptionalParameter<"::mlir::DenseF64ArrayAttr">:$values);
  let assemblyFormat = "`<` $kind `,` $value (`,` $values^)? `>`";
  let genVerifyDecl = 1;
}

def Optimizer : DeclareAttrInterfaceMethods<OptimizerAttrInterface>;
def Rec_Sgd : Rec_Attr<"Sgd", "sgd", [Optimizer]> {
  let summary = "w -= lr g";
  let parameters = (ins "::mlir::FloatAttr":$lr);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Rec_AdaGrad : Rec_Attr<"AdaGrad", "adagrad", [Optimizer]> {
  let summary = "m += g^2 ; w -= lr g / (sqrt(m) + eps)";
  let parameters = (ins "::mlir::FloatAttr":$lr, "::mlir::FloatAttr":$eps, "::mlir::FloatAttr":$start);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Rec_RowWiseAdaGrad : Rec_Attr<"RowWiseAdaGrad", "row_wise_adagrad", [
    DeclareAttrInterfaceMethods<OptimizerAttrInterface, ["needsRowNorm"]>]> {
  let summary = "v += mean(g^2) over the row ; w -= lr g / (sqrt(v / c) + eps)";
  let description = [{
    `c`, the moment scale, is 1 where it is not said. Replicas that step alone and average their states let v grow as
    many times too fast as there are replicas: c undoes that (arXiv 2508.03854).
  }];
  let parameters = (ins "::mlir::FloatAttr":$lr, "::mlir::FloatAttr":$eps, "::mlir::FloatAttr":$start,
    OptionalParameter<"::mlir::FloatAttr">:$c);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = "double getMomentScale() const { return getC() ? getC().getValueAsDouble() : 1; }";
}
def Rec_Adam : Rec_Attr<"Adam", "adam", [
    DeclareAttrInterfaceMethods<OptimizerAttrInterface, ["isZeroGradientNoOp"]>]> {
  let summary = "m = b1 m + (1-b1) g ; u = b2 u + (1-b2) g^2 ; w -= lr (m / (1-b1^t)) / (sqrt(u / (1-b2^t)) + eps)";
  let parameters = (ins "::mlir::FloatAttr":$lr, "::mlir::FloatAttr":$beta1, "::mlir::FloatAttr":$beta2, "::mlir::FloatAttr":$eps);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Rec_Part : Rec_Attr<"Part", "part"> {
  let summary = "columns of a table and the ranks that hold their rows";
  let description = [{
    Columns [col0, col0 + dim). With `axes` empty every rank of the group holds all rows. Else the ranks along `axes`
    are numbered in order of the mesh, and ranks first ... first + count - 1 of them hold blocks of ceil(rows / count)
    rows, in order. Over every axis it does not name the part is replicated. One part with count 1 is table-wise, with
    all ranks row-wise; several parts are column-wise; count = the ranks of one node: table-row-wise and grid.
  }];
  let parameters = (ins "int64_t":$col0, "int64_t":$dim, OptionalArrayRefParameter<"::mlir::StringAttr">:$axes,
                        "int64_t":$first, "int64_t":$count);
  let assemblyFormat = "`<` `cols` $col0 `+` $dim `,` `axes` `[` (`]`) : ($axes^ `]`)? `,` `ranks` $first `+` $count `>`";
  let extraClassDeclaration = [{
    bool isReplicated() const { return getAxes().empty(); }
    /// Whether the owners are the ranks of one node, of which a node has `shards`: several, among several nodes.
    bool fillsNode(int64_t shards) const;
  }];
}

def Rec_Item : Rec_Attr<"Item", "item"> {
  let summary = "one part of one lookup in an exchange";
  let description = "`lookup` counts the id operands of `rec.route`; the part is `table`'s `part`-th.";
  let parameters = (ins "int64_t":$lookup, "::mlir::FlatSymbolRefAttr":$table, "int64_t":$part);
  let assemblyFormat = "`<` $lookup `,` $table `,` $part `>`";
}
def Rec_Items : TypedArrayAttrBase<Rec_Item, "items of an exchange">;

#endif
