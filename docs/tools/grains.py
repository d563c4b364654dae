# SPDX-License-Identifier: Apache-2.0
# Plots of grains: of runs that are made for them, and of tables of the page of classics.
import csv
import math
import os

import numpy
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


def run_scene(run, work, scene, *words, **parameters):
    """Sensors of a run."""
    sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
    out = "plotted_" + scene
    run(["run", scene, *sets, *words, "--out", out, "--paraview", "none", "--trajectory-every", "0", "--quiet"])
    return sensors(os.path.join(work, out))


def kept_lines(page, section, corner):
    """[[cell]] of the table of a section of the page of classics whose first cell says `corner`; runs of minutes made it."""
    lines = page.split(f"## {section}\n")[1].split("\n## ")[0].splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(f"| {corner} |")), None)
    if begin is None:
        raise SystemExit(f"plots: section {section!r} of the classics has no table that begins with {corner!r}")
    table = lines[begin:]
    end = next((i for i, line in enumerate(table) if not line.startswith("|")), len(table))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[:end]]
    return [row for row in rows if not row[0].startswith("---")]


def number(cell):
    """The first number of a cell: what follows it is a range or a unit."""
    return float(cell.split()[0])


def kept_rows(page, section, corner):
    """{label: numbers} of a table with a quantity a row."""
    return {label: numpy.array([number(cell) for cell in cells if cell])
            for label, *cells in kept_lines(page, section, corner)}


def kept_columns(page, section, corner, *labels):
    """The columns with these labels of a table with a quantity a column."""
    head, *rows = kept_lines(page, section, corner)
    return [numpy.array([number(row[head.index(label)]) for row in rows]) for label in labels]


def draw_hopper(page, path):
    """Grains a second over (D/d - k)^2.5."""
    width, rate = kept_columns(page, "Hopper", "D/d", "D/d", "grains/s")
    fine = numpy.linspace(0.9 * width.min(), 1.05 * width.max(), 100)
    scale = numpy.mean(rate / (width - 1.4) ** 2.5)
    plt.figure(figsize=(7, 3.6))
    plt.loglog(fine - 1.4, scale * (fine - 1.4) ** 2.5, "k-", linewidth=3, alpha=0.3, label="exponent 2.5 (Beverloo)")
    plt.loglog(width - 1.4, rate, "o", color="tab:blue", label="cairn")
    plt.xlabel("D/d - 1.4")
    plt.ylabel("grains a second")
    plt.legend()
    finish(path)


def draw_column(page, path):
    """Run-out over height."""
    height, runout = kept_columns(page, "Granular column", "height / length a", "height / length a", "run-out / length")
    plt.figure(figsize=(7, 3.6))
    plt.loglog([0.7, 2], [2.5 * 0.7, 2.5 * 2], "k-", linewidth=3, alpha=0.3,
               label="2.5 a, then 3.25 a^0.7 (Staron and Hinch 2005)")
    fine = numpy.linspace(2, 1.05 * height.max(), 50)
    plt.loglog(fine, 3.25 * fine ** 0.7, "k-", linewidth=3, alpha=0.3)
    plt.loglog(height, runout, "o", color="tab:blue", label="cairn")
    plt.xlabel("height / length a of the column")
    plt.ylabel("run-out / length")
    plt.legend()
    finish(path)


def draw_drum(page, path):
    table = kept_rows(page, "Rotating drum", "Froude number")
    plt.figure(figsize=(7, 3.8))
    for label, name in (("angle, smooth ends", "smooth ends"), ("angle, `end_friction=0.5`", "ends with the friction of the grains")):
        plt.semilogx(table["Froude number"], table[label], "o-", linewidth=1, label=name)
    plt.axhspan(20.9, 32.8, alpha=0.12, label="steady flows of glass beads (Jop et al. 2006)")
    plt.xlabel("Froude number")
    plt.ylabel("angle of the surface [degrees]")
    plt.legend()
    finish(path)


def draw_tube(page, path):
    table = kept_rows(page, "Lifted cylinder", "height / radius a")
    plt.figure(figsize=(7, 3.8))
    plt.loglog(table["height / radius a"], table["growth of the radius"], "o", label="lifted_cylinder at 5 m/s, 97 % of the grains")
    fine = [0.4 * 1.05 ** i for i in range(60)]
    plt.loglog(fine, [1.24 * a if a < 1.7 else 1.6 * math.sqrt(a) for a in fine], "-", linewidth=1, label="Lube et al. 2004")
    plt.xlabel("height over radius of the column")
    plt.ylabel("growth of its radius")
    plt.legend()
    finish(path)


def draw_penetration(page, path):
    table = kept_rows(page, "Penetration", "H / D")
    plt.figure(figsize=(7, 3.8))
    plt.loglog(table["H / D"], table["d / D"], "o", label="penetration, a ball of 6 grains")
    fine = [0.4 * 1.1 ** i for i in range(45)]
    for factor, name in ((0.14, "law of Uehara et al. 2003"), (0.08, "the same, 0.08 in place of 0.14")):
        # angle of repose of the grains 18.9 degrees, their share of the bed 0.6
        plt.loglog(fine, [factor / math.tan(math.radians(18.9)) * math.sqrt(2.0 / 0.6) * way ** (1 / 3) for way in fine], "-",
                   linewidth=1, label=name)
    plt.xlabel("way of the ball in all, in its diameters")
    plt.ylabel("depth, in its diameters")
    plt.legend()
    finish(path)


def draw_mill(page, path):
    table = kept_rows(page, "Ball mill", "share of the critical speed")
    shares = table["share of the critical speed"]
    formula = table["Rose and Sullivan, W"]
    plt.figure(figsize=(7, 3.8))
    for label, mark in (("balls alone, W", "o"), ("with a fifth of ore, W", "s")):
        plt.plot(shares, table[label], mark, label="ball_mill, " + label[:-3])
    plt.plot(shares[:len(formula)], formula, "-", linewidth=1, label="Rose and Sullivan 1957, balls alone")
    plt.xlabel("share of the critical speed")
    plt.ylabel("power [W]")
    plt.legend()
    finish(path)


def draw_wall(run, work, path):
    figure, rows = plt.subplots(2, 1, figsize=(7, 4.6), sharex=True)
    with open(os.path.join(os.path.dirname(__file__), "../../scenes/library/data/quake.csv"), encoding="utf-8") as file:
        record = [[float(word) for word in line.split(",")] for line in file.read().splitlines()[1:]]
    rows[0].plot([row[0] for row in record], [row[1] for row in record], linewidth=0.8)
    rows[0].set_ylabel("ground [g]")
    for scale in (0.45, 1.0):
        table = run_scene(run, work, "shaken_wall", scale=scale)
        rows[1].plot(table["time [s]"], [1000 * x for x in table["top position x [m]"]], linewidth=0.8,
                     label=f"peak {0.35 * scale:.2f} g")
    rows[1].set_ylabel("top course [mm]")
    rows[1].set_xlabel("time [s]")
    rows[1].legend()
    figure.align_labels()
    finish(path)


def draw_cones(run, work, path):
    plt.figure(figsize=(7, 3.8))
    for angle in (30, 60):
        table = run_scene(run, work, "mesh_hopper", file=f"data/hopper_{angle}.obj")
        plt.plot(table["time [s]"], table["out mass [kg]"], linewidth=1, label=f"cone of {angle} degrees from the vertical")
    plt.xlabel("time [s]")
    plt.ylabel("mass that has left [kg]")
    plt.legend()
    finish(path)
