#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time a contact over friction and size: the table of docs/solvers.md, "Any friction".
"""usage: bench/fclib/frictions.py [BUILD_DIR]   (default build; run from the top folder)

Towers, walls and columns of grains under the law signorini_coulomb at the frictions
FRICTIONS (environment, default 0.01 0.05 0.3 1 2) and sizes SIZES (small, middle or large; default
small). Each is run for STEPS steps (default 20). For the problem of the first step: CPU time of
`auto` from zero, within LIMIT seconds (default 30); for the run: CPU time a step and contact, each
step from the guess that the one before leaves, and the steps that ended above the tolerance. TOLERANCE
is 1e-8 unless set, in the measure (4.18)."""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

# name, scene, parameters by size, step (s)
CASES = [
    ("tower", "kapla_tower", {"small": {"rings": 12, "drop": 0.0}, "middle": {"rings": 60, "drop": 0.0},
                              "large": {"rings": 140, "planks_per_ring": 24, "drop": 0.0}}, 0.005),
    ("wall", "brick_wall", {"small": {"courses": 12}, "middle": {"courses": 20, "bricks": 24},
                            "large": {"courses": 40, "bricks": 80}}, 0.005),
    ("column", "granular_column", {"small": {"length": 10, "aspect": 2}, "middle": {"length": 20, "aspect": 3},
                                   "large": {"length": 50, "aspect": 4}}, 0.0025),
]


def run(command):
    """Standard output and CPU seconds of a command that may end above its tolerance (status 5)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_problem(cairn, scene, folder):
    """Contacts, CPU seconds from zero (None where unsolved) and error of the problem of the first step."""
    kept = f"{folder}/first"
    run(scene + ["--until", scene[scene.index("--step") + 1], "--fclib", kept, "--fclib-form", "global",
                 "--accept-unsolved", "--solver", "gauss_seidel",
                 "--simulation-set", "max_iterations=1"])
    files = os.listdir(kept) if os.path.isdir(kept) else []
    if not files:
        return None
    table = folder + "/first.csv"
    tolerance, limit = os.environ.get("TOLERANCE", "1e-8"), os.environ.get("LIMIT", "30")
    run([cairn, "bench", f"{kept}/{files[0]}", "--solvers", "auto", "--tolerance", tolerance, "--time-limit", limit,
         "--quiet", "--csv", table])
    contacts = json.loads(run([cairn, "info", f"{kept}/{files[0]}", "--json"])[0])["contacts"]
    with open(table, encoding="utf-8") as rows:
        row = next(csv.DictReader(rows))
    return contacts, float(row["time_s"]) if row["success"] == "1" else None, row["error"]


def row_of(cairn, case, size, friction, folder):
    name, scene, sizes, step = case
    steps, tolerance = int(os.environ.get("STEPS", "20")), os.environ.get("TOLERANCE", "1e-8")
    command = [cairn, "run", scene, "--law", "signorini_coulomb", "--step", str(step), "--tolerance", tolerance,
               "--set", f"friction={friction}", "--threads", "1", "--json", "--quiet", "--out", folder + "/run",
               "--paraview-every", "0", "--trajectory-every", "0"]
    for key, value in sizes[size].items():
        command += ["--set", f"{key}={value}"]
    first = first_problem(cairn, command, folder)
    zero = "no contact | "
    if first is not None:
        contacts, seconds, error = first
        cost = f"{1e6 * seconds / contacts:.0f}" if seconds is not None else f"open, {float(error):.1e}"
        zero = f"{contacts} | {cost}"
    text, seconds = run(command + ["--until", str(steps * step), "--accept-unsolved"])
    done = json.loads(text)
    cost = 1e6 * seconds / done["steps"] / max(done["contacts_max"], 1)
    print(f"| {name} | {friction} | {zero} | {done['contacts_max']} | {cost:.0f} | {done['steps_unsolved']} |",
          flush=True)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    print("| problem | friction | contacts of the first step | us a contact from zero | contacts of the run "
          "| us a step and contact | steps unsolved |")
    print("|---|---|---|---|---|---|---|")
    for size in os.environ.get("SIZES", "small").split():
        for case in CASES:
            for friction in os.environ.get("FRICTIONS", "0.01 0.05 0.3 1 2").split():
                with tempfile.TemporaryDirectory() as folder:
                    row_of(f"{build}/cairn", case, size, friction, folder)


main()
