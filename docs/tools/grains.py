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


def bodies(folder):
    """[(x, y, z)] of the dynamic bodies at the end of a run."""
    with open(os.path.join(folder, "bodies.csv"), encoding="utf-8") as file:
        return [[float(row[f"position {axis} [m]"]) for axis in "xyz"]
                for row in csv.DictReader(file) if row["kind"] == "dynamic"]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def run_scene(run, work, scene, *words, **parameters):
    """Sensors of a run, and its folder."""
    sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
    out = "plotted_" + scene
    run(["run", scene, *sets, *words, "--out", out, "--paraview", "none", "--trajectory-every", "0", "--quiet"])
    folder = os.path.join(work, out)
    return sensors(folder), folder


def drum_angle(table, places):
    """Dynamic angle of repose, degrees: by the torque that holds the weight of the grains."""
    end = table["time [s]"][-1]
    torque = mean(t for t, time in zip(table["drum torque y [N m]"], table["time [s]"]) if time > 0.5 * end)
    weight = len(places) * 2500 * 9.81 * math.pi / 6 * 1.01 * 0.01 ** 3
    deep = math.hypot(mean(p[0] for p in places), mean(p[2] for p in places))
    return math.degrees(math.asin(torque / weight / deep))


def draw_drum(run, work, path):
    plt.figure(figsize=(7, 3.8))
    for friction, name in ((0.0, "smooth ends"), (0.5, "ends with the friction of the grains")):
        froudes, angles = (0.001, 0.003, 0.01, 0.03, 0.1), []
        for froude in froudes:
            table, folder = run_scene(run, work, "drum", froude=froude, end_friction=friction)
            angles.append(drum_angle(table, bodies(folder)))
        plt.semilogx(froudes, angles, "o-", linewidth=1, label=name)
        print("drum:", name, [round(angle, 1) for angle in angles])
    plt.axhspan(20.9, 32.8, alpha=0.12, label="steady flows of glass beads (Jop et al. 2006)")
    plt.xlabel("Froude number")
    plt.ylabel("angle of the surface [degrees]")
    plt.legend()
    finish(path)


def draw_tube(run, work, path):
    plt.figure(figsize=(7, 3.8))
    aspects, grown = (0.5, 1.0, 1.5, 3.0, 6.0), []
    for aspect in aspects:
        _, folder = run_scene(run, work, "lifted_cylinder", aspect=aspect, speed=5)
        reach = sorted(math.hypot(x, y) for x, y, _ in bodies(folder))
        grown.append(reach[int(0.97 * len(reach))] / 0.07 - 1)
    print("tube:", [round(each, 2) for each in grown])
    plt.loglog(aspects, grown, "o", label="lifted_cylinder at 5 m/s, 97 % of the grains")
    fine = [0.4 * 1.05 ** i for i in range(60)]
    plt.loglog(fine, [1.24 * a if a < 1.7 else 1.6 * math.sqrt(a) for a in fine], "-", linewidth=1, label="Lube et al. 2004")
    plt.xlabel("height over radius of the column")
    plt.ylabel("growth of its radius")
    plt.legend()
    finish(path)


def penetration_depth(table):
    """Depth of the ball and the way that it falls in all, m; the surface is where it first touches a grain."""
    low = table["ball position z [m]"]
    first = next(z for z, force in zip(low, table["contact force z [N]"]) if force != 0)
    depth = first - min(low)
    return depth, low[0] - first + depth


def draw_penetration(run, work, path):
    plt.figure(figsize=(7, 3.8))
    found = []
    for drop in (0.25, 1.0, 4.0, 16.0):
        table, _ = run_scene(run, work, "penetration", drop=drop, ball=6, width=4.5, depth=2.5)
        found.append([length / 0.012 for length in penetration_depth(table)])
    print("penetration:", [[round(value, 3) for value in each] for each in found])
    plt.loglog([way for _, way in found], [depth for depth, _ in found], "o", label="penetration, a ball of 6 grains")
    fine = [0.4 * 1.1 ** i for i in range(45)]
    for factor, name in ((0.14, "law of Uehara et al. 2003"), (0.08, "the same, 0.08 in place of 0.14")):
        # angle of repose of the grains 18.9 degrees, their share of the bed 0.6
        plt.loglog(fine, [factor / math.tan(math.radians(18.9)) * math.sqrt(2.0 / 0.6) * way ** (1 / 3) for way in fine], "-",
                   linewidth=1, label=name)
    plt.xlabel("way of the ball in all, in its diameters")
    plt.ylabel("depth, in its diameters")
    plt.legend()
    finish(path)


def draw_wall(run, work, path):
    figure, rows = plt.subplots(2, 1, figsize=(7, 4.6), sharex=True)
    with open(os.path.join(os.path.dirname(__file__), "../../scenes/library/data/quake.csv"), encoding="utf-8") as file:
        record = [[float(word) for word in line.split(",")] for line in file.read().splitlines()[1:]]
    rows[0].plot([row[0] for row in record], [row[1] for row in record], linewidth=0.8)
    rows[0].set_ylabel("ground [g]")
    for scale in (0.45, 1.0):
        table, _ = run_scene(run, work, "shaken_wall", scale=scale)
        rows[1].plot(table["time [s]"], [1000 * x for x in table["top position x [m]"]], linewidth=0.8,
                     label=f"peak {0.35 * scale:.2f} g")
    rows[1].set_ylabel("top course [mm]")
    rows[1].set_xlabel("time [s]")
    rows[1].legend()
    figure.align_labels()
    finish(path)


def mill_formula(share, filling):
    """Power of the scene's dry mill by Rose and Sullivan, W: diameter 1 m, length 0.25 m, balls alone."""
    f = 3.045 * filling + 4.55 * filling ** 2 - 20.4 * filling ** 3 + 12.9 * filling ** 4
    return 1.12 * 0.25 * 7800 * share * f


def draw_mill(run, work, path):
    plt.figure(figsize=(7, 3.8))
    for ore, mark in ((0.0, "o"), (0.2, "s")):
        shares, powers = (0.3, 0.5, 0.65, 0.75, 0.9), []
        for share in shares:
            table, _ = run_scene(run, work, "ball_mill", critical=share, ore=ore)
            end = table["time [s]"][-1]
            torque = mean(t for t, time in zip(table["shell torque y [N m]"], table["time [s]"]) if time > 0.4 * end)
            powers.append(torque * share * math.sqrt(9.81 / 0.475))
        print("mill:", ore, [round(power) for power in powers], [round(mill_formula(share, 0.3)) for share in shares])
        plt.plot(shares, powers, mark, label=f"ball_mill, ore {ore:g} of the charge")
    fine = [0.2, 0.8]
    plt.plot(fine, [mill_formula(share, 0.3) for share in fine], "-", linewidth=1, label="Rose and Sullivan 1957, balls alone")
    plt.xlabel("share of the critical speed")
    plt.ylabel("power [W]")
    plt.legend()
    finish(path)


def draw_cones(run, work, path):
    plt.figure(figsize=(7, 3.8))
    for angle in (30, 60):
        table, _ = run_scene(run, work, "mesh_hopper", file=f"data/hopper_{angle}.obj")
        plt.plot(table["time [s]"], table["out mass [kg]"], linewidth=1, label=f"cone of {angle} degrees from the vertical")
    plt.xlabel("time [s]")
    plt.ylabel("mass that has left [kg]")
    plt.legend()
    finish(path)
