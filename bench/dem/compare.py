#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The sphere executor against LAMMPS on the same beds, in one run.
"""

usage: compare.py BENCH_DEM WORK_FOLDER [--sizes 1000,10000] [--laws hooke,hertz] [--slopes 0,1]
                  [--kernels avx512,avx2,scalar] [--repeats 2] [--lammps lmp] [--sides walls,periodic]

Makes the beds that WORK_FOLDER lacks. With periodic sides a bed lies on a floor alone, in a cell that
is closed along x and y. Speeds are million particle-steps per second of CPU time of
the stepping loop; programs run in turn, the best of the repeats counts for each.
"""
import argparse
import os
import re
import subprocess

SIDES = {1000: 0.1, 10000: 0.21, 100000: 0.665}
SETTLE = {1000: 20000, 10000: 20000, 100000: 22000}
STEPS = {1000: 20000, 10000: 2000, 100000: 200}
SKINS = {0: 0.0006, 1: 0.001}


def warm_steps(size, slope):
    return {1000: 5000, 10000: 3000, 100000: 400}[size] if slope else {1000: 5000}.get(size, 500)


def make_bed(bench, folder, size, periodic):
    text = os.path.join(folder, f"{'cell' if periodic else 'bed'}_{size}.txt")
    cell = ["--cell", "xy"] if periodic else []
    if not os.path.exists(text):
        subprocess.run([bench, "--save", text, "--count", str(size), "--side", str(SIDES[size]),
                        "--damping", "2000", "--steps", str(SETTLE[size])] + cell, check=True)
    data = text.replace(".txt", ".data")
    if os.path.exists(data) and os.path.getmtime(data) >= os.path.getmtime(text):
        return text, data
    rows = [line.split() for line in open(text, encoding="ascii")]
    side, top = SIDES[size], max(float(row[2]) for row in rows)
    with open(data, "w", encoding="ascii") as out:
        out.write(f"bed of {size}\n\n{len(rows)} atoms\n1 atom types\n\n")
        out.write(f"0 {side} xlo xhi\n0 {side} ylo yhi\n-0.001 {2 * top + side} zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, r) in enumerate(rows, 1):
            if periodic:  # inside the box
                x, y = (f"{float(at) % side:.9g}" for at in (x, y))
            out.write(f"{number} 1 {2 * float(r):.9g} 2500 {x} {y} {z}\n")
    return text, data


def run_cairn(bench, bed, size, law, slope, kernel, steps, periodic):
    command = [bench, "--bed", bed, "--side", str(SIDES[size]), "--law", law, "--slope", str(slope),
               "--warm", str(warm_steps(size, slope)), "--steps", str(steps), "--kernel", kernel]
    command += ["--cell", "xy"] if periodic else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Mps_cpu (\S+) .*coord (\S+) .*lists (\S+) lists_share (\S+)", done.stdout)
    return (float(found[1]), found[2], f"{found[3]} lists {found[4]}") if found else (0.0, "-", "-")


def run_lammps(program, script, bed, size, law, slope, steps, folder, periodic):
    log = os.path.join(folder, "lammps.log")
    variables = {"bed": bed, "side": SIDES[size], "model": law, "skin": SKINS[slope],
                 "warm": warm_steps(size, slope), "steps": steps, "slope": slope,
                 "sides": "p" if periodic else "f"}
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
    return 1e-6 * size * steps / (seconds * share), mean[-1] if mean else "-", f"{builds[-1]} lists"


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
    o = parser.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in.lammps")
    kernels = o.kernels.split(",")
    print(f"{'bed':>22} {'lammps':>8} " + " ".join(f"{k:>8} {'ratio':>6}" for k in kernels))
    for size, sides in [(int(n), s) for n in o.sizes.split(",") for s in o.sides.split(",")]:
        periodic = sides == "periodic"
        text, data = make_bed(o.bench, o.folder, size, periodic)
        for law in o.laws.split(","):
            for slope in map(int, o.slopes.split(",")):
                best, notes = {}, {}
                for _ in range(o.repeats):
                    runs = [("lammps", run_lammps(o.lammps, script, data, size, law, slope,
                                                  STEPS[size], o.folder, periodic))]
                    runs += [(k, run_cairn(o.bench, text, size, law, slope, k, STEPS[size],
                                           periodic))
                             for k in kernels]
                    for name, (speed, mean, lists) in runs:
                        if speed > best.get(name, 0.0):
                            best[name] = speed
                            notes[name] = f"{name}: coordination {mean}, {lists}"
                label = f"{size} {law} {'flowing' if slope else 'settled'}"
                label += " cell" if periodic else ""
                print(f"{label:>22} {best['lammps']:8.2f} " +
                      " ".join(f"{best.get(k, 0):8.2f} {best.get(k, 0) / best['lammps']:6.2f}"
                               for k in kernels) + "   " + "; ".join(notes.values()), flush=True)


if __name__ == "__main__":
    main()
