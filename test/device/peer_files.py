"""What peer.py shares with an executable: batches as TSV, tensors of a checkpoint. Needs numpy alone."""
import glob
import json
import os
import struct

import numpy as np

NUMBERS = 13


class Batch:
    """Labels [n], numbers [n, 13], and for each feature the ids of its bags, one behind the other, with their lengths."""

    def __init__(self, rows, lengths, random):
        self.lengths = lengths
        size = len(lengths[0])
        self.labels = random.integers(0, 2, size).astype(np.float32)
        # Eighths, so that text gives them back exactly.
        self.numbers = (random.integers(0, 40, (size, NUMBERS)) / 8).astype(np.float32)
        self.ids = [random.integers(0, n, int(of.sum())) for n, of in zip(rows, lengths)]

    def write(self, file):
        columns = [[f"{int(label)}" for label in self.labels]]
        columns += [[f"{x:g}" for x in self.numbers[:, i]] for i in range(NUMBERS)]
        for ids, lengths in zip(self.ids, self.lengths):
            words, at = list(map(str, ids.tolist())), 0
            column = []
            for length in lengths.tolist():
                column.append(",".join(words[at:at + length]))
                at += length
            columns.append(column)
        file.writelines("\t".join(row) + "\n" for row in zip(*columns))

    def fused(self, rows):
        """All bags as those of one table with the rows of all: ids, and offsets [bags] of where each begins."""
        first = np.concatenate([[0], np.cumsum(rows)[:-1]])
        ids = np.concatenate([of + start for of, start in zip(self.ids, first)]).astype(np.int64)
        lengths = np.concatenate(self.lengths)
        return ids, np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)


def fixed_lengths(bags, size):
    return [np.full(size, length) for length in bags]


def random_lengths(bags, size, mean, random):
    """As `bench` makes them: one id where there is never more than one, else up to twice the mean, all as often."""
    most = int(2 * mean + 1)
    return [np.full(size, 1) if max(bags) == 1 else random.integers(0, most, size) for _ in bags]


def tensors(folder):
    """name -> array, of all files of a checkpoint in the format of `safetensors`."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.safetensors"))):
        with open(path, "rb") as file:
            size = struct.unpack("<Q", file.read(8))[0]
            header = json.loads(file.read(size))
        for name, tensor in header.items():
            if name == "__metadata__":
                continue
            if tensor["dtype"] != "F32":
                raise ValueError(f"{path}: tensor `{name}` is {tensor['dtype']}, not F32")
            begin, end = tensor["data_offsets"]
            found[name] = np.memmap(path, np.float32, "r", 8 + size + begin, ((end - begin) // 4,)).reshape(
                tensor["shape"])
    return found
