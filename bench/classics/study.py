# SPDX-License-Identifier: Apache-2.0
# What the studies beside this file share: running a scene, reading its results, fitting a power.
import csv
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import zlib

if len(sys.argv) < 3 or {"-h", "--help"} & set(sys.argv):
    sys.exit((sys.modules["__main__"].__doc__ or "").strip() + "\n\nPROGRAM is the cairn command, FOLDER where results go.")
PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def is_done(folder):
    path = os.path.join(folder, "summary.json")
    return os.path.exists(path) and summary(folder)["status"] == "done"


def run(name, scene, *words, **parameters):
    """Runs a scene into FOLDER/name unless it was done before; returns the folder."""
    folder = os.path.join(FOLDER, name)
    if not is_done(folder):
        sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([PROGRAM, "run", scene, *sets, *words, "--quiet", "--out", folder], text=True,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"{name}: {done.stderr.strip()}")
    return folder


def summary(folder):
    with open(os.path.join(folder, "summary.json")) as file:
        return json.load(file)


def dynamic_bodies(folder):
    """(x, y, z) of every dynamic body at the end."""
    with open(os.path.join(folder, "bodies.csv")) as file:
        return [tuple(float(row[f"position {axis} [m]"]) for axis in "xyz")
                for row in csv.DictReader(file) if row["kind"] == "dynamic"]


def kinds(folder):
    """Kind of every body, in the order of the frames."""
    with open(os.path.join(folder, "bodies.csv")) as file:
        return [row["kind"] for row in csv.DictReader(file)]


def frame_positions(path):
    """Points of a ParaView frame of body centres."""
    with open(path, "rb") as file:
        data = file.read()
    header, _, rest = data.partition(b'<AppendedData encoding="raw">\n_')
    points = re.search(rb"<Points>.*?<DataArray type=\"(\w+)\".*?offset=\"(\d+)\"", header, re.S)
    size_type = re.search(rb'header_type="UInt(\d+)"', header)
    wide = size_type is not None and size_type.group(1) == b"64"
    at = int(points.group(2))
    word, bytes_each = ("Q", 8) if wide else ("I", 4)
    blocks = struct.unpack_from("<" + word, rest, at)[0]
    sizes = struct.unpack_from(f"<{blocks}{word}", rest, at + 3 * bytes_each)
    at += (3 + blocks) * bytes_each
    inflated = b""
    for part in sizes:
        inflated += zlib.decompress(rest[at:at + part])
        at += part
    code, size = ("d", 8) if points.group(1) == b"Float64" else ("f", 4)
    values = struct.unpack(f"<{len(inflated) // size}{code}", inflated)
    return list(zip(values[::3], values[1::3], values[2::3]))


def line(xs, ys):
    """Least squares: intercept and slope."""
    n, mean_x, mean_y = len(xs), sum(xs) / len(xs), sum(ys) / len(ys)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) /
             sum((x - mean_x) ** 2 for x in xs))
    return mean_y - slope * mean_x, slope


def power(xs, ys):
    """Prefactor and exponent of y = prefactor x^exponent, least squares of the logarithms."""
    intercept, exponent = line([math.log(x) for x in xs], [math.log(y) for y in ys])
    return math.exp(intercept), exponent


def slope(places, grain):
    """Mean angle of both flanks of a heap along x, deg: a line through the highest grains of slices, without crown
    and foot."""
    angles = []
    for side in (-1, 1):
        top = {}
        for x, _, z in places:
            if z > 0.25 * grain and side * x > 0:
                cell = int(abs(x) / (1.5 * grain))
                top[cell] = max(top.get(cell, 0.0), z)
        last = max(top)
        cells = [cell for cell in sorted(top) if 2 <= cell <= last - 2]
        _, fall = line([1.5 * grain * (cell + 0.5) for cell in cells], [top[cell] for cell in cells])
        angles.append(math.degrees(math.atan(-fall)))
    return sum(angles) / 2


def block_on_plate(folder, seed, grain, half, across, length, height):
    """Grains of 0.9 to 1.1 on a loose grid and a plate of grains half a grain apart, lengths in grains, the plate
    2 `half` long; both to grains.csv and plate.csv in the folder. Returns their rows (x, y, z, radius)."""
    os.makedirs(folder, exist_ok=True)
    lot = random.Random(seed)
    grains, plate = [], []
    pitch = 1.2 * grain
    rows = int(across * grain / pitch)
    for k in range(int(height * grain / pitch)):
        for j in range(rows):
            for i in range(int(length * grain / pitch)):
                place = [(i + 0.5) * pitch - 0.5 * length * grain, (j + 0.5) * across * grain / rows, (k + 1) * pitch]
                grains.append([x + lot.uniform(-0.03, 0.03) * grain for x in place] +
                              [0.5 * grain * lot.uniform(0.9, 1.1)])
    for j in range(2 * across):
        for i in range(2 * half + 1):
            plate.append([0.5 * grain * (i - half), (j + 0.5) * 0.5 * grain, 0.0, 0.5 * grain])
    for name, lines in (("grains", grains), ("plate", plate)):
        with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8") as file:
            file.write("x,y,z,radius\n")
            file.writelines(",".join(map(repr, line)) + "\n" for line in lines)
    return grains, plate
