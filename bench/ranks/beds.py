#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A settled bed in one process, in two threads and in several processes, and LAMMPS in as many, in one run.
"""usage: beds.py CAIRN BENCH_DEM WORK_FOLDER [--size 100000] [--steps 400] [--repeats 3] [--processes 2] [--lammps lmp]

Makes the bed that WORK_FOLDER lacks (bench/dem). Speeds are million particle-steps per second of wall clock of the
stepping alone; programs run in turn, the best of the repeats counts for each.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "dem"))
import beds

LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]


def make_scene(folder, text):
    with open(text, encoding="ascii") as rows, open(os.path.join(folder, "rows.lua"), "w", encoding="ascii") as out:
        out.write("return {\n" + "".join("{" + ",".join(line.split()) + "},\n" for line in rows) + "}\n")
    shutil.copy(os.path.join(HERE, "bed.lua"), folder)


def run_cairn(program, folder, size, steps, processes, threads):
    """Million particle-steps a second, the state hash, and what the run says of the processes."""
    words = [program, "run", "bed.lua", "--set", f"side={beds.SIDES[size]}", "--until", repr(2e-5 * steps), "-j", str(threads),
             "--json", "--out", "out", "--energy-every", "1000000", "--paraview", "none", "--trajectory-every", "0",
             "--checkpoint-every", "0", "--scene-time-limit", "120"]
    done = subprocess.run((LAUNCH + [str(processes)] if processes > 1 else []) + words, cwd=folder, capture_output=True,
                          text=True, check=True)
    said = re.search(r"cairn: (\d+ processes: .*)", done.stderr)
    result = json.loads(done.stdout)
    return 1e-6 * size / result["seconds_per_step"], result["state_hash"], said[1] if said else ""


def run_lammps(program, folder, size, steps, processes, data):
    log = os.path.join(folder, "lammps.log")
    words = LAUNCH + [str(processes), program, "-in", os.path.join(os.path.dirname(HERE), "dem", "in.lammps"), "-log", log,
                      "-screen", "none"]
    for name, value in {"bed": data, "side": beds.SIDES[size], "model": "hooke", "skin": 0.0006, "warm": 100, "steps": steps,
                        "slope": 0, "sides": "f"}.items():
        words += ["-var", name, str(value)]
    subprocess.run(words, check=True, env=dict(os.environ, OMP_NUM_THREADS="1"), stdout=subprocess.DEVNULL)
    with open(log, encoding="ascii", errors="replace") as file:
        text = file.read()
    part = text[text.rindex(f"for {steps} steps") - 200:]
    return 1e-6 * size * steps / float(re.search(r"Loop time of (\S+) on", part)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("bench")
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=100000, choices=beds.SIDES)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--lammps", default="lmp")
    o = parser.parse_args()
    o.cairn, o.bench, o.folder = os.path.abspath(o.cairn), os.path.abspath(o.bench), os.path.abspath(o.folder)
    beds.check(o.bench)
    os.makedirs(o.folder, exist_ok=True)
    text, data = beds.make(o.bench, o.folder, o.size, False)
    make_scene(o.folder, text)
    n = o.processes
    rows = {"one process": (1, 1), f"{n} threads": (1, n), f"{n} processes": (n, 1)}
    best, hashes, said = {}, set(), ""
    for _ in range(o.repeats):
        for name, (processes, threads) in rows.items():
            speed, state, words = run_cairn(o.cairn, o.folder, o.size, o.steps, processes, threads)
            best[name] = max(best.get(name, 0.0), speed)
            hashes.add(state)
            said = words or said
        if shutil.which(o.lammps):
            for processes in (1, n):
                name = f"lammps, {processes} process{'es' if processes > 1 else ''}"
                best[name] = max(best.get(name, 0.0), run_lammps(o.lammps, o.folder, o.size, o.steps, processes, data))
    for name, speed in best.items():
        alone = best["lammps, 1 process" if name.startswith("lammps") else "one process"]
        print(f"{name:>22} {speed:8.2f} million particle-steps a second, {speed / alone:5.2f} times one")
    print(said)
    print("state hashes:", *sorted(hashes))
    return 0 if len(hashes) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
