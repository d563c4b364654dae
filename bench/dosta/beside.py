#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The cases of Dosta et al. (2024) by cairn and by LAMMPS from the same bodies, in turns: CPU time a particle-step.
"""usage: beside.py PROGRAM FOLDER [LAMMPS]       (default lmp; ROUNDS, default 3, in the environment)

Each program runs a case for few and for many steps, and the difference counts, so that reading and writing do not.
The figure is user time on one thread, the median of the rounds.
"""
import csv
import os
import resource
import shutil
import statistics
import subprocess
import sys

import prepare

# steps that are left out and steps at the end of the long run; scene's words
CASES = {"penetration": (400, 2000, ["--scene-time-limit", "100"]), "drum": (400, 2000, ["--scene-time-limit", "100"]),
         "silo": (400, 2000, ["--scene-time-limit", "200", "--set", "grains=40000"])}
STEP = {"penetration": 5e-7, "drum": 8e-7, "silo": 1.5e-6}


def user_time(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def by_cairn(program, folder, case, steps):
    return [program, "run", case + ".lua", "--until", repr(steps * STEP[case]), *CASES[case][2], "--trajectory-every", "0",
            "--checkpoint-every", "0", "--energy-every", "100000", "--out", case, "--quiet"]


def bodies(folder, case):
    """(type, diameter, density, place, speed downwards) of the bodies with which the scene begins."""
    if case == "silo":
        # the packing of the scene, after one step
        subprocess.run(by_cairn(PROGRAM, folder, case, 1), cwd=folder, check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, case, "bodies.csv"), encoding="utf-8") as file:
            return [(1, 0.004, 2500, [row[f"position {axis} [m]"] for axis in "xyz"], 0)
                    for row in csv.DictReader(file) if row["kind"] == "dynamic"]
    with open(os.path.join(folder, case + ".csv"), encoding="ascii") as file:
        found = [(1, 0.002, 2500, [x, y, z], 0) if kind == "M1" else (2, 0.004, 2000, [x, y, z], 0)
                 for x, y, z, _, kind in csv.reader(line.replace(", ", ",") for line in list(file)[1:])]
    return found + ([(2, 0.02, 7200, ["0", "0", "0.06"], 5)] if case == "penetration" else [])


def write_data(folder, case):
    """A data file of LAMMPS; returns the number of bodies."""
    found = bodies(folder, case)
    with open(os.path.join(folder, case + ".data"), "w", encoding="ascii") as out:
        out.write(f"{case}\n\n{len(found)} atoms\n{max(kind for kind, *_ in found)} atom types\n\n"
                  "-0.12 0.12 xlo xhi\n-0.12 0.12 ylo yhi\n-0.12 0.5 zlo zhi\n\nAtoms\n\n")
        for number, (kind, diameter, density, place, _) in enumerate(found, 1):
            out.write(f"{number} {kind} {diameter} {density} {' '.join(place)}\n")
        out.write("\nVelocities\n\n")
        out.writelines(f"{number} 0 0 {-body[4]} 0 0 0\n" for number, body in enumerate(found, 1))
    return len(found)


def main():
    folder, lammps = os.path.abspath(sys.argv[2]), shutil.which(sys.argv[3] if len(sys.argv) > 3 else "lmp")
    prepare.prepare(folder)
    print("case           bodies   cairn ns   LAMMPS ns   LAMMPS / cairn     (user time a particle-step, one thread)")
    for case, (few, many, _) in CASES.items():
        count = write_data(folder, case)
        found = {"cairn": [], "lammps": []}
        for _ in range(int(os.environ.get("ROUNDS", "3"))):
            for name in found if lammps else ["cairn"]:
                seconds = []
                for steps in (few, many):
                    words = by_cairn(PROGRAM, folder, case, steps) if name == "cairn" else [
                        lammps, "-in", "in." + case, "-var", "data", case + ".data", "-var", "until", str(steps), "-log", "none"]
                    seconds.append(user_time(words, folder))
                found[name].append(1e9 * (seconds[1] - seconds[0]) / (many - few) / count)
        mine = statistics.median(found["cairn"])
        theirs = statistics.median(found["lammps"]) if lammps else float("nan")
        print(f"{case:12} {count:8} {mine:10.1f} {theirs:11.1f} {theirs / mine:16.2f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv[1])
    os.environ["OMP_NUM_THREADS"] = "1"
    main()
