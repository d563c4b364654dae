#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Friction angles of a triaxial test by rigid contacts, solved to 1e-8, and by springs, from the same packings, between
# walls or in a periodic cell that is driven to its stress.
"""usage: triaxial.py PROGRAM FOLDER [SAMPLES [walls | cell [WORDS...]]]

Samples of 120 spheres (default 6; one or two CPU minutes each); SAMPLES may be a range as 7-12. What was run before is
not run again, so that a test can go on where it stopped. WORDS as hooke:stiffness=8000 change a parameter of the scene for
a law, or with rate=0.25 for both.
"""
import csv
import math
import os
import shutil
import statistics
import sys

import study

WIDTH = 0.01  # of the classes of axial strain
CLASSES = 24
HERE = os.path.dirname(os.path.abspath(__file__))
RIGID = ["--tolerance", "1e-8"]
COMMON = ["--trajectory-every", "0", "--accept-unsolved"]


def table_of(folder):
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def cell_rows(folder):
    """As rows(), of a cell; the shear begins after 0.02 s."""
    shear = [row for row in table_of(folder) if row["time [s]"] > 0.02]
    tall = shear[0]["side sides z [m]"]
    for row in shear:
        yield (math.log(tall / row["side sides z [m]"]), row["cell stress zz [Pa]"],
               0.5 * (row["cell stress xx [Pa]"] + row["cell stress yy [Pa]"]))


def wall_rows(folder):
    """(axial strain, axial stress, mean of the stresses at the sides) of every row in shear."""
    table = table_of(folder)
    wide = table[0]["y position y [m]"] / 1.05
    for row in table:
        height = 2 * wide - row["floor position z [m]"]
        x, y = 0.95 * wide - row["x position x [m]"], row["y position y [m]"] - 0.05 * wide
        if row["floor position z [m]"] > 0:
            sides = abs(row["x push force x [N]"]) / (y * height) + abs(row["y push force y [N]"]) / (x * height)
            yield math.log(2 * wide / height), abs(row["push force z [N]"]) / (x * y), 0.5 * sides


def sample_of(folder, rows_of):
    """Mean axial and side stress of each class of strain, Pa; mean side stress, Pa."""
    classes, held = {}, []
    for strain, axial, side in rows_of(folder):
        classes.setdefault(min(int(strain / WIDTH), CLASSES), []).append((axial, side))
        held.append(side)
    return [tuple(map(statistics.mean, zip(*classes[k]))) for k in sorted(classes)], statistics.mean(held)


def angle(stresses):
    axial, side = stresses
    return math.degrees(math.asin((axial - side) / (axial + side)))


def packing(seed):
    """Grains and sides of a cell that springs squeezed to the stress; the folder and the words for the scene."""
    made = study.run(f"packing-{seed}", os.path.join(HERE, "triaxial_cell.lua"), "--seed", str(seed), *COMMON)
    for name in ("triaxial_cell.lua", "triaxial_grains.lua"):
        shutil.copy(os.path.join(HERE, name), made)
    with open(os.path.join(made, "bodies.csv"), encoding="utf-8") as file, \
            open(os.path.join(made, "grains.csv"), "w", encoding="ascii") as out:
        out.write("x, y, z, radius\n")
        out.writelines(", ".join([*(row[f"position {axis} [m]"] for axis in "xyz"), row["radius [m]"]]) + "\n"
                       for row in csv.DictReader(file))
    last = table_of(made)[-1]
    return made, {"file": "grains.csv", **{f"side_{axis}": repr(last[f"side sides {axis} [m]"]) for axis in "xyz"}}


def run(name, seed, where, *words, **parameters):
    """The folder of one sample by one law."""
    if where == "walls":
        return study.run(f"triaxial_laws-{name}-{seed}", os.path.join(HERE, "triaxial_laws.lua"), "--seed", str(seed),
                         *COMMON, *words, **parameters)
    made, sides = packing(seed)
    return study.run(f"triaxial_cell-{name}-{seed}", os.path.join(made, "triaxial_cell.lua"), *COMMON, *words,
                     **sides, **parameters)


def peak_of(curves):
    """Greatest angle of the curve of mean stresses, over three classes of strain, and the class where it begins."""
    mean = [tuple(map(statistics.mean, zip(*values))) for values in zip(*curves)]
    angles = [angle(tuple(map(statistics.mean, zip(*mean[k:k + 3])))) for k in range(len(mean) - 2)]
    return max(angles), angles.index(max(angles))


def critical_of(curves):
    """Angle of the mean stresses beyond a strain of 0.1."""
    return angle([statistics.mean(values[i] for curve in curves for values in curve[10:CLASSES]) for i in (0, 1)])


def errors(of, *families):
    """Standard errors of a figure of each family, and of the ratio of two, by leaving out one sample after the other."""
    count = len(families[0])
    if count < 3:
        return [math.nan] * 3
    left = [[of(family[:i] + family[i + 1:]) for family in families] for i in range(count)]
    values = [*zip(*left)] + [[b / a for a, b in left]]
    return [math.sqrt((count - 1) ** 2 / count) * statistics.stdev(one) for one in values]


def family(name, seeds, where, *words, **parameters):
    curves, worst, unsolved = [], 0.0, 0
    for seed in seeds:
        folder = run(name, seed, where, *words, **parameters)
        curve, held = sample_of(folder, cell_rows if where == "cell" else wall_rows)
        curves.append(curve[:CLASSES])
        worst = max(worst, abs(held / 1000 - 1))
        unsolved += study.summary(folder)["steps_unsolved"]
    print(f"{name}: side stress off by at most {100 * worst:.3f} % in the mean of a sample; "
          f"{unsolved} steps above the tolerance", flush=True)
    return curves


def main():
    first, _, last = (sys.argv[3] if len(sys.argv) > 3 else "6").rpartition("-")
    seeds = range(int(first or 1), int(last) + 1)
    where = sys.argv[4] if len(sys.argv) > 4 else "walls"
    sets = {"hooke": {}, "rigid": {}}
    for word in sys.argv[5:]:
        laws, _, setting = word.rpartition(":")
        key, _, value = setting.partition("=")
        for law in [laws] if laws else sets:
            sets[law][key] = value
    name_of = lambda law: "-".join([law, *(f"{key}{value}" for key, value in sorted(sets[law].items()))])
    hooke = family(name_of("hooke"), seeds, where, **sets["hooke"])
    rigid = family(name_of("rigid"), seeds, where, *RIGID, **{"rigid": "true", "step": 1e-3, **sets["rigid"]})
    for title, of in (("critical", critical_of), ("peak", lambda curves: peak_of(curves)[0])):
        a, b, ratio = errors(of, hooke, rigid)
        print(f"{title:8} hooke {of(hooke):6.2f} +- {a:.2f}, rigid {of(rigid):6.2f} +- {b:.2f} degrees; rigid over hooke "
              f"{of(rigid) / of(hooke):.3f} +- {ratio:.3f}")
    print("classes of strain with the peak:", peak_of(hooke)[1], peak_of(rigid)[1])
    print("degrees in each class:\n" + "\n".join(
        f"{WIDTH * (k + 0.5):.3f} " + " ".join(
            f"{angle(tuple(map(statistics.mean, zip(*(curve[k] for curve in curves))))):6.2f}" for curves in (hooke, rigid))
        for k in range(CLASSES)))


if __name__ == "__main__":
    main()
