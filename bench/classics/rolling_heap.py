# SPDX-License-Identifier: Apache-2.0
# Slope of heaps that resist rolling: rigid contacts beside elastic ones, from the same grains.
"""usage: rolling_heap.py PROGRAM FOLDER

Prints for each coefficient of rolling friction the slope of heaps from the grids of SEEDS under both laws, and of
the rigid runs the steps that ended above 1e-6. The rigid runs take hours."""
import csv
import os
import shutil

import study

GRAIN, END = 0.01, 2.0
# in grains: half of the plate, period, and the block on it
PLATE, ACROSS, LONG, HIGH = 32, 5, 20, 24
SEEDS, ROLLINGS = (1, 2, 3), (0.05, 0.1, 0.2, 0.4)
LAWS = {"hooke": 4e-5, "signorini_coulomb": 2e-3}


def heap(seed, law, rolling):
    """Slope in degrees of one heap, and the part of its steps that ended above the tolerance."""
    name = f"heap-{seed}"
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


def main():
    print("rolling_friction  hooke, degrees (each)   rigid, degrees (each)   above 1e-6", flush=True)
    for rolling in ROLLINGS:
        words = []
        for law in LAWS:
            results = [heap(seed, law, rolling) for seed in SEEDS]
            angles = [angle for angle, _ in results]
            words.append(f"{sum(angles) / len(angles):5.1f} ({', '.join(f'{angle:.1f}' for angle in angles)})")
        print(f"{rolling:16}  {words[0]}  {words[1]}  {max(open_part for _, open_part in results):.3f}", flush=True)


main()
