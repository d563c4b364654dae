#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Turns the published coordinates and walls of the benchmark of Dosta et al. (2024) into files that
# the scenes beside this script read.
"""usage: prepare.py OUT_FOLDER

Copies the scenes to OUT_FOLDER too. The data are in data/, with their licence.
"""
import glob
import lzma
import math
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def rows(name, width):
    """Words of the lines that have `width` of them, after the first line."""
    with lzma.open(os.path.join(HERE, "data", name + ".txt.xz"), "rt", encoding="ascii") as lines:
        next(lines)
        for line in lines:
            values = line.split()
            if len(values) == width:
                yield values


def grains(name, target, material_of):
    with open(target, "w", encoding="ascii") as out:
        out.write("x, y, z, radius, material\n")
        for radius, x, y, z in rows(name, 4):
            out.write(f"{x}, {y}, {z}, {radius}, {material_of(float(radius))}\n")


def walls(name, target):
    """Triangles as an OBJ file; corners at the same place become one."""
    corners, faces = {}, []
    for values in rows(name, 9):
        places = [tuple(values[i:i + 3]) for i in (0, 3, 6)]
        faces.append([corners.setdefault(place, len(corners) + 1) for place in places])
    with open(target, "w", encoding="ascii") as out:
        out.writelines(f"v {' '.join(place)}\n" for place in corners)
        out.writelines(f"f {a} {b} {c}\n" for a, b, c in faces if len({a, b, c}) == 3)


def stl(triangles, target):
    """Triangles, nine numbers each, as a file of triangles for LIGGGHTS."""
    with open(target, "w", encoding="ascii") as out:
        out.write("solid wall\n")
        for t in triangles:
            corners = "".join(f"vertex {' '.join(map(str, t[i:i + 3]))}\n" for i in (0, 3, 6))
            out.write(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
        out.write("endsolid wall\n")


def drum_triangles(radius=0.1, half=0.03, staves=128):
    """A closed drum about y, whose staves have the circle between corners and middles."""
    r = radius / math.sqrt(math.cos(math.pi / staves))
    ring = [(r * math.cos(2 * math.pi * i / staves), r * math.sin(2 * math.pi * i / staves)) for i in range(staves + 1)]
    for (x, z), (u, w) in zip(ring, ring[1:]):
        yield (x, -half, z, u, -half, w, u, half, w)
        yield (x, -half, z, u, half, w, x, half, z)
        for y in (-half, half):
            yield (0, y, 0, x, y, z, u, y, w)


def prepare(out):
    os.makedirs(out, exist_ok=True)
    for scene in glob.glob(os.path.join(HERE, "*.lua")) + glob.glob(os.path.join(HERE, "in.*")) + [
            os.path.join(HERE, "liggghts.materials")]:
        shutil.copy(scene, out)
    grains("penetration_25k_particles", os.path.join(out, "penetration.csv"), lambda radius: "M1")
    grains("drum_particles", os.path.join(out, "drum.csv"), lambda radius: "M2" if radius > 0.0015 else "M1")
    walls("penetration_walls", os.path.join(out, "penetration.obj"))
    stl(drum_triangles(), os.path.join(out, "drum.stl"))
    stl(rows("silo_walls_large_orifice", 9), os.path.join(out, "silo.stl"))
    for size in ("large", "small"):
        walls(f"silo_walls_{size}_orifice", os.path.join(out, f"silo_{size}.obj"))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    prepare(sys.argv[1])
