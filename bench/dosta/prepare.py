#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Turns the published coordinates and walls of the benchmark of Dosta et al. (2024) into files that
# the scenes beside this script read.
"""usage: prepare.py DATA_FOLDER OUT_FOLDER

DATA_FOLDER has penetration_25k_particles.txt, drum_particles.txt and silo_walls_*_orifice.txt as the
MercuryDPM developers publish them with their drivers. Copies the scenes to OUT_FOLDER too.
"""
import glob
import os
import shutil
import sys


def grains(source, target, material_of):
    with open(source, encoding="ascii") as lines, open(target, "w", encoding="ascii") as out:
        next(lines)
        out.write("x, y, z, radius, material\n")
        for line in lines:
            values = line.split()
            if len(values) == 4:
                radius, x, y, z = values
                out.write(f"{x}, {y}, {z}, {radius}, {material_of(float(radius))}\n")


def walls(source, target):
    """Triangles as an OBJ file; corners at the same place become one."""
    corners, faces = {}, []
    with open(source, encoding="ascii") as lines:
        next(lines)
        for line in lines:
            values = line.split()
            if len(values) == 9:
                places = [tuple(values[i:i + 3]) for i in (0, 3, 6)]
                faces.append([corners.setdefault(place, len(corners) + 1) for place in places])
    with open(target, "w", encoding="ascii") as out:
        out.writelines(f"v {' '.join(place)}\n" for place in corners)
        out.writelines(f"f {a} {b} {c}\n" for a, b, c in faces if len({a, b, c}) == 3)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for scene in glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.lua")):
        shutil.copy(scene, out)
    grains(os.path.join(data, "penetration_25k_particles.txt"),
           os.path.join(out, "penetration.csv"), lambda radius: "M1")
    grains(os.path.join(data, "drum_particles.txt"),
           os.path.join(out, "drum.csv"), lambda radius: "M2" if radius > 0.0015 else "M1")
    for size in ("large", "small"):
        walls(os.path.join(data, f"silo_walls_{size}_orifice.txt"),
              os.path.join(out, f"silo_{size}.obj"))


main()
