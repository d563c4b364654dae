# SPDX-License-Identifier: Apache-2.0
# The built-in scenes of grains and of the shaken wall, made small, against what is known of them.
"""usage: test_grain_scenes.py PROGRAM ROOT"""
import csv
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import ROOT, Folder, check, check_status, finish

GRAVITY = 9.81


def run(folder, scene, *words, **parameters):
    """Rows of sensors.csv."""
    sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
    done = folder.cairn("run", scene, *sets, "--paraview-every", "0", "--quiet", "--out", "r", *words)
    check_status(done, 0, f"{scene} {parameters}")
    with open(folder.path + "/r/sensors.csv") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def grains(folder):
    """(x, y, z) of the dynamic bodies at the end."""
    with open(folder.path + "/r/bodies.csv") as file:
        return [[float(row[f"position {axis} [m]"]) for axis in "xyz"]
                for row in csv.DictReader(file) if row["kind"] == "dynamic"]


def mean(values):
    return sum(values) / len(values)


def slope(xs, ys):
    x, y = mean(xs), mean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def check_drum(folder):
    """The torque holds the grains' weight aside of the axis, by the slope of the surface."""
    radius, grain, asides = 6, 0.01, []
    # avalanches move the centre of so few grains: it is looked at three times
    for turn in (1.3, 1.4, 1.5):
        rows = run(folder, "drum", radius=radius, length=4, froude=0.01, turn=turn)
        places = grains(folder)
        asides.append(mean([x for x, _, _ in places]))
    late = [row["drum torque y [N m]"] for row in rows if row["time [s]"] > 0.6 * rows[-1]["time [s]"]]
    # sizes are uniform from 0.9 to 1.1: the mean of their cubes is 1.01
    weight = len(places) * 2500 * GRAVITY * math.pi / 6 * 1.01 * grain ** 3
    aside = mean(asides)
    check(abs(mean(late) / (weight * aside) - 1) < 0.15, f"drum: torque {mean(late)} N m, weight aside {weight * aside}")
    deep = math.hypot(aside, mean([z for _, _, z in places]))
    angle = math.degrees(math.asin(mean(late) / (weight * deep)))
    # glass beads flow steadily between 20.9 and 32.8 degrees; in a drum of a few grains somewhat more
    check(20.9 < angle < 38, f"drum: {angle} degrees")
    check(max(math.hypot(x, z) for x, _, z in places) < radius * grain, "drum: all grains are inside")


def check_tube(folder):
    """Run-out of a column whose tube is gone at once; a steeper heap where rolling is resisted."""
    radius, grain = 4, 0.01
    for aspect in (1.0, 2.0):
        run(folder, "lifted_cylinder", radius=radius, aspect=aspect, speed=5)
        reach = sorted(math.hypot(x, y) for x, y, _ in grains(folder))
        grown = reach[int(0.97 * len(reach))] / (radius * grain) - 1
        published = 1.24 * aspect if aspect < 1.7 else 1.6 * math.sqrt(aspect)
        check(abs(grown / published - 1) < 0.2, f"tube: run-out {grown} of {aspect}, published {published}")
    heights = []
    for rolling in (0.0, 0.2):
        run(folder, "lifted_cylinder", radius=4, aspect=1.5, speed=0.15, rolling_friction=rolling)
        heights.append(mean(sorted(z for _, _, z in grains(folder))[-10:]))
    check(heights[1] > 1.15 * heights[0], f"tube: heights {heights} without and with resistance to rolling")


def check_penetration(folder):
    """The depth goes with the third root of the way that the ball falls."""
    ball, found = 3 * 0.002, []
    for drop in (0.5, 6.0):
        rows = run(folder, "penetration", ball=3, drop=drop)
        low = [row["ball position z [m]"] for row in rows]
        first = next(z for z, row in zip(low, rows) if row["contact force z [N]"] != 0)
        depth = first - min(low)
        found.append((math.log(low[0] - first + depth), math.log(depth)))
        check(0.1 * ball < depth < 2 * ball, f"penetration: {depth} m")
    exponent = slope(*zip(*found))
    check(abs(exponent - 1 / 3) < 0.1, f"penetration: exponent {exponent} of the way that the ball falls")


def check_mill(folder):
    """Power beside the formula of Rose and Sullivan for dry mills of a laboratory."""
    share, filling, diameter, length = 0.7, 0.35, 0.6, 0.2
    rows = run(folder, "ball_mill", critical=share, filling=filling, diameter=diameter, length=length, ore=0, turns=1.6)
    late = [row["shell torque y [N m]"] for row in rows if row["time [s]"] > 0.4 * rows[-1]["time [s]"]]
    power = mean(late) * share * math.sqrt(GRAVITY / (0.5 * diameter - 0.025))
    f = 3.045 * filling + 4.55 * filling ** 2 - 20.4 * filling ** 3 + 12.9 * filling ** 4
    formula = 1.12 * diameter ** 2.5 * length * 7800 * share * f
    check(abs(power / formula - 1) < 0.25, f"mill: {power} W, formula {formula}")


def check_hopper(folder):
    """A steady rate of a cone and of a flat floor, more through the steeper cone, and no mass lost."""
    rates = []
    for file in ("data/hopper_30.obj", "data/hopper_60.obj"):
        rows = run(folder, "mesh_hopper", "--until", "0.5", file=file, orifice=5, depth=2)
        mass = [row["out mass [kg]"] for row in rows]
        steady = [(row["time [s]"], m) for row, m in zip(rows, mass) if 0.15 * mass[-1] < m < 0.6 * mass[-1]]
        rates.append(slope(*zip(*steady)))
        summary = json.loads(folder.read("r/summary.json"))
        check(abs(summary["outlets"][0]["mass"] - mass[-1]) < 1e-9, f"hopper: outlet {summary['outlets']}, {mass[-1]} kg")
    rows = run(folder, "silo", "--until", "0.65", width=9, depth=16, orifice=5.5)
    mass = [(row["time [s]"], row["drained mass [kg]"]) for row in rows]
    halves = [[each for each in mass if low * mass[-1][1] < each[1] < high * mass[-1][1]] for low, high in ((0.1, 0.35), (0.35, 0.6))]
    first, second = (slope(*zip(*half)) for half in halves)
    check(abs(first / second - 1) < 0.2, f"silo: {first} and {second} kg/s while it empties")
    beverloo = 0.58 * 2500 * 0.57 * math.sqrt(GRAVITY) * ((5.5 - 1.4) * 0.004) ** 2.5
    check(0.65 < first / beverloo < 1.1, f"silo: {first} kg/s, Beverloo {beverloo}")
    # (tan 30 / tan 60)^-0.35 = 1.47 by Rose and Tanaka
    check(1.15 < rates[0] / rates[1] < 1.75, f"hopper: rates {rates}")


def check_box(folder):
    """Plates that feel a force hold the stress, and the friction angle is that of spheres."""
    rows = run(folder, "triaxial_box", grains=400, strain=0.08, rate=0.3)
    wide = 0.5 * rows[0]["roof position z [m]"]
    held, angles = [], []
    for row in rows:
        x, y = (wide + abs(row[f"{axis} position {axis} [m]"] - rows[0][f"{axis} position {axis} [m]"]) for axis in "xy")
        height = row["roof position z [m]"] - row["floor position z [m]"]
        if row["time [s]"] > 0.5:
            held.append(abs(row["side force x [N]"]) / (y * height))
            pressed = abs(row["push force z [N]"]) / (x * y)
            angles.append(math.degrees(math.asin((pressed - held[-1]) / (pressed + held[-1]))))
    check(abs(mean(held) / 1000 - 1) < 0.003, f"box: {mean(held)} Pa on the plates, wanted 1000")
    check(15 < mean(angles) < 24, f"box: friction angle {mean(angles)} degrees")


def record():
    with open(os.path.join(ROOT, "scenes/library/data/quake.csv")) as file:
        return [[float(word) for word in line.split(",")] for line in file.read().splitlines()[1:]]


def housner(width, height, scale, end, step=2e-4):
    """Largest angle by which a rigid block rocks, rad: Housner's equation, with the vertical acceleration."""
    rows, reach, slender = record(), 0.5 * math.hypot(width, height), math.atan2(width, height)
    kept = 1 - 1.5 * math.sin(slender) ** 2
    angle = rate = most = 0.0
    for i in range(round(end / step)):
        row, share = divmod(i * step / 0.01, 1)
        a, b = rows[int(row)], rows[int(row) + 1]
        ax, az = (GRAVITY * scale * (a[k] + share * (b[k] - a[k])) for k in (1, 2))
        if angle == rate == 0.0:
            if abs(ax) * height <= (GRAVITY + az) * width:
                continue
            angle = math.copysign(1e-12, -ax)
        lean = math.copysign(slender, angle) - angle
        rate -= step * 0.75 / reach * ((GRAVITY + az) * math.sin(lean) + ax * math.cos(lean))
        old, angle = angle, angle + step * rate
        if old * angle < 0:
            rate *= kept
        most = max(most, abs(angle))
    return most


def check_wall(folder):
    """A wall stands below West's acceleration; a block rocks as Housner's."""
    width, height, end = 0.25, 1.5, 3.4
    # 0.35 g times 0.45 is less than width/height, with the vertical component too
    rows = run(folder, "shaken_wall", "--until", "3", scale=0.45, stones=2, courses=4)
    check(max(abs(row["top position x [m]"]) for row in rows) < 1e-5, "wall: it stands below West's acceleration")
    rows = run(folder, "shaken_wall", "--until", str(end), "--step", "0.001", courses=1, stones=1, width=width, height=height)
    angle, before, most = 0.0, 0.0, 0.0
    for row in rows:
        angle += (row["time [s]"] - before) * row["rocking angular_velocity y [rad/s]"]
        before, most = row["time [s]"], max(most, abs(angle))
    theory = housner(width, height, 1.0, end)
    check(0.01 < theory and abs(most / theory - 1) < 0.2, f"wall: the block rocks by {most} rad, theory {theory}")


def main():
    with Folder() as folder:
        for part in (check_drum, check_tube, check_penetration, check_mill, check_hopper, check_box, check_wall):
            part(folder)
    finish()


main()
