# SPDX-License-Identifier: Apache-2.0
# Settled beds as files.
"""Settled beds of bench_dem as files, for cairn and for the programs that it is compared with."""
import math
import os
import subprocess
import sys

SIDES = {1000: 0.1, 10000: 0.21, 100000: 0.665}  # m
SETTLE = {1000: 20000, 10000: 20000, 100000: 22000}


def check(*programs):
    """Programs of this folder are built when they are asked for alone."""
    for program in programs:
        if not os.path.exists(program):
            sys.exit(f"{program} is not there: ninja -C build bench/dem/{os.path.basename(program)} builds it "
                     "where the build has -Dbench=true")


def members_of(row, count):
    """Spheres of a grain of a bed: (diameter, density, x, y, z) of each; a clump weighs what the bed says."""
    x, y, z, radius = map(float, row[:4])
    if not count:
        return [(2 * radius, 2500, x, y, z)]
    a, b, c, d, mass = map(float, row[4:])
    small = 0.6 * radius  # as in bench_dem
    density = mass / (count * 4 / 3 * math.pi * small ** 3)
    spheres = []
    for k in range(count):
        u, v = (0.4 * radius * f(2 * math.pi * k / count) for f in (math.cos, math.sin))
        spheres.append((2 * small, density, x + (1 - 2 * (c * c + d * d)) * u + 2 * (b * c - a * d) * v,
                        y + 2 * (b * c + a * d) * u + (1 - 2 * (b * b + d * d)) * v,
                        z + 2 * (b * d - a * c) * u + 2 * (c * d + a * b) * v))
    return spheres


def write_bodies(text, data, side, rounding):
    """The bed of octahedra for LAMMPS: as wide from face to face, corners and edges rounded."""
    grains = [list(map(float, line.split())) for line in open(text, encoding="ascii")]
    corners = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    edges = [(i, j) for i in range(6) for j in range(i + 1, 6) if i // 2 != j // 2]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    with open(data, "w", encoding="ascii") as out:
        top = max(grain[2] for grain in grains)
        out.write(f"octahedra\n\n{len(grains)} atoms\n{len(grains)} bodies\n1 atom types\n\n0 {side} xlo xhi\n")
        out.write(f"0 {side} ylo yhi\n-0.001 {2 * top + side} zlo zhi\n\nAtoms\n\n")
        for k, (x, y, z, _, _, _, _, _, mass) in enumerate(grains):
            out.write(f"{k + 1} 1 1 {mass:.9g} {x:.9g} {y:.9g} {z:.9g}\n")
        out.write("\nBodies\n\n")
        for k, (_, _, _, radius, w, a, b, c, mass) in enumerate(grains):
            diameter = 2 * rounding * radius
            reach, moment = radius - math.sqrt(0.75) * diameter, mass * radius ** 2 / 5
            rows = [(1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)),
                    (2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)),
                    (2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b))]
            # equal moments have no axes: these differ by a hair's breadth
            out.write(f"{k + 1} 3 81\n6 12 8\n{moment:.12g} {moment * (1 + 1e-9):.12g} {moment * (1 - 1e-9):.12g} 0 0 0\n")
            for corner in corners:
                place = [reach * sum(r * x for r, x in zip(row, corner)) for row in rows]
                out.write("{:.9g} {:.9g} {:.9g}\n".format(*place))
            out.writelines("{} {}\n".format(*edge) for edge in edges)
            out.writelines("{} {} {} -1\n".format(*face) for face in faces)
            out.write(f"{diameter:.9g}\n")


def write_spheres(text, data, side, periodic, clump):
    """The bed for LAMMPS and LIGGGHTS."""
    grains = [members_of(line.split(), clump) for line in open(text, encoding="ascii")]
    top, number = max(sphere[4] for grain in grains for sphere in grain), 0
    with open(data, "w", encoding="ascii") as out:
        out.write(f"bed of {len(grains)}\n\n{sum(map(len, grains))} atoms\n1 atom types\n\n")
        out.write(f"0 {side} xlo xhi\n0 {side} ylo yhi\n-0.001 {2 * top + side} zlo zhi\n\nAtoms\n\n")
        for diameter, density, x, y, z in (sphere for grain in grains for sphere in grain):
            if periodic:  # inside the box
                x, y = x % side, y % side
            number += 1
            out.write(f"{number} 1 {diameter:.9g} {density:.9g} {x:.9g} {y:.9g} {z:.9g}\n")
        if clump:
            out.write("\nMolecules\n\n")
            out.writelines(f"{k + 1} {k // clump + 1}\n" for k in range(number))


def make(bench, folder, size, periodic, clump=0, hull="", rounding=0.0):
    """Files of a bed of grains, made where they are not there yet: of bench_dem (and Yade), of LAMMPS (and LIGGGHTS)."""
    name = hull if hull else f"clump{clump}" if clump else "cell" if periodic else "bed"
    text = os.path.join(folder, f"{name}_{size}.txt")
    more = (["--cell", "xy"] if periodic else []) + ["--clump", str(clump)] + (["--hull", hull] if hull else [])
    if not os.path.exists(text):
        subprocess.run([bench, "--save", text, "--count", str(size), "--side", str(SIDES[size]), "--damping", "2000",
                        "--steps", str(SETTLE[size])] + more, check=True, stdout=subprocess.DEVNULL)
    data = text.replace(".txt", f"_{rounding}.data" if rounding else ".data")
    if not os.path.exists(data) or os.path.getmtime(data) < os.path.getmtime(text):
        if hull:
            write_bodies(text, data, SIDES[size], rounding or 0.01)
        else:
            write_spheres(text, data, SIDES[size], periodic, clump)
    return text, data
