# SPDX-License-Identifier: Apache-2.0
# The thickness at which the arch begins to stand, by bisection, over that of the scene's thrust lines.
"""usage: arch_threshold.py PROGRAM FOLDER"""
import csv
import os

import study


def stands(voussoirs, ratio):
    """The crown sinks by less than 1 cm in 3 s."""
    folder = study.run(f"arch-{voussoirs}-{ratio}", "arch", "--until", "3", "--paraview-every", "0",
                       voussoirs=voussoirs, ratio=ratio)
    with open(os.path.join(folder, "sensors.csv")) as file:
        heights = [float(row["crown position z [m]"]) for row in csv.DictReader(file)]
    return heights[0] - heights[-1] < 0.01


print("voussoirs  falls at  stands at")
for count in (12, 13, 16, 20, 27):
    low, high = 0.97, 1.03
    while high - low > 0.001:
        middle = 0.5 * (low + high)
        if stands(count, middle):
            high = middle
        else:
            low = middle
    print(f"{count:9}  {low:.5f}  {high:.5f}", flush=True)
