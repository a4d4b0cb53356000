"""Opens a checkpoint of SavedModel.h with Python's safetensors: every tensor whole, under its own name.

Exit code 0: as expected; 1: not; 77: skipped, since safetensors is not installed.
"""
import glob
import struct
import sys

try:
    import safetensors
except ImportError:
    print("skipped: Python's safetensors is not installed")
    sys.exit(77)

EXPECTED = {
    "table/rows/weight": [13, 6],
    "table/rows/adam.m": [13, 6],
    "table/rows/adam.u": [13, 6],
    "table/few_rows/weight": [2, 3],
    "table/few_rows/row_wise_adagrad.sum": [2],
    "table/columns/weight": [7, 10],
    "table/columns/row_wise_adagrad.sum": [7],
    "table/copies/weight": [5, 3],
    "table/copies/row_wise_adagrad.sum": [5],
    "table/grid/weight": [9, 8],
    "table/grid/adam.m": [9, 8],
    "table/grid/adam.u": [9, 8],
    "layer/top/0/weight": [3, 4],
    "layer/top/0/weight/adam.m": [3, 4],
    "layer/top/0/weight/adam.u": [3, 4],
    "layer/top/0/bias": [3],
    "layer/top/0/bias/adam.m": [3],
    "layer/top/0/bias/adam.u": [3],
}


def cell(tensor, row, column):
    return ((tensor * 131 + row) * 257 + column) * 2654435761 % 2**32


def main(directory):
    found = {}
    for path in sorted(glob.glob(directory + "/*.safetensors")):
        with open(path, "rb") as file:
            found.update(safetensors.deserialize(file.read()))
    assert set(found) == set(EXPECTED), sorted(found)
    for number, (name, shape) in enumerate(EXPECTED.items()):
        tensor = found[name]
        assert tensor["dtype"] == "F32" and tensor["shape"] == shape, (name, tensor["dtype"], tensor["shape"])
        columns = shape[1] if len(shape) > 1 else 1
        bits = struct.unpack("<%dI" % (shape[0] * columns), tensor["data"])
        for i, value in enumerate(bits):
            assert value == cell(number, i // columns, i % columns), (name, i)


if __name__ == "__main__":
    main(sys.argv[1])
