#!/usr/bin/env bash
# A checkpoint is read by a library that is not ours: Python's safetensors finds every table by its name.
source "$(dirname "$0")/support/scripts.sh"
python3 -c 'import safetensors' 2>/dev/null || skip "no Python module safetensors"

compile trace "$samples/dlrm_trace/model.textproto"
printf '1\t0.1\t0.2\t0.3\t0.4\t0,1\t2\t1\n0\t0.4\t0.3\t0.2\t0.1\t3\t\t0\n' >data.tsv
train trace log --data data.tsv --save checkpoint || fail "the trace does not train"
python3 - checkpoint/*.safetensors <<'END' || fail "safetensors does not read the checkpoint"
import struct, sys
import safetensors

tensors = {}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        tensors.update(safetensors.deserialize(file.read()))
for table, shape in ("s0", [4, 2]), ("s1", [3, 2]), ("s2", [2, 2]):
    tensor = tensors[f"table/{table}/weight"]
    assert (tensor["dtype"], list(tensor["shape"])) == ("F32", shape), f"{table}: {tensor['dtype']} {tensor['shape']}"
    print(f"table {table}: {tensor['dtype']} {shape[0]} x {shape[1]}")
s0 = struct.unpack("<8f", tensors["table/s0/weight"]["data"])
untouched, touched = (-0.1426, -0.45641), (-0.19523, -0.10181)  # rows 2 and 3 as the description starts them
assert all(abs(a - b) < 1e-7 for a, b in zip(s0[4:6], untouched)), f"row 2 of s0, in no batch, is {s0[4:6]}"
assert any(abs(a - b) > 1e-7 for a, b in zip(s0[6:8], touched)), "row 3 of s0 has not moved"
END
