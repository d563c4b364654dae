#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What a bed of spheres costs beside a joint, a box, a wall that follows a function of time, or an implicit contact.
"""usage: beside.py BENCH_DEM [FOLDER] [ROUNDS]

Settles a bed of 1 000 spheres under hooke, then times 2 000 steps of it alone and with each of these, in turn, round
after round, and prints medians of the processor time of a step and their ratios to the bed alone. On a loaded machine
only the ratios mean something.
"""
import os
import statistics
import subprocess
import sys
import tempfile

import beds

KINDS = [None, "joint", "box", "function", "implicit"]


def steps(bench, bed, kind, count):
    """Processor seconds of a step; bed None: one sphere."""
    words = [bench, "--warm", "500", "--steps", str(count)]
    words += ["--bed", bed] if bed else ["--count", "1"]
    words += ["--beside", kind] if kind else []
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(out[out.index("cpu") + 1]) / count


def main():
    if {"-h", "--help"} & set(sys.argv) or len(sys.argv) < 2:
        sys.exit(__doc__)
    bench = sys.argv[1]
    beds.check(bench)
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    os.makedirs(folder, exist_ok=True)
    bed = os.path.join(folder, "bed_1000.txt")
    if not os.path.exists(bed):
        subprocess.run([bench, "--count", "1000", "--steps", "60000", "--save", bed], check=True, capture_output=True)
    times = {kind: [] for kind in KINDS}
    own = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            times[kind].append(steps(bench, bed, kind, 2000))
            own[kind].append(steps(bench, None, kind, 20000))
    alone = statistics.median(times[None])
    print("1 000 spheres, hooke, settled  step [us]  own work [us]  ratio")
    for kind in KINDS:
        step = statistics.median(times[kind])
        work = statistics.median(own[kind]) - statistics.median(own[None])
        print(f"{kind or 'alone':30} {1e6 * step:9.2f} {1e6 * work:14.2f} {step / (alone + work):6.3f}")


if __name__ == "__main__":
    main()
