# SPDX-License-Identifier: Apache-2.0
# Slope of heaps that resist rolling: rigid contacts beside elastic ones, from the same grains.
"""usage: rolling_heap.py PROGRAM FOLDER [SEEDS [LENGTH HEIGHT]]     (default 4 heaps a coefficient, 14 14 grains)

Prints for each coefficient of rolling friction the slope of heaps from the same grids of grains under both laws, with
standard errors, and of the rigid runs the steps that ended above 1e-6. A rigid run of 484 grains takes two to five
minutes, one by springs twenty seconds, larger rigid ones hours. What was run before is not run again."""
import csv
import math
import os
import shutil
import statistics
import sys

import study

GRAIN, END = 0.01, 2.0
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
# in grains: the block, half of the plate below it, and the period
LONG, HIGH = map(int, sys.argv[4:6]) if len(sys.argv) > 5 else (14, 14)
PLATE, ACROSS = int(1.6 * LONG), 5
ROLLINGS = (0.1, 0.3)
LAWS = {"hooke": 1e-5, "signorini_coulomb": 2e-3}


def heap(seed, law, rolling):
    """Slope in degrees of one heap, and the part of its steps that ended above the tolerance."""
    name = f"heap-{LONG}-{HIGH}-{seed}"
    folder = os.path.join(study.FOLDER, name)
    study.block_on_plate(folder, seed, GRAIN, PLATE, ACROSS, LONG, HIGH)
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rolling_heap.lua"), folder)
    out = study.run(f"{name}/{law}-{rolling}", os.path.join(folder, "rolling_heap.lua"), "--until", str(END),
                    "--energy-every", "1000", "--paraview-every", "0", "--trajectory-every", "0", "--accept-unsolved",
                    law=law, rolling_friction=rolling, width=ACROSS * GRAIN, time_step=LAWS[law])
    with open(os.path.join(out, "bodies.csv"), encoding="utf-8") as file:
        places = [[float(row[f"position {axis} [m]"]) for axis in "xyz"]
                  for row in csv.DictReader(file) if row["kind"] == "dynamic"]
    done = study.summary(out)
    return study.slope(places, GRAIN), done["steps_unsolved"] / done["steps"]


def mean_of(values):
    """The mean with its standard error, in words."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{statistics.mean(values):5.1f} +- {error:.1f}"


def main():
    print("rolling_friction  hooke, degrees  rigid, degrees  rigid less hooke, same grains  part of steps above 1e-6",
          flush=True)
    for rolling in ROLLINGS:
        results = {law: [heap(seed, law, rolling) for seed in range(1, SEEDS + 1)] for law in LAWS}
        angles = {law: [angle for angle, _ in results[law]] for law in LAWS}
        pairs = [rigid - hooke for hooke, rigid in zip(angles["hooke"], angles["signorini_coulomb"])]
        open_part = max(part for _, part in results["signorini_coulomb"])
        print(f"{rolling:16}  {mean_of(angles['hooke']):14}  {mean_of(angles['signorini_coulomb']):14}  "
              f"{mean_of(pairs):29}  {open_part:.3f}", flush=True)


main()
