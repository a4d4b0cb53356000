//===- The `rec` dialect: a recommendation model and one training step of it ------------------------------------===//
#ifndef SPARSEC_REC_DIALECT
#define SPARSEC_REC_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialect/Interfaces/SparsecInterfaces.td"

def Rec_Dialect : Dialect {
  let name = "rec";
  let cppNamespace = "::sparsec::rec";
  let summary = "Recommendation models: tables, features, pooled lookups, dense layers, losses, optimizers.";
  let description = [{
    A module holds one model: symbols for features, tables, parameters, tasks and the schedule, and one function for each
    entry point. Names carry their kind (`@table.C3`, `@feature.C3`), since a table may be called like its feature.

    Tables are references (`!rec.table`): lookups read them, updates write them, and a copy cannot be written down. Dense
    parameters are tensors between `rec.get` and `rec.apply`. Bags of ids are `!rec.jagged` until codegen.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

class Rec_Op<string mnemonic, list<Trait> traits = []> : Op<Rec_Dialect, mnemonic, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
class Rec_Pure<string mnemonic, list<Trait> traits = []> : Rec_Op<mnemonic, !listconcat([Pure], traits)>;

// Names a symbol: what the op says must agree with it.
def SymbolUser : DeclareOpInterfaceMethods<SymbolUserOpInterface>;
class Rec_User<string mnemonic, list<Trait> traits = []> : Rec_Op<mnemonic, !listconcat([SymbolUser], traits)>;

def PerSample : DeclareOpInterfaceMethods<BatchRoleOpInterface>;
def Differentiable : DeclareOpInterfaceMethods<DifferentiableOpInterface>;
def Replaced : DeclareOpInterfaceMethods<ReplacedOpInterface>;
def ReadsBatch : NativeOpTrait<"ReadsBatch"> { let cppNamespace = "::sparsec"; }

//===- types -----------------------------------------------------------------------------------------------------===//

class Rec_Type<string name, string typeMnemonic> : TypeDef<Rec_Dialect, name> { let mnemonic = typeMnemonic; }

def Rec_Jagged : Rec_Type<"Jagged", "jagged"> {
  let summary = "bags of ids, [source][item][bag][position]";
  let description = [{
    `!rec.jagged<1x1>` are the bags of one feature, one for each sample; `!rec.jagged<2x?>` bags to or from two ranks,
    where placement decides how many items each has. Bundles values (i64, always global row ids), offsets, optional
    weights and the original counts, so it is not one buffer and no tensor.
  }];
  let parameters = (ins "int64_t":$sources, "int64_t":$items);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{ bool isOneFeature() const { return getSources() == 1 && getItems() == 1; } }];
}
def Rec_Table : Rec_Type<"Table", "table"> {
  let summary = "a reference to an embedding table, by its global shape";
  let description = "`!rec.table<10x4>`: 10 rows of 4 columns. Never a tensor: what a rank holds of it is data.";
  let parameters = (ins "int64_t":$rows, "int64_t":$dim);
  let hasCustomAssemblyFormat = 1;
}
def Rec_Rows : Rec_Type<"Rows", "rows"> {
  let summary = "row gradients of one table";
  let description = [{
    `!rec.rows<4>`: (row, gradient row of 4) in the order feature, sample, position, a row as often as it occurs.
    `!rec.rows<4, summed>`: what `comm.all_reduce` made of it: the rows of all replicas, in rank order.
  }];
  let parameters = (ins "int64_t":$dim, "bool":$summed);
  let hasCustomAssemblyFormat = 1;
}

def Rec_Floats : TensorOf<[F32]>;
def Rec_Matrix : 2DTensorOf<[F32]>;
def Rec_Vector : 1DTensorOf<[F32]>;
def Rec_Counts : 1DTensorOf<[Index]>;

//===- enums -----------------------------------------------------------------------------------------------------===//

class Rec_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::sparsec::rec";
  let genSpecializedAttr = 0;
}
class Rec_EnumAttr<EnumAttrInfo info, string name> : EnumAttr<Rec_Dialect, info, name> { let assemblyFormat = "`<` $value `>`"; }

def Rec_PoolingEnum : Rec_Enum<"Pooling", "how the rows of a bag become one", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">]>;
def Rec_Pooling : Rec_EnumAttr<Rec_PoolingEnum, "pooling">;
def Rec_ActivationEnum : Rec_Enum<"Activation", "an activation function", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">, I32EnumAttrCase<"Sigmoid", 2, "sigmoid">,
  I32EnumAttrCase<"Tanh", 3, "tanh">]>;
def Rec_Activation : Rec_EnumAttr<Rec_ActivationEnum, "activation">;
def Rec_UpdateEnum : Rec_Enum<"Update", "which rows an update moves", [
  I32EnumAttrCase<"Touched", 0, "touched">, I32EnumAttrCase<"Whole", 1, "whole">]>;
def Rec_Update : Rec_EnumAttr<Rec_UpdateEnum, "update">;
def Rec_ExchangeEnum : Rec_Enum<"Exchange", "what travels between owners and askers", [
  I32EnumAttrCase<"Pooled", 0, "pooled">, I32EnumAttrCase<"Unique", 1, "unique">]>;
def Rec_Exchange : Rec_EnumAttr<Rec_ExchangeEnum, "exchange">;
def Rec_LossEnum : Rec_Enum<"Loss", "a loss function", [
  I32EnumAttrCase<"Bce", 0, "bce">, I32EnumAttrCase<"Mse", 1, "mse">]>;
def Rec_Loss : Rec_EnumAttr<Rec_LossEnum, "loss">;

#endif
