#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What the cases of Dosta et al. (2024) give by cairn, LAMMPS and LIGGGHTS from the same bodies.
"""usage: figures.py PROGRAM FOLDER penetration | drum | silo [UNTIL [STEP [PEERS]]]

Runs one case by each program to the time UNTIL (s; of the silo: after its lid goes) at the step STEP and prints what the
paper compares, beside each other: the height of the ball; small and large grains in both quarters of the drum; grains that are left in the
silo. Without UNTIL: 0.045, 0.5 and 0.3 s; without STEP: that of the paper. What was run before is not run again.
"""
import csv
import math
import os
import shutil
import subprocess
import sys

import beside

UNTIL = {"penetration": 0.045, "drum": 0.5, "silo": 0.3}
EVERY = {"penetration": 1e-3, "drum": 0.05, "silo": 0.01}  # s between the rows
GRAIN = 2500 * math.pi / 6 * 0.004 ** 3          # kg, of the silo
OPENING = 0.15                                             # s, of the silo's lid in its scene


def rows_of_cairn(folder, case):
    """(time, figures...) of a run."""
    if case == "drum":
        with open(os.path.join(folder, case, "measures.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                counts = []
                for name in ("upper right", "lower left"):
                    # number and mass of both sizes together tell how many there are of each
                    number, mass = float(row[f"{name} bodies"]), float(row[f"{name} mass [kg]"])
                    small, large = (density * math.pi / 6 * d ** 3 for density, d in ((2500, 0.002), (2000, 0.004)))
                    many = (mass - number * small) / (large - small)
                    counts += [round(number - many), round(many)]
                yield (float(row["time [s]"]), *counts)
        return
    with open(os.path.join(folder, case, "sensors.csv"), encoding="utf-8") as file:
        total = None
        for row in csv.DictReader(file):
            time = float(row["time [s]"])
            if case == "penetration":
                yield time, float(row["ball position z [m]"])
                continue
            gone = next(float(value) for key, value in row.items() if key.startswith("left"))
            total = total or sum(1 for _ in beside.bodies(folder, "silo")) + gone_at_end(folder)
            yield time - OPENING, total - gone


def gone_at_end(folder):
    with open(os.path.join(folder, "silo", "sensors.csv"), encoding="utf-8") as file:
        return next(float(value) for key, value in list(csv.DictReader(file))[-1].items() if key.startswith("left"))


def rows_of_peer(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        columns = 0
        for line in file:
            words = line.split()
            if words[:2] == ["Step", "Time"]:
                columns = len(words)
            elif columns and len(words) == columns:
                try:
                    yield tuple(float(word) for word in words[1:-1])
                except ValueError:
                    continue


def by_cairn(program, folder, case, until, step):
    if not os.path.exists(os.path.join(folder, case, "whole")):
        words = ["--set", f"step={step}", "--energy-every", str(max(1, round(EVERY[case] / step / 10)))]
        if case == "silo":
            # the packing at the opening is what the peers begin with
            subprocess.run(beside.by_cairn(program, case, OPENING, *words), cwd=folder, check=True, stderr=subprocess.DEVNULL)
            beside.write_data(folder, case)
        subprocess.run(beside.by_cairn(program, case, until + (OPENING if case == "silo" else 0), *words), cwd=folder,
                       check=True, stderr=subprocess.DEVNULL)
        if case != "silo":
            beside.write_data(folder, case)
        with open(os.path.join(folder, case, "whole"), "w", encoding="ascii") as file:
            file.write(f"{until} {step}\n")
    return list(rows_of_cairn(folder, case))


def by_peer(peer, folder, case, until, step):
    path = os.path.join(folder, f"{case}_{os.path.basename(peer)}.out")
    if not os.path.exists(path):
        with open(path + ".part", "w", encoding="utf-8") as out:
            subprocess.run(beside.by_peer(peer, case, round(until / step), step, 0), cwd=folder, check=True, stdout=out)
        os.rename(path + ".part", path)
    return list(rows_of_peer(path))


def at(rows, time):
    """The figures at a time, between two rows."""
    for before, after in zip(rows, rows[1:]):
        if before[0] <= time * (1 + 1e-9) and after[0] >= time * (1 - 1e-9):
            part = (time - before[0]) / (after[0] - before[0])
            return [a + part * (b - a) for a, b in zip(before[1:], after[1:])]
    return None


def main():
    program, folder, case = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    until = float(sys.argv[4]) if len(sys.argv) > 4 else UNTIL[case]
    step = float(sys.argv[5]) if len(sys.argv) > 5 else beside.STEP[case]
    peers = [path for path in map(shutil.which, sys.argv[6].split(",") if len(sys.argv) > 6 else beside.PEERS) if path]
    beside.prepare.prepare(folder)
    found = {"cairn": by_cairn(program, folder, case, until, step)}
    for peer in peers:
        found[os.path.basename(peer)] = by_peer(peer, folder, case, until, step)
    for i in range(round(until / EVERY[case]) + 1):
        time = i * EVERY[case]
        print(f"{time:.3f} s " + ", ".join(
            f"{name} " + (" ".join(f"{value:.6g}" for value in at(rows, time) or []) or "-") for name, rows in found.items()))
    if case == "silo":
        for name, rows in found.items():
            first, last = at(rows, until / 3), at(rows, until * (1 - 1e-6))
            if first and last:
                print(f"{name}: {GRAIN * (first[0] - last[0]) / (2 * until / 3):.4f} kg/s in the last two thirds")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[3] not in UNTIL:
        sys.exit(__doc__)
    os.environ["OMP_NUM_THREADS"] = "1"
    main()
