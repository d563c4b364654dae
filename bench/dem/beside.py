#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What a bed of spheres costs beside a joint, a box, a wall that follows a function of time, or an implicit contact.
#
# beside.py BENCH_DEM [FOLDER] [ROUNDS]: settles a bed of 1 000 spheres under hooke, then times 2 000 steps of it alone and
# with each of these, in turn, round after round, and prints medians of the processor time of a step and their ratios to
# the bed alone. On a loaded machine only the ratios mean something.
import os
import statistics
import subprocess
import sys
import tempfile

KINDS = [None, "joint", "box", "function", "implicit"]


def steps(bench, bed, kind, count):
    """Processor seconds of a step."""
    words = [bench, "--bed", bed, "--warm", "500", "--steps", str(count)]
    words += ["--beside", kind] if kind else []
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(out[out.index("cpu") + 1]) / count


def main():
    bench = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    bed = os.path.join(folder, "bed_1000.txt")
    if not os.path.exists(bed):
        subprocess.run([bench, "--count", "1000", "--steps", "60000", "--save", bed], check=True, capture_output=True)
    times = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            times[kind].append(steps(bench, bed, kind, 2000))
    alone = statistics.median(times[None])
    print("1 000 spheres, hooke, settled  step [us]  ratio  more [us]")
    for kind in KINDS:
        own = statistics.median(times[kind])
        name = kind or "alone"
        print(f"{name:30} {1e6 * own:9.2f} {own / alone:6.3f} {1e6 * (own - alone):10.2f}")


if __name__ == "__main__":
    main()
