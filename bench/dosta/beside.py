#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The cases of Dosta et al. (2024) by cairn, LAMMPS and LIGGGHTS from the same bodies, in turns: CPU time a particle-step.
"""usage: beside.py PROGRAM FOLDER [PEERS]       (default lmp,liggghts; ROUNDS, default 3, in the environment)

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

FEW, MANY = 400, 2000  # steps that are left out, steps of the long run
SCENE_WORDS = {"penetration": ["--scene-time-limit", "100"], "drum": ["--scene-time-limit", "100"],
               "silo": ["--scene-time-limit", "200", "--set", "grains=40000"]}
STEP = {"penetration": 5e-7, "drum": 8e-7, "silo": 1.5e-6}  # s, of the paper
STEEL = 3                                                    # type of LIGGGHTS; LAMMPS has 2 for the ball
PEERS = ("lmp", "liggghts")


def user_time(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def by_cairn(program, case, until, *words):
    return [program, "run", case + ".lua", "--until", repr(until), *SCENE_WORDS[case], "--trajectory-every", "0",
            "--checkpoint-every", "0", "--energy-every", "100000", "--out", case, "--quiet", *words]


def by_peer(peer, case, steps, step, lid=1):
    name = os.path.basename(peer)
    return [peer, "-in", "in." + (case if name == "lmp" else f"{name}_{case}"), "-log", "none",
            *(word for key, value in (("data", f"{case}_{name}.data"), ("until", steps), ("step", step), ("lid", lid))
              for word in ("-var", key, str(value)))]


def bodies(folder, case):
    """(material, diameter, density, place, speed downwards) of the bodies with which the scene begins; the silo's are of
    a run that was made before."""
    if case == "silo":
        with open(os.path.join(folder, case, "bodies.csv"), encoding="utf-8") as file:
            return [("M1", 0.004, 2500, [row[f"position {axis} [m]"] for axis in "xyz"], 0)
                    for row in csv.DictReader(file) if row["kind"] == "dynamic"]
    with open(os.path.join(folder, case + ".csv"), encoding="ascii") as file:
        found = [(kind, 0.002, 2500, [x, y, z], 0) if kind == "M1" else (kind, 0.004, 2000, [x, y, z], 0)
                 for x, y, z, _, kind in csv.reader(line.replace(", ", ",") for line in list(file)[1:])]
    return found + ([("steel", 0.02, 7200, ["0", "0", "0.06"], 5)] if case == "penetration" else [])


def write_data(folder, case):
    """A data file for each peer; returns the number of bodies."""
    found = bodies(folder, case)
    for peer, types in (("lmp", {"M1": 1, "M2": 2, "steel": 2}), ("liggghts", {"M1": 1, "M2": 2, "steel": STEEL})):
        count = STEEL if peer == "liggghts" else max(types[body[0]] for body in found)
        with open(os.path.join(folder, f"{case}_{peer}.data"), "w", encoding="ascii") as out:
            out.write(f"{case}\n\n{len(found)} atoms\n{count} atom types\n\n"
                      "-0.12 0.12 xlo xhi\n-0.12 0.12 ylo yhi\n-0.12 0.5 zlo zhi\n\nAtoms\n\n")
            for number, (kind, diameter, density, place, _) in enumerate(found, 1):
                out.write(f"{number} {types[kind]} {diameter} {density} {' '.join(place)}\n")
            out.write("\nVelocities\n\n")
            out.writelines(f"{number} 0 0 {-body[4]} 0 0 0\n" for number, body in enumerate(found, 1))
    return len(found)


def start(program, folder):
    """Files of all cases, the silo's after one step."""
    prepare.prepare(folder)
    subprocess.run(by_cairn(program, "silo", STEP["silo"]), cwd=folder, check=True, stderr=subprocess.DEVNULL)


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    peers = [path for path in map(shutil.which, sys.argv[3].split(",") if len(sys.argv) > 3 else PEERS) if path]
    start(program, folder)
    print("user time a particle-step on one thread, ns, and over that of cairn")
    for case, step in STEP.items():
        count, found = write_data(folder, case), {name: [] for name in (program, *peers)}
        for _ in range(int(os.environ.get("ROUNDS", "3"))):
            for name, taken in found.items():
                seconds = [user_time(by_cairn(name, case, steps * step) if name == program else
                                     by_peer(name, case, steps, step), folder) for steps in (FEW, MANY)]
                taken.append(1e9 * (seconds[1] - seconds[0]) / (MANY - FEW) / count)
        mine = statistics.median(found[program])
        print(f"{case:12} {count:6} bodies: " + ", ".join(
            f"{os.path.basename(name)} {statistics.median(taken):.1f} ({statistics.median(taken) / mine:.2f})"
            for name, taken in found.items()), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    os.environ["OMP_NUM_THREADS"] = "1"
    main()
