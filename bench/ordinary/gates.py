#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What steps cost in two builds of this engine, counted: the gates of a change of mechanics.
"""usage: bench/ordinary/gates.py OLD_BUILD NEW_BUILD [--only WORD] [--csv FILE] [--keep FOLDER] [--jobs N]

Both are release builds with -Dbench=true and bench/dem/bench_dem built. Each row runs the same steps in both
under callgrind (Debian's valgrind), which counts the instructions within cairn_world_step, so that other programs
on the machine change nothing, and takes iterations, unsolved steps and the deepest overlap from
what the runs say. Rows over 1.05 times as many instructions are marked. Half an hour to an hour on two cores.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BED = os.path.join(HERE, os.pardir, "fclib", "bed.lua")
PILE = os.path.join(HERE, "pile.lua")
LIMIT = 1.05


def step_row(scene, steps, tolerance):
    return ("step", f"{scene}, {tolerance}", "step_cairn", [scene, steps, tolerance])


def run_row(kind, name, scene, until, settings=(), options=()):
    words = [scene, "--until", str(until), *options]
    for setting in settings:
        words += ["--set", setting]
    return (kind, name, "cairn", words)


# kind, name, program, arguments: steps are such that a row counts some 10^9 instructions
ROWS = [step_row(scene, steps, tolerance)
        for scene, steps in (("column50", 300), ("kapla144", 120), ("pyramid210", 100), ("pyramid1035", 12),
                             ("pyramid5050", 3), ("capsules100", 250), ("capsules1000", 60), ("capsules5000", 12))
        for tolerance in ("1e-8", "1e-4")]
RIGID = ("--law", "signorini_coulomb", "--tolerance", "1e-6")
for label, scene, step, until, given in (
        ("column of 11 layers, touching", "granular_column", 0.0025, 0.15, ("length=6", "aspect=2")),
        ("column of 20 layers, touching", "granular_column", 0.0025, 0.0025, ("length=10", "aspect=2")),
        ("column of 28 layers", "granular_column", 0.002, 0.01, ("length=14", "aspect=2", "gap=0.005")),
        ("bed, front open", BED, 0.002, 0.02, ("count=500", "open=1")),
        ("bed in a box", BED, 0.002, 0.01, ("count=300",)),
        ("bed of octahedra", BED, 0.002, 0.06, ("count=300", "hull=1")),
        ("heap", "sphere_heap", 0.002, 0.3, ()),
        ("hopper", "hopper", 0.002, 0.03, ())):
    ROWS.append(run_row("rigid grains", label, scene, until, given, (*RIGID, "--step", str(step))))
for law in ("hooke", "hertz_mindlin", "mindlin_deresiewicz", "adhesive"):
    ROWS.append(("explicit laws", f"bed of 500 spheres, {law}", "bench_dem", ["--law", law, "--count", "500", "--steps", "300"]))
for label, words in (("with rolling", ["--rolling", "0.1"]), ("of two materials", ["--materials", "2"]),
                     ("in a cell", ["--cell", "xy"]), ("through the general passes", ["--general", "1"]),
                     ("beside a box", ["--beside", "box"]), ("beside a joint", ["--beside", "joint"])):
    ROWS.append(("explicit laws", f"bed of 500 spheres {label}, hooke", "bench_dem",
                 ["--count", "500", "--steps", "200", *words]))
ROWS += [("explicit laws", f"bed of 200 {label}, hooke", "bench_dem", ["--count", "200", "--steps", "100", *words])
         for label, words in (("clumps", ["--clump", "3"]), ("octahedra", ["--hull", "octahedron"]),
                              ("rounded octahedra", ["--hull", "octahedron", "--rounding", "0.05"]))]
for floor in ("one", "tiles", "mesh", "drum"):
    for grain, grains, until in (("sphere", 216, 0.15), ("box", 27, 0.12), ("capsule", 27, 0.12)):
        ROWS.append(run_row("floors", f"{grains} grains ({grain}), hooke, {floor}", PILE, until,
                            (f"floor={floor}", f"grain={grain}", f"grains={grains}")))
    for grain in ("sphere", "box"):
        ROWS.append(run_row("floors", f"64 grains ({grain}), rigid, {floor}", PILE, 0.3,
                            (f"floor={floor}", f"grain={grain}", "grains=64", "contact_law=signorini_coulomb")))
for scene, until in (("arch", 2), ("ball_mill", 0.02), ("billiards", 0.5), ("box_stack", 2), ("brick_wall", 0.5),
                     ("capsules", 0.6), ("chain", 0.5), ("chain_with_ball", 0.5), ("domino", 1), ("drum", 0.05),
                     ("four_bar", 2), ("granular_column", 0.05), ("hopper", 0.05), ("kapla_tower", 1),
                     ("lifted_cylinder", 0.02), ("mesh_hopper", 0.05), ("mixer", 0.2), ("newton_cradle", 1), ("pendulum", 2),
                     ("penetration", 0.05), ("rag_dolls", 0.5), ("rockfall", 2), ("shaken_wall", 0.2), ("silo", 0.05),
                     ("simple_shear", 0.1), ("slider_crank", 2), ("sphere_heap", 0.3), ("triaxial", 0.05), ("triaxial_box", 0.05)):
    ROWS.append(run_row("library", scene, scene, until))


def command_of(build, row, folder):
    _, _, program, words = row
    if program == "step_cairn":
        scene, steps, tolerance = words
        return [f"{build}/bench/step/step_cairn", f"{folder}/../../scenes/{scene}.txt", str(steps), f"{folder}/final.txt", tolerance, "1"]
    if program == "bench_dem":
        return [f"{build}/bench/dem/bench_dem", *words]
    return [f"{build}/cairn", "run", *words, "--json", "--quiet", "--accept-unsolved", "--out", f"{folder}/run",
            "--paraview-every", "0", "--trajectory-every", "0", "--energy-every", "1000"]


def number(pattern, text):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else None


def measure(build, row, folder):
    """Instructions within the steps, iterations a step, unsolved steps, overlap (m) and the state's hash."""
    os.makedirs(folder)
    out = f"{folder}/callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=cairn_world_step", f"--callgrind-out-file={out}",
               *command_of(build, row, folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False,
                         env=dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"))
    result = {"instructions": number(r"Collected : (\d+)", run.stderr)}
    if run.returncode not in (0, 1, 5) or not result["instructions"]:
        sys.exit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    if row[2] == "cairn":
        said = json.loads(run.stdout)
        result.update(steps=said["steps"], iterations=said["iterations_mean"], unsolved=said["steps_unsolved"],
                      overlap=said["penetration_max"], hash=said["state_hash"])
    elif row[2] == "step_cairn":
        judged = subprocess.run([f"{build}/bench/step/step_judge", command[-5], f"{folder}/final.txt"],
                                capture_output=True, text=True, check=False).stdout
        result.update(steps=row[3][1], iterations=number(r"iterations (\S+)", run.stdout),
                      unsolved=number(r"unsolved (\d+)", run.stdout), hash=run.stdout.split()[-1],
                      overlap=1e-3 * (number(r"worst_mm (\S+)", judged) or 0.0))
    return result


def both(builds, row, work):
    place = os.path.join(work, re.sub(r"[^a-z0-9]+", "-", f"{row[0]} {row[1]}".lower()))
    return [measure(build, row, os.path.join(place, name)) for name, build in zip(("old", "new"), builds)]


def show(row, old, new):
    def pair(key, form):
        values = [form % x[key] if x.get(key) is not None else "" for x in (old, new)]
        return " / ".join(values) if any(values) else ""
    ratio = new["instructions"] / old["instructions"]
    print(f"| {row[0]} | {row[1]} | {old['instructions']:.4g} | {ratio:.3f}{' **' if ratio > LIMIT else ''} "
          f"| {pair('iterations', '%.4g')} | {pair('unsolved', '%d')} | {pair('overlap', '%.2g')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="rows whose kind and name hold this word")
    parser.add_argument("--csv")
    parser.add_argument("--keep", help="folder for the profiles of callgrind")
    parser.add_argument("--jobs", type=int, default=1)
    o = parser.parse_args()
    work = o.keep or tempfile.mkdtemp(prefix="gates-")
    os.makedirs(f"{work}/scenes", exist_ok=True)
    rows = [row for row in ROWS if o.only in f"{row[0]}: {row[1]}"]
    subprocess.run([f"{o.new}/bench/step/step_scenes", f"{work}/scenes"], check=True)
    print("| kind | row | instructions of the steps, old | new / old | iterations a step | unsolved | overlap, m |\n|" + "---|" * 7)
    results = []
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for row, (old, new) in zip(rows, pool.map(lambda row: both((o.old, o.new), row, work), rows)):
            show(row, old, new)
            results.append((row, old, new))
    if o.csv:
        with open(o.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            keys = ("instructions", "iterations", "unsolved", "overlap")
            writer.writerow(["kind", "row", "ratio", *(f"{key}_{name}" for key in keys for name in ("old", "new"))])
            for row, old, new in results:
                writer.writerow([*row[:2], f"{new['instructions'] / old['instructions']:.4f}",
                                 *(x.get(key, "") for key in keys for x in (old, new))])
    return 0


if __name__ == "__main__":
    sys.exit(main())
