"""The same training step by torch: peer.py NAME EXECUTABLE [--device=cpu], NAME being kaggle or mlperf.

The executable does one step and saves; both go on from there with the same batches, and their losses are compared. Then
torch's steps are timed: eager, and with the dense part as CUDA graphs. Prints one JSON object; exit code 1 where losses
are apart.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch.nn import functional

import peer_files

BAGS = {
    "kaggle": [1] * 26,
    "mlperf": [3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1],
}
MEAN_LENGTH = 8.23  # of run.sh's bench, where bags hold several ids
STEPS = 5           # compared
FIRST, LATER = 1e-5, 1e-4  # relative: the first loss comes before any update of torch's


class Dense(torch.nn.Module):
    """All of the model behind the lookups, up to the loss. Parameters have the executable's names."""

    def __init__(self, tensors, names, device):
        super().__init__()
        for name in names:
            value = torch.nn.Parameter(torch.from_numpy(np.array(tensors[name])).to(device))
            self.register_parameter(name.replace("/", "-"), value)
        self.names = set(names)

    def get(self, name):
        return getattr(self, name.replace("/", "-"))

    def linear(self, layer, x):
        return functional.linear(x, self.get(f"layer/{layer}/weight"), self.get(f"layer/{layer}/bias"))

    def mlp(self, layer, x):
        i = 0
        while f"layer/{layer}/{i}/weight" in self.names:
            x = torch.relu(self.linear(f"{layer}/{i}", x))
            i += 1
        return x

    def pairs(self, bottom, rows):
        """Products of all pairs (i, j), j < i, of the bottom's output and the pooled rows [features, n, dim]."""
        all_rows = torch.cat([bottom.unsqueeze(1), rows.transpose(0, 1)], 1)
        products = torch.bmm(all_rows, all_rows.transpose(1, 2))
        return torch.cat([bottom, products.flatten(1).index_select(1, self.lower)], 1)

    def cross(self, bottom, rows):
        first = torch.cat([bottom, rows.transpose(0, 1).flatten(1)], 1)
        x, i = first, 0
        while f"layer/cross/{i}/v" in self.names:
            inner = functional.linear(x, self.get(f"layer/cross/{i}/v"))
            x = first * functional.linear(inner, self.get(f"layer/cross/{i}/u"), self.get(f"layer/cross/{i}/bias")) + x
            i += 1
        return x

    def forward(self, numbers, rows, labels):
        bottom = self.mlp("bottom", numbers)
        joined = self.cross(bottom, rows) if "layer/cross/0/v" in self.names else self.pairs(bottom, rows)
        logits = self.linear("logit", self.mlp("top", joined)).squeeze(1)
        return functional.binary_cross_entropy_with_logits(logits, labels)


class Peer:
    """A model with its optimizers, as the executable left it."""

    def __init__(self, tensors, info, device):
        self.device = device
        tables = [table["name"] for table in info["tables"]]
        self.rows = [table["rows"] for table in info["tables"]]
        self.rule = info["tables"][0]["optimizer"]
        self.table = self.joined(tensors, [f"table/{name}/weight" for name in tables]).requires_grad_()
        state = {"adagrad": "adagrad.sum", "row_wise_adagrad": "row_wise_adagrad.sum"}[self.rule["rule"]]
        self.sums = self.joined(tensors, [f"table/{name}/{state}" for name in tables])
        names = [param["name"] for param in info["params"]]
        self.dense = Dense(tensors, names, device)
        count = len(tables) + 1
        lower = torch.tril_indices(count, count, -1, device=device)
        self.dense.lower = lower[0] * count + lower[1]
        self.optimizer = self.dense_optimizer(tensors, names, info["params"][0]["optimizer"])
        self.run_dense = self.dense

    def joined(self, tensors, names):
        return torch.cat([torch.from_numpy(np.array(tensors[name])) for name in names]).to(self.device)

    def dense_optimizer(self, tensors, names, rule):
        params = [self.dense.get(name) for name in names]
        if rule["rule"] == "sgd":
            return torch.optim.SGD(params, rule["lr"])
        optimizer = torch.optim.Adagrad(params, rule["lr"], eps=rule["eps"])
        for name, param in zip(names, params):
            optimizer.state[param]["sum"].copy_(torch.from_numpy(np.array(tensors[name + "/adagrad.sum"])))
        return optimizer

    def put(self, batch):
        """The batch in memory that copies to the device may read: numbers, labels, ids, offsets."""
        arrays = [batch.numbers, batch.labels, *batch.fused(self.rows)]
        held = [torch.from_numpy(array) for array in arrays]
        return [tensor.pin_memory() for tensor in held] if self.device == "cuda" else held

    def step(self, held):
        numbers, labels, ids, offsets = [tensor.to(self.device, non_blocking=True) for tensor in held]
        pooled = functional.embedding_bag(ids, self.table, offsets, mode="sum", sparse=True)
        loss = self.run_dense(numbers, pooled.view(len(self.rows), len(labels), -1), labels)
        self.optimizer.zero_grad()
        self.table.grad = None
        loss.backward()
        self.optimizer.step()
        self.step_rows()
        return loss

    @torch.no_grad()
    def step_rows(self):
        gradient = self.table.grad.coalesce()
        rows, g = gradient.indices()[0], gradient.values()
        square = g * g
        if self.rule["rule"] == "row_wise_adagrad":
            square = square.mean(1)
        total = self.sums[rows] + square
        self.sums[rows] = total
        scale = total.sqrt().add_(self.rule["eps"])
        self.table.index_add_(0, rows, g / (scale if scale.dim() == 2 else scale.unsqueeze(1)), alpha=-self.rule["lr"])

    def graph_dense(self, held):
        """The dense part, forward and backward, as CUDA graphs."""
        numbers, labels, _, _ = [tensor.to(self.device) for tensor in held]
        rows = torch.zeros(len(self.rows), len(labels), self.table.shape[1], device=self.device, requires_grad=True)
        self.run_dense = torch.cuda.make_graphed_callables(self.dense, (numbers, rows, labels))


def executable_losses(executable, folder, batches):
    """Losses of the steps behind the first, and the checkpoint of the first."""
    data, start, log = (os.path.join(folder, name) for name in ("data.tsv", "start", "log.jsonl"))
    with open(data, "w") as file:
        for batch in batches:
            batch.write(file)
    train = [executable, "train", "--quiet", "--data", data]
    subprocess.run(train + ["--steps", "1", "--save", start], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(train + ["--steps", str(len(batches)), "--load", start, "--log", log], check=True,
                   stdout=subprocess.DEVNULL)
    with open(log) as file:
        return [json.loads(line)["loss"] for line in file], start


def rate(peer, held, size, steps=30):
    """Samples a second."""
    for i in range(5):
        peer.step(held[i % len(held)])
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for i in range(steps):
        peer.step(held[i % len(held)])
    end.record()
    torch.cuda.synchronize()
    return size * steps / begin.elapsed_time(end) * 1e3


def rates(peer, name, size, random):
    lengths = [peer_files.random_lengths(BAGS[name], size, MEAN_LENGTH, random) for _ in range(2)]
    held = [peer.put(peer_files.Batch(peer.rows, of, random)) for of in lengths]
    found = {"eager": rate(peer, held, size)}
    try:
        peer.graph_dense(held[0])
        found["with graphs"] = rate(peer, held, size)
    except RuntimeError as error:
        print(f"no CUDA graphs of the dense part: {error}", file=sys.stderr)
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("name", choices=BAGS)
    options.add_argument("executable")
    options.add_argument("--device", default="cuda")
    asked = options.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    executable = os.path.abspath(asked.executable)
    info = json.loads(subprocess.run([executable, "info", "--json"], check=True, capture_output=True).stdout)
    rows, size, random = [table["rows"] for table in info["tables"]], info["batch_size"], np.random.default_rng(7)
    lengths = peer_files.fixed_lengths(BAGS[asked.name], size)
    batches = [peer_files.Batch(rows, lengths, random) for _ in range(STEPS + 1)]
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        ours, start = executable_losses(executable, folder, batches)
        peer = Peer(peer_files.tensors(start), info, asked.device)
    theirs = [peer.step(peer.put(batch)).item() for batch in batches[1:]]
    apart = [abs(a - b) / abs(b) for a, b in zip(ours, theirs)]
    good = len(ours) == len(theirs) and apart[0] <= FIRST and max(apart) <= LATER
    result = {"losses": ours, "torch": theirs, "apart": max(apart), "samples_per_second": {}}
    if asked.device == "cuda":
        result["samples_per_second"] = rates(peer, asked.name, size, random)
    print(json.dumps(result))
    if not good:
        print(f"losses {ours} of {asked.name}, but torch has {theirs}", file=sys.stderr)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
