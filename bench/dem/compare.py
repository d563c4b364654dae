#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The sphere executor against LAMMPS on the same beds, in one run.
"""

usage: compare.py BENCH_DEM WORK_FOLDER [--sizes 1000,10000] [--laws hooke,hertz] [--slopes 0,1]
                  [--kernels avx512,avx2,scalar] [--repeats 2] [--lammps lmp] [--sides walls,periodic]
                  [--clump 3] [--hull octahedron [--rounding 0.05]]

Makes the beds that WORK_FOLDER lacks. With periodic sides a bed lies on a floor alone, in a cell that
is closed along x and y. With --clump grains are rings of that many spheres that overlap (no periodic
sides); LAMMPS moves them by `fix rigid/small`. With --hull grains are regular octahedra, which in LAMMPS are rounded ones
(`pair_style body/rounded/polyhedron`) with the same faces, by a hundredth of their radius or by --rounding, which then rounds those
of cairn, too. Speeds are million grain-steps per second of CPU time of
the stepping loop; programs run in turn, the best of the repeats counts for each.
"""
import argparse
import math
import os
import re
import subprocess

SIDES = {1000: 0.1, 10000: 0.21, 100000: 0.665}
SETTLE = {1000: 20000, 10000: 20000, 100000: 22000}
STEPS = {1000: 20000, 10000: 2000, 100000: 200}
SKINS = {0: 0.0006, 1: 0.001}


def warm_steps(size, slope):
    return {1000: 5000, 10000: 3000, 100000: 400}[size] if slope else {1000: 5000}.get(size, 500)


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


def write_data(text, data, side, periodic, clump):
    """The bed for LAMMPS."""
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


def make_bed(bench, folder, size, periodic, clump=0, hull="", rounding=0.0):
    name = hull if hull else f"clump{clump}" if clump else "cell" if periodic else "bed"
    text = os.path.join(folder, f"{name}_{size}.txt")
    more = (["--cell", "xy"] if periodic else []) + ["--clump", str(clump)] + (["--hull", hull] if hull else [])
    if not os.path.exists(text):
        subprocess.run([bench, "--save", text, "--count", str(size), "--side", str(SIDES[size]),
                        "--damping", "2000", "--steps", str(SETTLE[size])] + more, check=True)
    data = text.replace(".txt", f"_{rounding}.data" if rounding else ".data")
    if not os.path.exists(data) or os.path.getmtime(data) < os.path.getmtime(text):
        if hull:
            write_bodies(text, data, SIDES[size], rounding or 0.01)
        else:
            write_data(text, data, SIDES[size], periodic, clump)
    return text, data


def run_cairn(bench, bed, size, law, slope, kernel, steps, periodic, clump):
    command = [bench, "--bed", bed, "--side", str(SIDES[size]), "--law", law, "--slope", str(slope),
               "--warm", str(warm_steps(size, slope)), "--steps", str(steps), "--kernel", kernel, "--clump", str(clump)]
    command += ["--cell", "xy"] if periodic else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Mps_cpu (\S+) .*coord (\S+) .*lists (\S+) lists_share (\S+)", done.stdout)
    return (float(found[1]), found[2], f"{found[3]} lists {found[4]}") if found else (0.0, "-", "-")


def run_lammps(program, script, bed, size, law, slope, steps, folder, periodic, clump):
    log = os.path.join(folder, "lammps.log")
    variables = {"bed": bed, "side": SIDES[size], "model": law, "skin": SKINS[slope],
                 "warm": warm_steps(size, slope), "steps": steps, "slope": slope,
                 "sides": "p" if periodic else "f", "clump": clump}
    command = [program, "-in", script, "-log", log, "-screen", "none"]
    for name, value in variables.items():
        command += ["-var", name, str(value)]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    text = open(log, encoding="ascii", errors="replace").read()
    part = text[text.rindex(f"for {steps} steps") - 200:]
    seconds = float(re.search(r"Loop time of (\S+) on", part)[1])
    share = float(re.search(r"(\S+)% CPU use", part)[1]) / 100.0
    mean = re.findall(r"^\s+\d+\s+\S+\s+(\S+)\s*$", text, re.M)
    builds = re.findall(r"Neighbor list builds = (\d+)", text)
    mean = f"{float(mean[-1]) * max(clump, 1):.3f}" if mean else "-"
    return 1e-6 * size * steps / (seconds * share), mean, f"{builds[-1]} lists"


def compare_hulls(o):
    """Octahedra, settled, by the general passes and by LAMMPS's bodies."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in.bodies")
    steps = 100
    for size in map(int, o.sizes.split(",")):
        text, data = make_bed(o.bench, o.folder, size, False, 0, o.hull, o.rounding)
        best = {"cairn": 0.0, "lammps": 0.0}
        for _ in range(o.repeats):
            best["lammps"] = max(best["lammps"], run_lammps(o.lammps, script, data, size, "hooke", 0, steps, o.folder,
                                                            False, 0)[0])
            done = subprocess.run([o.bench, "--bed", text, "--side", str(SIDES[size]), "--hull", o.hull, "--warm", "50",
                                   "--rounding", str(o.rounding), "--steps", str(10 * steps)], capture_output=True, text=True, check=True)
            best["cairn"] = max(best["cairn"], float(re.search(r"Mps_cpu (\S+)", done.stdout)[1]))
        print(f"{size} {o.hull} {o.rounding:g} hooke settled: LAMMPS {best['lammps']:.4f}, cairn {best['cairn']:.3f}, ratio "
              f"{best['cairn'] / best['lammps']:.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("folder")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--laws", default="hooke,hertz")
    parser.add_argument("--slopes", default="0,1")
    parser.add_argument("--kernels", default="avx512,avx2")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--lammps", default="lmp")
    parser.add_argument("--sides", default="walls,periodic")
    parser.add_argument("--clump", type=int, default=0)
    parser.add_argument("--hull", default="", choices=["", "octahedron"])
    parser.add_argument("--rounding", type=float, default=0.0)
    o = parser.parse_args()
    if o.clump:
        o.sides = "walls"
    os.makedirs(o.folder, exist_ok=True)
    if o.hull:
        compare_hulls(o)
        return
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in.lammps")
    kernels = o.kernels.split(",")
    print(f"{'bed':>22} {'lammps':>8} " + " ".join(f"{k:>8} {'ratio':>6}" for k in kernels))
    for size, sides in [(int(n), s) for n in o.sizes.split(",") for s in o.sides.split(",")]:
        periodic = sides == "periodic"
        text, data = make_bed(o.bench, o.folder, size, periodic, o.clump)
        for law in o.laws.split(","):
            for slope in map(int, o.slopes.split(",")):
                best, notes = {}, {}
                for _ in range(o.repeats):
                    runs = [("lammps", run_lammps(o.lammps, script, data, size, law, slope,
                                                  STEPS[size], o.folder, periodic, o.clump))]
                    runs += [(k, run_cairn(o.bench, text, size, law, slope, k, STEPS[size],
                                           periodic, o.clump))
                             for k in kernels]
                    for name, (speed, mean, lists) in runs:
                        if speed > best.get(name, 0.0):
                            best[name] = speed
                            notes[name] = f"{name}: coordination {mean}, {lists}"
                label = f"{size} {law} {'flowing' if slope else 'settled'}"
                label += " cell" if periodic else f" x{o.clump}" if o.clump else ""
                print(f"{label:>22} {best['lammps']:8.2f} " +
                      " ".join(f"{best.get(k, 0):8.2f} {best.get(k, 0) / best['lammps']:6.2f}"
                               for k in kernels) + "   " + "; ".join(notes.values()), flush=True)


if __name__ == "__main__":
    main()
