#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Friction angles of a triaxial test by rigid contacts, solved to 1e-8, and by springs, from the same packings, between
# walls or in a periodic cell that is driven to its stress.
"""usage: triaxial.py PROGRAM FOLDER [SAMPLES [walls | cell]]       (samples of 120 spheres, default 6; two CPU minutes each)"""
import csv
import math
import os
import statistics
import sys

import study

WIDTH = 0.01  # of the classes of axial strain
HERE = os.path.dirname(os.path.abspath(__file__))


def table_of(folder):
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def cell_rows(folder):
    """As rows(), of a cell; the shear begins after 0.2 s."""
    shear = [row for row in table_of(folder) if row["time [s]"] > 0.2]
    tall = shear[0]["side sides z [m]"]
    for row in shear:
        yield (math.log(tall / row["side sides z [m]"]), row["cell stress zz [Pa]"],
               0.5 * (row["cell stress xx [Pa]"] + row["cell stress yy [Pa]"]))


def rows(folder):
    """(axial strain, axial stress, mean of the stresses at the sides) of every row in shear."""
    table = table_of(folder)
    wide = table[0]["y position y [m]"] / 1.05
    for row in table:
        height = 2 * wide - row["floor position z [m]"]
        x, y = 0.95 * wide - row["x position x [m]"], row["y position y [m]"] - 0.05 * wide
        if row["floor position z [m]"] > 0:
            sides = abs(row["x push force x [N]"]) / (y * height) + abs(row["y push force y [N]"]) / (x * height)
            yield math.log(2 * wide / height), abs(row["push force z [N]"]) / (x * y), 0.5 * sides


def angles(folder, rows_of):
    """Friction angle in each class of strain, degrees; mean stress at the sides, Pa."""
    classes, held = {}, []
    for strain, axial, side in rows_of(folder):
        classes.setdefault(min(int(strain / WIDTH), 24), []).append(math.degrees(math.asin((axial - side) / (axial + side))))
        held.append(side)
    return [statistics.mean(classes[k]) for k in sorted(classes)], statistics.mean(held)


def family(name, samples, scene, *words, **parameters):
    curves, worst, unsolved = [], 0.0, 0
    for seed in range(1, samples + 1):
        folder = study.run(f"{scene[0][:-4]}-{name}-{seed}", os.path.join(HERE, scene[0]), "--seed", str(seed),
                           "--trajectory-every", "0", "--accept-unsolved", *words, **parameters)
        curve, held = angles(folder, scene[1])
        curves.append(curve)
        worst = max(worst, abs(held / 1000 - 1))
        unsolved += study.summary(folder)["steps_unsolved"]
    # critical: means of a sample beyond a strain of 0.1; peak: the highest mean of all over five classes
    critical = [statistics.mean(curve[10:]) for curve in curves]
    mean = [statistics.mean(values) for values in zip(*curves)]
    peak = max(statistics.mean(mean[k:k + 5]) for k in range(len(mean) - 4))
    error = statistics.stdev(critical) / math.sqrt(samples) if samples > 1 else math.nan
    print(f"{name:6} critical {statistics.mean(critical):6.2f} +- {error:.2f}, peak {peak:6.2f} degrees; side stress off by at most "
          f"{100 * worst:.3f} % in the mean of a sample; {unsolved} steps above the tolerance", flush=True)
    return statistics.mean(critical), peak


if __name__ == "__main__":
    SAMPLES = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    SCENE = {"walls": ("triaxial_laws.lua", rows), "cell": ("triaxial_cell.lua", cell_rows)}[sys.argv[4] if len(sys.argv) > 4 else "walls"]
    hooke = family("hooke", SAMPLES, SCENE)
    rigid = family("rigid", SAMPLES, SCENE, "--tolerance", "1e-8", rigid="true", step=2e-3)
    print("rigid over hooke: critical {:.3f}, peak {:.3f}".format(*(a / b for a, b in zip(rigid, hooke))))
