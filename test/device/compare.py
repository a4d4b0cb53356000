"""Losses and last evaluation of two runs of one model: compare.py EXPECTED GOT, each NAME.jsonl and NAME.json."""
import json
import sys

# Relative, for each step; of the area under the curve. Sums are added in another order on a GPU.
LOSS, AUC = 1e-5, 1e-3


def losses(path):
    with open(path + ".jsonl") as file:
        return [json.loads(line)["loss"] for line in file]


def auc(path):
    with open(path + ".json") as file:
        return json.loads(file.read().splitlines()[-1])["auc"]


def main(expected, got):
    ours, theirs = losses(got), losses(expected)
    if len(ours) != len(theirs) or None in ours:
        return f"{len(ours)} losses in place of {len(theirs)}, or one is not finite", False
    apart = [abs(a - b) / max(abs(b), 1e-12) for a, b in zip(ours, theirs)]
    worst = max(range(len(apart)), key=apart.__getitem__)
    change = auc(got) - auc(expected)
    text = (f"{len(ours)} losses within {apart[worst]:.1e} of the CPU's (step {worst + 1}; at most {LOSS:.0e}), "
            f"test AUC {auc(got):.4f}, {change:+.1e}")
    return text, apart[worst] <= LOSS and abs(change) <= AUC


if __name__ == "__main__":
    words, good = main(*sys.argv[1:])
    print(words)
    sys.exit(0 if good else 1)
