# SPDX-License-Identifier: Apache-2.0
# Run-out of granular columns over their aspect ratio, and the exponents of low and high ones.
"""usage: column_runout.py PROGRAM FOLDER"""
import math

from columns import connected_front
import study

# about as many grains for each; the front of a heap of few is too thin to be told
GRAINS, GRAIN = 3000, 0.01
# one law gives way to the other above 2
LOW, HIGH = (0.7, 1.0, 1.4, 2.0), (2.5, 4.0, 6.0, 9.0, 13.0, 18.0)


def measure(aspect, seeds):
    runouts, heights = [], []
    length = round(math.sqrt(GRAINS / (1.05 * aspect)))
    for seed in seeds:
        folder = study.run(f"column-{aspect}-{seed}", "granular_column", "--seed", str(seed),
                           "--paraview-every", "0", "--energy-every", "1000",
                           aspect=float(aspect), length=float(length))
        front, top = connected_front(study.dynamic_bodies(folder), GRAIN)
        long = length * GRAIN
        runouts.append((front + 0.5 * GRAIN - long) / long)
        heights.append((top + 0.5 * GRAIN) / long)
    mean, height = sum(runouts) / len(runouts), sum(heights) / len(heights)
    print(f"{aspect:6}  {length:6}  {mean:8.3f}  {min(runouts):.3f} .. {max(runouts):.3f}  {height:.3f}", flush=True)
    return mean


print("aspect  length  run-out  of the seeds  height   (all over the length of the column)")
low = [measure(aspect, (1, 2, 3)) for aspect in LOW]
high = [measure(aspect, (1, 2, 3)) for aspect in HIGH]
for aspects, runouts, published in ((LOW, low, "2.5 a^1"), (HIGH, high, "3.25 a^0.7")):
    prefactor, exponent = study.power(aspects, runouts)
    print(f"a from {aspects[0]} to {aspects[-1]}: {prefactor:.3f} a^{exponent:.3f}   published {published}")
