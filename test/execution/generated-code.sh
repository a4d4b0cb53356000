#!/usr/bin/env bash
# What computes a model is made for it: Adult's four models define their lookups, updates, interactions and elementwise
# loops by their own widths, call nothing but the runtime's abi, and the runtime defines no arithmetic of layers.
source "$(dirname "$0")/support/scripts.sh"

# generates MODEL WIDTH KERNEL...: MODEL defines exactly these kernels, and loops over rows of WIDTH numbers.
generates() {
  local model=$1 width=$2
  shift 2
  "$sparsec" "$samples/adult/features.textproto" "$samples/adult/$model.textproto" --emit=llvm -o "$model.ll" ||
    fail "no LLVM IR of $model"
  "$sparsec" "$samples/adult/features.textproto" "$samples/adult/$model.textproto" --emit=codegen -o "$model.mlir" ||
    fail "no code of $model"
  local defined kernels expected loops
  defined=$(sed -nE 's/^define .*@"?([A-Za-z0-9_]+)"?\(.*/\1/p' "$model.ll" | sort)
  kernels=$(grep -vE '^(train|eval|predict)(_input)?(_loop_[0-9]+)?$' <<<"$defined")
  expected=$(printf '%s\n' "$@" | sort)
  [ "$kernels" = "$expected" ] || fail "$model has the kernels" $kernels ", expected" $expected

  # Bodies of loops get a range of rows or elements alone: widths are constants in them. In that of the loss is exp.
  loops=$(awk '/^  llvm.func /{ inside = /@train_loop_[0-9]+\(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64\)/ } inside' "$model.mlir")
  [ "$(grep -c '@train_loop_' <<<"$loops")" = "$(grep -cE '^  llvm.func .*@train_loop_' "$model.mlir")" ] ||
    fail "$model has loops that get more than a range"
  grep -q "llvm.mlir.constant($width : index)" <<<"$loops" || fail "no loop of $model is over rows of $width numbers"
  grep -q 'llvm.mlir.constant(1.44269502 : f32)' <<<"$loops" || fail "no loop of $model computes exp for its loss"

  local called
  called=$(sed -nE 's/^declare .*@"?([A-Za-z0-9_.]+)"?\(.*/\1/p' "$model.ll" | grep -vE '^llvm\.|^sparsec_') || true
  [ -z "$called" ] || fail "$model calls" $called
  echo "$model: $(tr '\n' ' ' <<<"$kernels")and $(grep -cE '_loop_[0-9]+$' <<<"$defined") loops"
}

# 5 numbers and 12 embeddings of 8 side by side; 78 pairs of 13 vectors behind a tower of 8.
generates model 101 lookup_sum_d{1,8} step_adam_d{1,8}
generates deepfm 101 lookup_sum_d{1,8} step_adam_d{1,8}
generates dcnv2 101 lookup_sum_d8 step_row_wise_adagrad_d8
generates dlrm 86 lookup_sum_d8 step_adagrad_d8 dot_interaction_n13_d8 dot_interaction_grad_n13_d8

# The runtime: names of what it defines itself, libraries apart, without parameters and template arguments.
#   FILE.o NAME
defined() {
  nm -AC --defined-only "$1" 2>/dev/null | sed -nE 's/^[^ ]*:([^: ]+\.o):[0-9a-f]* [TtWwDdBbRrVvi] /\1 /p' |
    sed -E 's/\(anonymous namespace\)/anonymous/g; :a; s/<[^<>]*>//g; ta; s/\(.*//; s/^([^ ]+) .* /\1 /' |
    grep -vE '^[^ ]+ (_Z|\.L|GCC_except|std::|__gnu_cxx::|nlohmann::|fmt::|CLI::|dnnl::)' | sort -u
}
words='sigmoid|tanh|softmax|relu|activat|cross|interact|matmul|linear|bias|dropout|bce|mse|entropy|squared'
words+='|adam|adagrad|sgd|momentum|pooling|gemm::finish'
allowed() {
  # The epilogue of sparsec_gemm: bias and relu while a block of the product is in cache. A pass of its own over the
  # product, generated or not, would read and write all of it once more.
  grep -vx 'GemmFinish.cpp.o sparsec::gemm::Finish::row' |
    # Metrics judge predictions, in double and once an evaluation: nothing of a model goes through them.
    grep -vE '^TaskAccumulator\.cpp\.o '
}
[ -f "$build/lib/libsparsec_runtime.a" ] || fail "no runtime in $build/lib"
symbols=$(defined "$build/lib/libsparsec_runtime.a")
for known in sparsec_gemm sparsec::gemm::Finish::row; do
  grep -q " $known\$" <<<"$symbols" || fail "nm does not show $known"
done
if arithmetic=$(grep -iE "^[^ ]+ .*($words)" <<<"$symbols" | allowed); then
  fail "the runtime defines arithmetic of layers, losses or optimizers:"$'\n'"$arithmetic"
fi
echo "runtime: $(wc -l <<<"$symbols") names, none of them a layer's, a loss's or an optimizer's"
