#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Strong and weak scaling by processor time at work, and what a model of it says of more cores than there are.
"""usage: scaling.py CAIRN WORK_FOLDER [--processes 1 2 4 8] [--repeats 3]

On few cores processes take turns, and the clock tells nothing. What each of them works is counted (the clock of its
processor, without its messages), and so are its messages and bytes: the critical path is the work of the one that
works longest, and its messages. The model is fitted to these: work = a n / p + b n for n particles or contacts on p
processes, and a message costs `latency` + bytes / `bandwidth`, which are assumed, not measured.
"""
import argparse
import json
import os
import re
import shutil
import subprocess

LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]
LATENCY, BANDWIDTH = 2e-6, 1e10  # s, bytes/s: of a present cluster

BED = """
local count, side = param("count", 20000), param("side", 28)
simulation{ step = 1e-5, end_time = 0.0012 }
material{ name = "m", density = 2500 }
pair{ law = "hooke", friction = 0.4 }
ground{ material = "m" }
local far, wall = (side - 0.5) * 0.00999, plane{}
body{ kind = "fixed", shape = wall, position = {-0.005, 0, 0}, rotation = {axis = {0, 1, 0}, angle = 90}, material = "m" }
body{ kind = "fixed", shape = wall, position = {far, 0, 0}, rotation = {axis = {0, 1, 0}, angle = -90}, material = "m" }
body{ kind = "fixed", shape = wall, position = {0, -0.005, 0}, rotation = {axis = {1, 0, 0}, angle = -90}, material = "m" }
body{ kind = "fixed", shape = wall, position = {0, far, 0}, rotation = {axis = {1, 0, 0}, angle = 90}, material = "m" }
local grain = sphere{ radius = 0.005 }
for i = 0, count - 1 do
  body{ shape = grain, material = "m", position = { i % side * 0.00999, i // side % side * 0.00999, 0.005 + i // (side * side) * 0.00999 } }
end
"""
PYRAMID = """
local rows = param("rows", 100)
simulation{ step = 1 / 200, end_time = 0.2 }
pair{ friction = 0.5 }
material{ name = "m", density = 1000 }
ground{ material = "m" }
local unit = box{ size = {1, 1, 1} }
for row = 0, rows - 1 do
  for i = 0, rows - row - 1 do
    body{ shape = unit, material = "m", position = {1.1 * (i - 0.5 * (rows - row - 1)), 0, 0.5 + row} }
  end
end
"""
ENDS = {"bed.lua": ("0.0008", "0.0028"), "pyramid.lua": ("0.05", "0.2")}
QUIET = ["--json", "--energy-every", "1000000", "--paraview", "none", "--trajectory-every", "0", "--checkpoint-every", "0"]


def run(cairn, folder, scene, words, processes):
    """Work of each process (s), kB that the first one sends, messages of one, and the steps of these; the state hash."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    done = subprocess.run([*LAUNCH, str(processes), cairn, "run", scene, "--out", "out", *QUIET, *words], cwd=folder,
                          capture_output=True, text=True, check=True, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    found = re.search(r"(\d+) of (\d+) steps shared", done.stderr)
    if found is None:
        raise SystemExit(f"{cairn} shared no step: it wants a build with -Dranks=enabled (Open MPI), and two processes at least")
    shared, steps = map(int, found.groups())
    work = [float(word) for word in re.search(r"time at work:([ 0-9.e+-]+) s;", done.stderr)[1].split()]
    sent = shared * float(re.search(r"sent (\S+) kB a step", done.stderr)[1])
    messages = steps * float(re.search(r"clock, (\S+) of them", done.stderr)[1])
    return work, sent, messages, steps, json.loads(done.stdout)["state_hash"]


def best(repeats, cairn, folder, scene, words, processes):
    """Of a step, from the difference of a long run and a short one, which has the start and the end of it: longest work,
    mean work (s), kB that the first process sends, messages of one; the state hash of the long one."""
    found = []
    for _ in range(repeats):
        short, long = [run(cairn, folder, scene, [*words, "--until", end], processes) for end in ENDS[scene]]
        steps = long[3] - short[3]
        work = [(a - b) / steps for a, b in zip(long[0], short[0])]
        found.append((max(work), sum(work) / len(work), (long[1] - short[1]) / steps, (long[2] - short[2]) / steps, long[4]))
    return min(found)


def fit(rows, size):
    """a and b of work = size (a / p + b), by least squares of the relative errors."""
    points = [(1.0 / p, row[0] / size) for p, row in rows.items()]
    w = [1.0 / y**2 for _, y in points]
    sx, sy = sum(u * x for u, (x, _) in zip(w, points)), sum(u * y for u, (_, y) in zip(w, points))
    sxx, sxy, s = sum(u * x * x for u, (x, _) in zip(w, points)), sum(u * x * y for u, (x, y) in zip(w, points)), sum(w)
    a = (s * sxy - sx * sy) / (s * sxx - sx * sx)
    return a, max((sy - a * sx) / s, 0.0)


def predict(name, size, unit, rows, first):
    a, b = fit({p: row for p, row in rows.items() if p > 1 or first}, size)
    last = rows[max(rows)]
    print(f"\n{name}: {1e9 * a:.3g} ns of a {unit} and step are shared, {1e9 * b:.3g} ns are not")
    print("cores, speed-up of this size, efficiency with this size on each core")
    for p in (2, 8, 64, 1024, 16384):
        talk = last[3] * LATENCY + 1e3 * last[2] / BANDWIDTH
        strong = size * (a + b) / (size * (a / p + b) + talk)
        weak = size * (a + b) / (size * (a + p * b) + last[3] * LATENCY + p * 1e3 * last[2] / BANDWIDTH)
        print(f"{p}, {strong:.1f}, {100 * weak:.0f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("folder")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--repeats", type=int, default=3)
    o = parser.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    for name, text in (("bed.lua", BED), ("pyramid.lua", PYRAMID)):
        with open(os.path.join(o.folder, name), "w", encoding="ascii") as out:
            out.write(text)
    cairn = os.path.abspath(o.cairn)
    print("scene, processes, ms of work (longest), (mean), kB sent by the first, messages of one, state hash")
    strong = {}
    for name, scene, words in (("bed of 100 000", "bed.lua", ["--set", "count=100000", "--set", "side=46"]),
                               ("pyramid of 5050", "pyramid.lua", [])):
        strong[name] = {p: best(o.repeats, cairn, o.folder, scene, words, p) for p in o.processes}
        for p, row in strong[name].items():
            print(f"{name}, {p}, {1e3 * row[0]:.2f}, {1e3 * row[1]:.2f}, {row[2]:.0f}, {row[3]:.1f}, {row[4]}")
    for p in o.processes:
        row = best(o.repeats, cairn, o.folder, "bed.lua", ["--set", f"count={25000 * p}", "--set", f"side={int((25000 * p) ** (1 / 3))}"], p)
        print(f"bed of 25 000 a process, {p}, {1e3 * row[0]:.2f}, {1e3 * row[1]:.2f}, {row[2]:.0f}, {row[3]:.1f}, {row[4]}")
    predict("bed of 100 000", 100000, "sphere", strong["bed of 100 000"], False)
    predict("pyramid of 5050", 42144, "contact", strong["pyramid of 5050"], False)


if __name__ == "__main__":
    main()
