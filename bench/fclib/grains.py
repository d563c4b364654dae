#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Dense rigid grains: time of a step in a run, and of single problems of it from zero beside Siconos.
"""usage: bench/fclib/grains.py [BUILD_DIR]   (default build; run from the top folder)

Columns, beds, a hopper, a drum and a heap of spheres, and a bed of octahedra, under the law
signorini_coulomb; but for those that say so, grains are a little apart at the start. For each: CPU time
of a step and of a contact in the run, the steps that ended above the tolerance, and the peak of
memory; then the problems of its first and last step, solved from zero by `auto` and, where
BUILD_DIR has bench/fclib/fclib_siconos (-Dbench=true), by all settings of Siconos's global solvers
with LIMIT seconds of CPU time each (environment, default 5). TOLERANCE is 1e-6 unless set."""
import csv
import json
import os
import subprocess
import sys
import tempfile

BED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bed.lua")
# name, scene, step (s), end (s), parameters
CASES = [
    ("column of 11 layers, touching", "granular_column", 0.0025, 0.15, {"length": 6, "aspect": 2}),
    ("column of 20 layers, touching", "granular_column", 0.0025, 0.15, {"length": 10, "aspect": 2}),
    ("column of 28 layers, touching", "granular_column", 0.0025, 0.05, {"length": 14, "aspect": 2}),
    ("column of 28 layers", "granular_column", 0.002, 0.1, {"length": 14, "aspect": 2, "gap": 0.005}),
    ("column of 60 layers", "granular_column", 0.002, 0.04, {"length": 20, "aspect": 3, "gap": 0.005}),
    ("bed, front open", BED, 0.002, 0.06, {"count": 500, "open": 1}),
    ("bed in a box", BED, 0.002, 0.03, {"count": 300}),
    ("bed of octahedra", BED, 0.002, 0.2, {"count": 300, "hull": 1}),
    ("heap", "sphere_heap", 0.002, 0.6, {}),
    ("hopper", "hopper", 0.002, 0.1, {}),
    ("drum", "drum", 0.002, 0.008, {}),
]


def cpu_of(command):
    """Standard output, CPU seconds and peak of memory (MB) of a command that may end unsolved."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


def run_scene(cairn, case, tolerance, folder):
    name, scene, step, until, settings = case
    command = [cairn, "run", scene, "--law", "signorini_coulomb", "--step", str(step), "--until", str(until),
               "--tolerance", tolerance, "--json", "--quiet", "--accept-unsolved", "--out", folder + "/run",
               "--paraview-every", "0"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    text, seconds, memory = cpu_of(command)
    run = json.loads(text)
    per_step = seconds / run["steps"]
    print(f"| {name} | {run['bodies']} | {run['contacts_max']} | {run['steps']} | {run['steps_unsolved']} "
          f"| {1e3 * per_step:.1f} | {1e6 * per_step / run['contacts_max']:.0f} | {memory:.0f} |", flush=True)
    # a step without contacts leaves no file
    problems = []
    for label, count in (("first", 1), ("last", run["steps"])):
        kept = f"{folder}/problems{count}"
        cpu_of(command + ["--until", str(count * step), "--fclib", kept, "--fclib-form", "global",
                          "--fclib-every", str(count)])
        problems += [(f"{name}, {label} step", f"{kept}/{file}") for file in os.listdir(kept)]
    return problems


def solve_from_zero(cairn, file, tolerance, folder):
    """Contacts, error and CPU seconds of one solve; None for the seconds where it ended unsolved."""
    table = folder + "/ours.csv"
    cpu_of([cairn, "bench", file, "--solvers", "auto", "--tolerance", tolerance, "--time-limit", "60", "--quiet",
            "--csv", table])
    contacts = json.loads(cpu_of([cairn, "info", file, "--json"])[0])["contacts"]
    with open(table, encoding="utf-8") as rows:
        row = next(csv.DictReader(rows))
    return contacts, float(row["error"]), float(row["time_s"]) if row["success"] == "1" else None


def best_of_siconos(program, files, tolerance, limit, folder):
    """Fastest setting of each file that was solved: {file: (seconds, setting)}."""
    table = folder + "/siconos.csv"
    subprocess.run([program, "all", tolerance, limit, "4", table] + files, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    best = {}
    with open(table, encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            if row["success"] != "1":
                continue
            key, found = os.path.basename(row["file"]), (float(row["time_s"]), row["solver"])
            best[key] = min(best.get(key, found), found)
    return best


def main():
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    tolerance, limit = os.environ.get("TOLERANCE", "1e-6"), os.environ.get("LIMIT", "5")
    cairn, siconos = f"{build}/cairn", f"{build}/bench/fclib/fclib_siconos"
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        print("| run | bodies | contacts | steps | unsolved | ms a step | us a contact | MB |")
        print("|---|---|---|---|---|---|---|---|")
        problems = []
        for number, case in enumerate(CASES):
            problems += run_scene(cairn, case, tolerance, f"{folder}/{number}")
        print("\n| problem, from zero | contacts | s | us a contact | fastest of Siconos, s |")
        print("|---|---|---|---|---|")
        for number, (name, file) in enumerate(problems):
            theirs = ""
            if os.path.exists(siconos):
                own = f"{folder}/{number}.hdf5"
                os.link(file, own)
                found = best_of_siconos(siconos, [own], tolerance, limit, folder)
                theirs = "none" if not found else "{0:.3g} ({1})".format(*found[f"{number}.hdf5"])
            contacts, error, seconds = solve_from_zero(cairn, file, tolerance, folder)
            ours = f"{seconds:.3g} | {1e6 * seconds / contacts:.0f}" if seconds else f"error {error:.1e} | "
            print(f"| {name} | {contacts} | {ours} | {theirs} |", flush=True)


main()
