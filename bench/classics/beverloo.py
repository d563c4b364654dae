# SPDX-License-Identifier: Apache-2.0
# Rate at which grains leave a flat-bottomed bin over the hole's size, against Beverloo's law.
"""usage: beverloo.py PROGRAM FOLDER"""
import math
import os
import re

import study

# mean diameter, and mean volume of a grain over that of one of this diameter: the sizes of the scene
GRAIN, MEAN, VOLUME = 0.01, 0.98, 0.951
OPENING, LEAVES = 0.2, 0.55
ORIFICES = (6, 7, 8, 10, 12, 15)
# width and depth of the bin in grains; time of the end, s
BINS = {6: (15, 22, 2.0), 7: (16, 22, 1.6), 8: (18, 22, 1.4), 10: (22, 24, 1.2), 12: (26, 26, 1.1), 15: (32, 30, 1.05)}
EMPTY = 1.4  # k of D - k d
# the hole is bounded by round beads 0.9 apart: in the mean over its rim it is wider by so many grains
RIM = 0.16


def counts(folder):
    """(time, grains below the floor) of every frame."""
    with open(os.path.join(folder, "paraview", "bodies.pvd")) as file:
        frames = re.findall(r'timestep="([^"]+)".*?file="([^"]+)"', file.read())
    kinds = study.kinds(folder)
    for time, name in frames:
        points = study.frame_positions(os.path.join(folder, "paraview", name))
        yield float(time), sum(kind == "dynamic" and point[2] < -GRAIN
                               for kind, point in zip(kinds, points))


def measure(orifice):
    width, depth, end = BINS[orifice]
    folder = study.run(f"hopper-{orifice}", "hopper", "--until", str(end), "--energy-every", "1000",
                       "--paraview-every", "600", orifice=float(orifice), width=float(width),
                       depth=float(depth), opening=OPENING)
    steady = [(time, count) for time, count in counts(folder) if time > LEAVES]
    _, rate = study.line(*zip(*steady))
    half = len(steady) // 2 + 1
    _, first = study.line(*zip(*steady[:half]))
    _, second = study.line(*zip(*steady[-half:]))
    total = study.kinds(folder).count("dynamic")
    # grains fill 0.6 of the bin
    scale = 0.6 / (math.pi / 6 * VOLUME) * math.sqrt(9.81 / GRAIN)
    factor = rate / (scale * (orifice + RIM - EMPTY * MEAN) ** 2.5)
    print(f"{orifice:4}  {total:7}  {rate:9.1f}  {first:9.1f} {second:9.1f}  {factor:.3f}", flush=True)
    return rate


print("D/d   grains  grains/s   in its halves        C of Beverloo, k = 1.4, bed 0.6")
rates = [measure(orifice) for orifice in ORIFICES]
_, exponent = study.power([orifice + RIM - EMPTY * MEAN for orifice in ORIFICES], rates)
print(f"exponent of D - {EMPTY} d: {exponent:.3f}   published 2.5")
# k with the exponent 2.5: the rate^0.4 is a straight line in D
intercept, slope = study.line(ORIFICES, [rate ** 0.4 for rate in rates])
print(f"k with the exponent 2.5: {(RIM - intercept / slope) / MEAN:.2f}   published 1.4 to 1.5")
