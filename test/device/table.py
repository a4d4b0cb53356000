"""The summary's table: table.py WORK DATA MODEL..., from what run.sh and build.sh left there.

WORK/peaks.json, MODEL.bench.json and MODEL.peer.json, DATA/MODEL.roofline. What is missing is left out. A kernel's bytes
are what the compiler expects of it, its time is measured: bytes that caches serve make shares above 100 %.
"""
import json
import os
import re
import sys


def load(path):
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    with open(path) as file:
        return json.loads(file.read().splitlines()[-1])


def expected(path):
    """Bytes of a training step by kernel, from the roofline sheet's first entry."""
    found = {}
    if not os.path.exists(path):
        return found
    with open(path) as file:
        for line in file.read().split("\n\n")[0].splitlines()[2:]:
            words = re.match(r"(\S.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s", line)
            if words:
                found[words.group(1)] = float(words.group(3))
    return found


def family(name):
    """The line of the roofline sheet that counts a kernel: both halves of a split one are one."""
    name = re.sub(r"_finish$", "", name)
    return re.sub(r"^lookup_finish_(d\d+)$", r"lookup_sum_\1_split", name)


def share(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def kernel_lines(bench, bytes_of, copy):
    """Lines of kernels and the rest of a step, longest first; of copies of the clock's own, none."""
    groups, gemms = {}, [0.0, 0.0, 0.0]
    for work in bench["kernels"]:
        if work["name"] == "copy":
            continue
        if work["name"].startswith("gemm "):
            gemms = [gemms[0] + work["launches"], gemms[1] + work["us"], gemms[2] + work["flops"]]
            continue
        group = groups.setdefault(family(work["name"]), [0.0, 0.0])
        group[0] += work["launches"]
        group[1] += work["us"]
    lines = []
    for name, (launches, us) in sorted(groups.items(), key=lambda item: -item[1][1]):
        moved = bytes_of.get(name)
        rate = moved / us * 1e-3 if moved and us else None
        lines.append((name, launches, us, f"{moved * 1e-6:.2f}" if moved else "-", f"{rate:.0f}" if rate else "-",
                      share(rate, copy) if rate else "-"))
    return lines, gemms


def copy_rate(bench, peaks):
    if peaks:
        return peaks["copy_gbs"]
    own = [work for work in bench["kernels"] if work["name"] == "copy" and work["us"] > 0]
    return own[0]["bytes"] / own[0]["us"] * 1e-3 if own else None


def print_model(name, bench, bytes_of, peaks):
    lines, gemms = kernel_lines(bench, bytes_of, copy_rate(bench, peaks))
    print(f"\n{name}: {bench['batch_size']} samples a step\n{'kernel':<40}{'launches':>9}{'us':>10}{'MB':>10}"
          f"{'GB/s':>8}{'of copy':>9}")
    for kernel, launches, us, moved, rate, part in lines:
        print(f"{kernel:<40}{launches:>9.0f}{us:>10.1f}{moved:>10}{rate:>8}{part:>9}")
    if gemms[1]:
        reached = gemms[2] / gemms[1] * 1e-6
        print(f"{'gemm':<40}{gemms[0]:>9.0f}{gemms[1]:>10.1f}   {reached:.2f} TFLOP/s, "
              f"{share(reached, peaks and peaks['fp32_tflops'])} of a large fp32 product's")
    kernels = sum(line[2] for line in lines) + gemms[1]
    print(f"sum of work {kernels:.1f} us; whole step {bench['stages_ms']['train']['median'] * 1e3:.1f} us (median)")


def print_peer(name, bench, peer):
    ours = bench["batch_size"] / bench["stages_ms"]["train"]["median"] * 1e3 if bench else None
    line = f"{name}: {ours:,.0f} samples/s" if ours else f"{name}:"
    for form, rate in (peer or {}).get("samples_per_second", {}).items():
        line += f"; torch {form} {rate:,.0f}" + (f" (ours {ours / rate:.2f} x)" if ours else "")
    if peer:
        line += f"; {len(peer['losses'])} losses within {peer['apart']:.1e} of torch's"
    print(line)


def main(work, data, models):
    peaks = load(os.path.join(work, "peaks.json"))
    if peaks:
        print(f"\ncopy {peaks['copy_gbs']:.0f} GB/s (read and written), large product fp32 "
              f"{peaks['fp32_tflops']:.1f} TFLOP/s, tf32 {peaks['tf32_tflops']:.1f} TFLOP/s")
    benches = {name: load(os.path.join(work, name + ".bench.json")) for name in models}
    peers = {name: load(os.path.join(work, name + ".peer.json")) for name in models}
    for name, bench in benches.items():
        if bench:
            print_model(name, bench, expected(os.path.join(data, name + ".roofline")), peaks)
    if any(benches.values()) or any(peers.values()):
        print("\nwhole steps")
    for name in models:
        if benches[name] or peers[name]:
            print_peer(name, benches[name], peers[name])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
