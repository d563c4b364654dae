#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What steps cost in two builds of this engine, counted: the gates of a change of mechanics.
"""usage: bench/ordinary/gates.py OLD_BUILD NEW_BUILD [--only WORD] [--share X] [--csv FILE] [--keep FOLDER] [--jobs N]

Both are release builds with -Dbench=true and bench/dem/bench_dem built. Each row runs the same steps of the same scene in both
under callgrind (Debian's valgrind), which counts the instructions within cairn_world_step, so that other programs
on the machine change nothing, and takes iterations, unsolved steps and the deepest overlap from
what the runs say. Rows over 1.05 times as many instructions are marked. An hour or two on two cores; --share 0.2 takes a
fifth of all runs alone.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BED = os.path.join(HERE, os.pardir, "fclib", "bed.lua")
PILE = os.path.join(HERE, "pile.lua")
BOXES = os.path.join(HERE, os.pardir, "explicit", "boxes.lua")
LIMIT = 1.05


# kind, name, program, steps or end time (s), other arguments: such that a row counts some 10^9 instructions
ROWS = [("step", f"{scene}, {tolerance}", "step_cairn", steps, [scene, tolerance])
        for scene, steps in (("column50", 300), ("kapla144", 120), ("pyramid210", 100), ("capsules100", 250), ("pyramid1035", 12),
                             ("capsules1000", 60), ("pyramid5050", 5), ("capsules5000", 12))
        for tolerance in ("1e-8", "1e-4")]


def run_row(kind, name, scene, until, settings=(), options=()):
    words = [scene, *options]
    for setting in settings:
        words += ["--set", setting]
    ROWS.append((kind, name, "cairn", until, words))


for label, scene, step, until, given in (
        ("column of 11 layers, touching", "granular_column", 0.0025, 0.15, ("length=6", "aspect=2")),
        ("column of 20 layers, touching", "granular_column", 0.0025, 0.0125, ("length=10", "aspect=2")),
        ("column of 28 layers", "granular_column", 0.002, 0.03, ("length=14", "aspect=2", "gap=0.005")),
        ("bed, front open", BED, 0.002, 0.04, ("count=500", "open=1")),
        ("bed in a box", BED, 0.002, 0.03, ("count=300",)),
        ("bed of octahedra", BED, 0.002, 0.12, ("count=300", "hull=1")),
        ("heap", "sphere_heap", 0.002, 0.6, ()),
        ("hopper", "hopper", 0.002, 0.1, ())):
    run_row("rigid grains", label, scene, until, given,
            ("--law", "signorini_coulomb", "--tolerance", "1e-6", "--step", str(step)))
for law in ("hooke", "hertz_mindlin", "mindlin_deresiewicz"):
    ROWS.append(("explicit laws", f"500 spheres, {law}", "bench_dem", 1500, ["--count", "500", "--law", law]))
for label, words in (("with rolling", ["--rolling", "0.1"]), ("of two materials", ["--materials", "2"]),
                     ("in a cell", ["--cell", "xy"]), ("through the general passes", ["--general", "1"]),
                     ("beside a box", ["--beside", "box"]), ("beside a joint", ["--beside", "joint"])):
    ROWS.append(("explicit laws", f"500 spheres {label}, hooke", "bench_dem", 1000, ["--count", "500", *words]))
for label, words in (("clumps", ["--clump", "3"]), ("octahedra", ["--hull", "octahedron"]),
                     ("rounded octahedra", ["--hull", "octahedron", "--rounding", "0.05"])):
    ROWS.append(("explicit laws", f"200 {label}, hooke", "bench_dem", 200, ["--count", "200", *words]))
for law in ("hooke", "spring_dashpot"):
    run_row("explicit laws", f"100 boxes, {law}", BOXES, 0.5, ("boxes=100", "wide=4", f"contact_law={law}"))
for floor in ("one", "tiles", "mesh", "drum"):
    for grain, grains, until in (("sphere", 216, 0.3), ("box", 27, 0.2), ("capsule", 27, 0.2)):
        run_row("floors", f"{grains} grains ({grain}), hooke, {floor}", PILE, until,
                (f"floor={floor}", f"grain={grain}", f"grains={grains}"))
    for grain in ("sphere", "box"):
        run_row("floors", f"64 grains ({grain}), rigid, {floor}", PILE, 0.3,
                (f"floor={floor}", f"grain={grain}", "grains=64", "contact_law=signorini_coulomb"))
for scene, until in (("arch", 2), ("ball_mill", 0.1), ("billiards", 2), ("box_stack", 2), ("brick_wall", 1),
                     ("capsules", 0.6), ("chain", 0.5), ("chain_with_ball", 1), ("domino", 1), ("drum", 0.2),
                     ("four_bar", 2), ("granular_column", 0.2), ("hopper", 0.2), ("kapla_tower", 1),
                     ("lifted_cylinder", 0.1), ("mesh_hopper", 0.2), ("mixer", 1), ("newton_cradle", 1), ("pendulum", 2),
                     ("penetration", 0.2), ("rag_dolls", 0.5), ("rockfall", 2), ("shaken_wall", 0.5), ("silo", 0.2),
                     ("simple_shear", 0.5), ("slider_crank", 2), ("sphere_heap", 0.5), ("triaxial", 0.2), ("triaxial_box", 0.2)):
    run_row("library", scene, scene, until)


def bed_of(count, own, work):
    """A settled bed, made by the new build for both."""
    grains = [word for flag, word in zip(own, own[1:]) if flag in ("--clump", "--hull", "--cell")]
    return f"{work}/beds/{'-'.join([count, *grains])}.txt"


def make_beds(build, rows, work):
    os.makedirs(f"{work}/beds", exist_ok=True)
    for words in [row[4] for row in rows if row[2] == "bench_dem"]:
        bed = bed_of(words[1], words[2:], work)
        kinds = [word for flag, value in zip(words[2::2], words[3::2]) if flag in ("--clump", "--hull", "--cell")
                 for word in (flag, value)]
        if not os.path.exists(bed):
            subprocess.run([f"{build}/bench/dem/bench_dem", "--count", words[1], "--side", "0.1", *kinds, "--damping", "2000",
                            "--steps", "15000", "--save", bed], check=True, stdout=subprocess.DEVNULL)


def source_of(build):
    with open(f"{build}/meson-info/meson-info.json", encoding="utf-8") as file:
        return json.load(file)["directories"]["source"]


def command_of(build, row, share, folder):
    _, _, program, length, words = row
    if program == "step_cairn":
        return [f"{build}/bench/step/step_cairn", f"{folder}/../../scenes/{words[0]}.txt", str(math.ceil(share * length)),
                f"{folder}/final.txt", words[1], "1"]
    if program == "bench_dem":
        count, own = words[1], words[2:]
        return [f"{build}/bench/dem/bench_dem", "--bed", bed_of(count, own, f"{folder}/../.."), "--side", "0.1", *own,
                "--steps", str(math.ceil(share * length))]
    # scenes of the library as this build has them: others may use words that it does not know
    scene = words[0] if words[0].endswith(".lua") else f"{source_of(build)}/scenes/library/{words[0]}.lua"
    return [f"{build}/cairn", "run", scene, *words[1:], "--scene-time-limit", "1000", "--until", str(share * length), "--json", "--quiet", "--accept-unsolved",
            "--out", f"{folder}/run", "--paraview-every", "0", "--trajectory-every", "0", "--energy-every", "1000"]


def number(pattern, text):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else None


def measure(build, row, share, folder):
    """Instructions within the steps, iterations a step, unsolved steps, overlap (m) and the state's hash."""
    os.makedirs(folder)
    out = f"{folder}/callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=cairn_world_step", f"--callgrind-out-file={out}",
               *command_of(build, row, share, folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False,
                         env=dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"))
    result = {"instructions": number(r"Collected : (\d+)", run.stderr)}
    if run.returncode not in (0, 1, 5) or not result["instructions"]:
        sys.exit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    if row[2] == "cairn":
        said = json.loads(run.stdout)
        result.update(iterations=said["iterations_mean"], unsolved=said["steps_unsolved"],
                      overlap=said["penetration_max"], hash=said["state_hash"])
    elif row[2] == "step_cairn":
        judged = subprocess.run([f"{build}/bench/step/step_judge", command[-5], f"{folder}/final.txt"],
                                capture_output=True, text=True, check=False).stdout
        result.update(iterations=number(r"iterations (\S+)", run.stdout),
                      unsolved=number(r"unsolved (\d+)", run.stdout), hash=run.stdout.split()[-1],
                      overlap=1e-3 * (number(r"worst_mm (\S+)", judged) or 0.0))
    return result


def both(o, row, work):
    place = os.path.join(work, re.sub(r"[^a-z0-9]+", "-", f"{row[0]} {row[1]}".lower()))
    return [measure(build, row, o.share, os.path.join(place, name)) for name, build in (("old", o.old), ("new", o.new))]


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
    parser.add_argument("--share", type=float, default=1.0, help="of the length of all runs")
    parser.add_argument("--csv")
    parser.add_argument("--keep", help="folder for the profiles of callgrind")
    parser.add_argument("--jobs", type=int, default=1)
    o = parser.parse_args()
    work = o.keep or tempfile.mkdtemp(prefix="gates-")
    os.makedirs(f"{work}/scenes", exist_ok=True)
    rows = [row for row in ROWS if o.only in f"{row[0]}: {row[1]}"]
    subprocess.run([f"{o.new}/bench/step/step_scenes", f"{work}/scenes"], check=True)
    make_beds(o.new, rows, work)
    print("| kind | row | instructions of the steps, old | new / old | iterations a step | unsolved | overlap, m |\n|" + "---|" * 7)
    results = []
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for row, (old, new) in zip(rows, pool.map(lambda row: both(o, row, work), rows)):
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
