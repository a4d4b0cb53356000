//===- The `comm` dialect: collectives over named mesh axes -----------------------------------------------------===//
#ifndef SPARSEC_COMM_OPS
#define SPARSEC_COMM_OPS

include "dialect/Rec/RecDialect.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::sparsec::comm";
  let summary = "Collectives over the named axes of a mesh of ranks.";
  let description = [{
    One program runs on every rank; a collective joins the ranks that differ only in the coordinates of its `axes`, in
    the order of their numbers. There are no other groups. Each collective is a linear map on the product of all ranks,
    and its gradient is the adjoint map. Every rank starts the same collectives in the same order, also with 0 rows.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::sparsec::rec::RecDialect"];
}

class Comm_Op<string mnemonic, list<Trait> traits = []> : Op<Comm_Dialect, mnemonic, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Comm_Pending : TypeDef<Comm_Dialect, "Pending"> {
  let mnemonic = "pending";
  let summary = "what a started collective will give: exactly one `comm.wait` takes it";
  let description = "The types of the results, one for each of the collective: `!comm.pending<tensor<4xf32>, f32>`.";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

def Comm_StartableOpInterface : OpInterface<"StartableOpInterface"> {
  let cppNamespace = "::sparsec::comm";
  let description = "A collective that also comes in two halves, so that work can stand between them.";
  let methods = [
    InterfaceMethod<[{
      Builds the first half at the builder's place and returns what is pending; a `comm.wait` of it gives the results.
      Null where this one is only made whole.
    }], "::mlir::Value", "buildStart", (ins "::mlir::OpBuilder &":$builder)>
  ];
}
def Comm_Startable : DeclareOpInterfaceMethods<Comm_StartableOpInterface>;
def Comm_Axes : TypedArrayAttrBase<StrAttr, "axes of the mesh">;

def Comm_MeshOp : Op<Comm_Dialect, "mesh", [Symbol, SymbolUser]> {
  let summary = "the ranks: ordered named axes";
  let description = [{
    Axes are some of `replicate`, `node`, `shard`, in this order; axes of extent 1 are left out. A rank's number counts
    the last axis fastest. Groups (all ranks with one `replicate` coordinate) hold each table once.

    Constraints: an extent of at least 2 for each axis; parts of the module's tables name axes of the mesh, and ranks
    that exist along them.
    ```mlir
    comm.mesh @mesh {axes = ["replicate", "shard"], shape = array<i64: 2, 2>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Ranks along an axis; 1 where the mesh lacks it.
    int64_t getExtent(::llvm::StringRef axis);
    /// Ranks that differ only in these axes.
    int64_t getExtent(::mlir::ArrayAttr axes);
    int64_t getRanks();
  }];
}

def Comm_AgreeOp : Comm_Op<"agree"> {
  let summary = "all go on or all stop; the sum of the sizes";
  let description = "If any status is not 0, every rank leaves the entry point here. One small message.";
  let arguments = (ins I64:$status, Index:$size, Comm_Axes:$axes);
  let results = (outs Index:$total);
}

def Comm_ReplicateOp : Comm_Op<"replicate", [Pure, Differentiable, Replaced, AllTypesMatch<["input", "result"]>]> {
  let summary = "one logical parameter, used by many ranks: identity, whose adjoint is the sum over `axes`";
  let arguments = (ins AnyType:$input, Comm_Axes:$axes);
  let results = (outs AnyType:$result);
}

def Comm_AllReduceOp : Comm_Op<"all_reduce", [Comm_Startable]> {
  let summary = "sums over ranks, in rank order";
  let description = [{
    Tensors of f32 and scalars f32: each result is the sum of all ranks' operands. Row gradients: the rows of all ranks,
    each rank's duplicates summed. All operands travel in one message for each kind.
    ```mlir
    %s, %l = comm.all_reduce %g, %loss {axes = ["shard"]} : (tensor<4x2xf32>, f32) -> (tensor<4x2xf32>, f32)
    ```
    Constraints: static tensors; results like operands, rows as `summed`.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Comm_Axes:$axes);
  let results = (outs Variadic<AnyType>:$results);
  let hasVerifier = 1;
}

def Comm_AllToAllOp : Comm_Op<"all_to_all", [Differentiable, AttrSizedOperandSegments, Comm_Startable]> {
  let summary = "what is for rank r goes to rank r";
  let description = [{
    Bags, [destination][..] to [source][..]: lengths travel first, so `send` and `receive` are absent. A flat tensor:
    send[r] elements go to rank r, receive[r] come from it, both in rank order. Its adjoint swaps the counts; bags have
    no gradient.
  }];
  let arguments = (ins AnyType:$input, Optional<Rec_Counts>:$send, Optional<Rec_Counts>:$receive,
    OptionalAttr<TypedArrayAttrBase<AnyAttr, "items">>:$items, Comm_Axes:$axes);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

//===- start and wait --------------------------------------------------------------------------------------------===//

def Comm_AllToAllStartOp : Comm_Op<"all_to_all_start"> {
  let summary = "starts an all_to_all of a flat tensor";
  let arguments = (ins Rec_Vector:$input, Rec_Counts:$send, Rec_Counts:$receive, Comm_Axes:$axes);
  let results = (outs Comm_Pending:$pending);
  let hasVerifier = 1;
}
def Comm_AllReduceStartOp : Comm_Op<"all_reduce_start"> {
  let summary = "starts an all_reduce of numbers";
  let description = [{
    The sum of tensors of f32 and scalars f32; what travels is copied, so the operands are free at once. All ranks wait
    for their sums in one order; between start and wait there may be other collectives over the same axes.
    ```mlir
    %p = comm.all_reduce_start %g, %l {axes = ["shard"]} : (tensor<4x2xf32>, f32) -> !comm.pending<tensor<4x2xf32>, f32>
    %s, %t = comm.wait %p : (!comm.pending<tensor<4x2xf32>, f32>) -> (tensor<4x2xf32>, f32)
    ```
    Constraints: static tensors; the types of the operands pending; exactly one wait.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, StaticShapeTensorOf<[F32]>]>>:$inputs, Comm_Axes:$axes);
  let results = (outs Comm_Pending:$pending);
  let hasVerifier = 1;
}
def Comm_WaitOp : Comm_Op<"wait"> {
  let summary = "finishes a started collective";
  let description = "Constraints: the results are what is pending.";
  let arguments = (ins Comm_Pending:$pending);
  let results = (outs Variadic<AnyType>:$results);
  let hasVerifier = 1;
}

#endif
