# SPDX-License-Identifier: Apache-2.0
# Figures of the built-in scenes of grains and of the shaken wall, beside those that are published.
"""usage: grain_scenes.py PROGRAM FOLDER [drum|tube|heap|penetration|mill|cones|wall ...]     (default: all)"""
import csv
import math
import os
import sys

import study

GRAVITY = 9.81
QUIET = ("--paraview", "none", "--trajectory-every", "0")


def sensors(folder):
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def run(name, scene, *words, **parameters):
    folder = study.run(name, scene, *QUIET, *words, **parameters)
    return sensors(folder), folder


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def drum():
    print("Froude number, radius in grains, friction of the ends: angle of the surface, degrees")
    cases = [(froude, 12, 6, 0.0) for froude in (0.001, 0.003, 0.01, 0.03, 0.1)]
    cases += [(froude, 12, 6, 0.5) for froude in (0.001, 0.003, 0.01, 0.03, 0.1)] + [(0.003, 20, 8, 0.0), (0.03, 20, 8, 0.0)]
    for froude, radius, length, ends in cases:
        rows, folder = run(f"drum-{froude}-{radius}-{ends}", "drum", froude=froude, radius=radius, length=length, end_friction=ends)
        places = study.dynamic_bodies(folder)
        torque = mean(row["drum torque y [N m]"] for row in rows if row["time [s]"] > 0.5 * rows[-1]["time [s]"])
        # the mean of the cubes of sizes from 0.9 to 1.1 is 1.01
        weight = len(places) * 2500 * GRAVITY * math.pi / 6 * 1.01 * 0.01 ** 3
        deep = math.hypot(mean(p[0] for p in places), mean(p[2] for p in places))
        print(f"{froude:7} {radius:4} {ends:4} {math.degrees(math.asin(torque / weight / deep)):7.1f}", flush=True)


def tube():
    print("height over radius: growth of the radius, Lube et al.")
    for aspect in (0.5, 1.0, 1.5, 3.0, 6.0):
        _, folder = run(f"tube-{aspect}", "lifted_cylinder", aspect=aspect, speed=5)
        reach = sorted(math.hypot(x, y) for x, y, _ in study.dynamic_bodies(folder))
        published = 1.24 * aspect if aspect < 1.7 else 1.6 * math.sqrt(aspect)
        print(f"{aspect:5} {reach[int(0.97 * len(reach))] / 0.07 - 1:6.2f} {published:6.2f}", flush=True)


def slope_of_heap(places, grain):
    """Degrees: a line through the mean of the highest grains of twelve sectors, ring by ring, without crown and foot."""
    top = {}
    for x, y, z in places:
        cell = (int(math.hypot(x, y) / grain), int((math.atan2(y, x) / math.pi + 1) * 5.9999))
        top[cell] = max(top.get(cell, 0.0), z)
    rings = {}
    for (ring, _), z in top.items():
        rings[ring] = rings.get(ring, 0.0) + z / 12
    last = max(ring for ring, z in rings.items() if z > grain)
    kept = range(2, last - 1)
    _, fall = study.line([grain * (ring + 0.5) for ring in kept], [rings[ring] for ring in kept])
    return math.degrees(math.atan(-fall))


def heap():
    print("rolling friction: slope, Zhou et al. (degrees)")
    for rolling in (0.0, 0.05, 0.1, 0.2, 0.4):
        _, folder = run(f"heap-{rolling}", "lifted_cylinder", radius=10, rolling_friction=rolling)
        # millimetres: the coefficient times the effective radius of two grains of 10 mm
        length = rolling * 2.5
        formula = 68.61 * length ** 0.18 * 0.5 ** 0.49 * 10 ** -0.2
        print(f"{rolling:5} {slope_of_heap(study.dynamic_bodies(folder), 0.01):6.1f} {formula:6.1f}", flush=True)


def penetration():
    print("way over diameter, depth over diameter, depth over the law")
    for drop in (0.25, 1.0, 4.0, 16.0):
        rows, _ = run(f"penetration-{drop}", "penetration", drop=drop, ball=6, width=4.5, depth=2.5)
        low = [row["ball position z [m]"] for row in rows]
        first = next(z for z, row in zip(low, rows) if row["contact force z [N]"] != 0)
        depth, way = (first - min(low)) / 0.012, (low[0] - min(low)) / 0.012
        law = 0.14 / math.tan(math.radians(18.9)) * math.sqrt(2 / 0.6) * way ** (1 / 3)
        print(f"{way:7.3f} {depth:7.3f} {depth / law:7.3f}", flush=True)


def mill():
    print("share of the critical speed, ore: power, Rose and Sullivan (W)")
    for ore in (0.0, 0.2):
        for share in (0.3, 0.5, 0.65, 0.75, 0.9):
            rows, _ = run(f"mill-{ore}-{share}", "ball_mill", critical=share, ore=ore)
            torque = mean(row["shell torque y [N m]"] for row in rows if row["time [s]"] > 0.4 * rows[-1]["time [s]"])
            f = 3.045 * 0.3 + 4.55 * 0.3 ** 2 - 20.4 * 0.3 ** 3 + 12.9 * 0.3 ** 4
            print(f"{share:5} {ore:4} {torque * share * math.sqrt(GRAVITY / 0.475):7.0f} {1.12 * 0.25 * 7800 * share * f:7.0f}", flush=True)


def cones():
    print("half angle, friction: rate (kg/s), over Beverloo's with C = 0.58")
    for angle, friction in ((30, 0.5), (60, 0.5), (60, 0.3), (60, 0.1)):
        rows, _ = run(f"cone-{angle}-{friction}", "mesh_hopper", file=f"data/hopper_{angle}.obj", orifice=8, depth=12,
                      friction=friction)
        last = rows[-1]["out mass [kg]"]
        steady = [(row["time [s]"], row["out mass [kg]"]) for row in rows if 0.15 * last < row["out mass [kg]"] < 0.6 * last]
        _, rate = study.line(*zip(*steady))
        beverloo = 0.58 * 2500 * 0.6 * math.sqrt(GRAVITY) * (6.6 * 0.004) ** 2.5
        print(f"{angle:4} {friction:4} {rate:7.3f} {rate / beverloo:6.2f}", flush=True)


def housner(record, width, height, end, step=1e-4):
    """Largest angle by which a rigid block rocks, rad: Housner's equation, with the vertical acceleration."""
    reach, slender = 0.5 * math.hypot(width, height), math.atan2(width, height)
    kept = 1 - 1.5 * math.sin(slender) ** 2
    angle = rate = most = 0.0
    for i in range(round(end / step)):
        row, share = divmod(i * step / 0.01, 1)
        a, b = record[int(row)], record[int(row) + 1]
        ax, az = (GRAVITY * (a[k] + share * (b[k] - a[k])) for k in (1, 2))
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


def wall():
    rows, _ = run("wall-0.45", "shaken_wall", scale=0.45)
    moved = max(abs(row["top position x [m]"]) for row in rows)
    print(f"wall: the top moves by {moved:.1e} m at most where the peak is {0.45 * 0.35:.3f} g, West's acceleration 0.167 g")
    rows, _ = run("block", "shaken_wall", "--step", "0.001", courses=1, stones=1)
    angle = before = most = 0.0
    for row in rows:
        angle += (row["time [s]"] - before) * row["rocking angular_velocity y [rad/s]"]
        before, most = row["time [s]"], max(most, abs(angle))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scenes/library/data/quake.csv")
    with open(path, encoding="utf-8") as file:
        record = [[float(word) for word in line.split(",")] for line in file.read().splitlines()[1:]]
    print(f"block: rocks by {most:.4f} rad, Housner {housner(record, 0.25, 1.5, 6.9):.4f}")


PARTS = {each.__name__: each for each in (drum, tube, heap, penetration, mill, cones, wall)}
for part in sys.argv[3:]:
    if part not in PARTS:
        sys.exit(f"there is no part {part}: there are {', '.join(PARTS)}")
for part in sys.argv[3:] or PARTS:
    PARTS[part]()
