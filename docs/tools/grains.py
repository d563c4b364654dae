# SPDX-License-Identifier: Apache-2.0
# Plots of the scenes of sheared and compressed grains.
import csv
import math
import os

import matplotlib.pyplot as plt


def sensors(folder):
    """{column: [numbers]} of a run."""
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def finish(path):
    plt.tight_layout()
    plt.savefig(path, dpi=110)
    plt.close()


def draw_triaxial(run, work, path):
    run(["run", "triaxial", "--out", "plotted_triaxial", "--paraview", "none", "--quiet"])
    table = sensors(os.path.join(work, "plotted_triaxial"))
    first = next(i for i, t in enumerate(table["time [s]"]) if t >= 0.4)
    height = table["side sides z [m]"]
    strain = [100.0 * math.log(height[first] / each) for each in height[first:]]
    xx, yy, zz = (table[f"cell stress {axes} [Pa]"][first:] for axes in ("xx", "yy", "zz"))
    angle = [math.degrees(math.asin((z - 0.5 * (x + y)) / (z + 0.5 * (x + y)))) for x, y, z in zip(xx, yy, zz)]
    figure, left = plt.subplots(figsize=(7, 3.8))
    left.plot(strain, angle, linewidth=1, label="friction angle")
    left.set_xlabel("axial strain [%]")
    left.set_ylabel("friction angle [degrees]")
    right = left.twinx()
    right.plot(strain, table["porosity porosity"][first:], "C1", linewidth=1)
    right.set_ylabel("porosity", color="C1")
    figure.align_labels()
    finish(path)


def draw_shear(run, work, path):
    rates, measured = (0.01, 0.03, 0.1, 0.3), []
    for inertia in rates:
        run(["run", "simple_shear", "--set", f"inertia={inertia}", "--out", "plotted_shear", "--paraview", "none",
             "--quiet"])
        table = sensors(os.path.join(work, "plotted_shear"))
        late = [i for i, strain in enumerate(table["shear shear xz"]) if strain > 2.0]
        measured.append(-sum(table["cell stress xz [Pa]"][i] for i in late) /
                        sum(table["cell stress zz [Pa]"][i] for i in late))
    plt.figure(figsize=(7, 3.8))
    plt.semilogx(rates, measured, "o", label="simple_shear, 500 spheres")
    fine = [10.0 ** (-2.3 + 0.02 * i) for i in range(95)]
    plt.semilogx(fine, [0.38 + 0.26 / (1.0 + 0.279 / each) for each in fine], "-", linewidth=1,
                 label="glass beads (Jop et al. 2006)")
    plt.xlabel("inertial number I")
    plt.ylabel("effective friction")
    plt.legend()
    finish(path)
