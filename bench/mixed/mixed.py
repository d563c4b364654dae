#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Mixed problems, with contacts and joints in each: written from scenes in both forms, solved, and judged
# from the files alone.
"""usage: mixed.py PROGRAM FOLDER [MOST]   (MOST problems of each scene and form; default 16)"""
import glob
import json
import os
import subprocess
import sys

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
# name: (scene, options, step of the first problem, steps between problems)
SCENES = {
    "chain_with_ball": ("chain_with_ball", ["--set", "links=4", "--set", "rows=2"], 236, 5),
    "long_chain": ("chain_with_ball", ["--set", "links=12", "--set", "rows=2"], 390, 6),
    "slider_crank": ("slider_crank", [], 20, 31),
    "newton_cradle": ("newton_cradle", ["--set", "angle=5.0"], 2600, 30),
    "rag_dolls": ("rag_dolls", ["--set", "dolls=1", "--set", "steps=4"], 120, 40),
    "rag_dolls_heap": ("rag_dolls", ["--set", "dolls=2", "--set", "steps=0"], 150, 60),
    "pendulum": (HERE + "/pendulum.lua", [], 60, 20),
    "bridge": (HERE + "/bridge.lua", [], 60, 20),
    "net": (HERE + "/net.lua", [], 60, 20),
    "paddle": (HERE + "/paddle.lua", ["--set", "balls=24"], 40, 30),
    "linkage": (HERE + "/linkage.lua", [], 60, 20),
    "cardan": (HERE + "/cardan.lua", [], 40, 25),
}
TOLERANCE = 1e-8


def write(program, folder, name, most):
    """Runs a scene as far as its problems need, and returns those that have joints."""
    scene, words, first, every = SCENES[name]
    problems = os.path.join(folder, name)
    if not os.path.isdir(problems):
        until = subprocess.run([program, "info", scene, *words, "--json"], check=True,
                               capture_output=True, text=True)
        step = json.loads(until.stdout)["step"]
        subprocess.run([program, "run", scene, *words, "--until", repr(step * (first + every * most)),
                        "--fclib", problems, "--fclib-every", str(every), "--fclib-form", "both",
                        "--fclib-when", f"step >= {first}", "--paraview-every", "0", "--quiet",
                        "--out", problems + "-run"], check=True)
    return sorted(path for path in glob.glob(problems + "/*.hdf5") if has_joints(path))


def has_joints(path):
    with h5py.File(path) as file:
        group = file["fclib_local" if "fclib_local" in file else "fclib_global"]
        return ("V" if "fclib_local" in file else "G") in group


def dense(group):
    """A matrix stored by columns."""
    start, index, value = group["p"][:], group["i"][:], group["x"][:]
    out = numpy.zeros((int(group["m"][0]), int(group["n"][0])))
    for column in range(out.shape[1]):
        at = slice(start[column], start[column + 1])
        numpy.add.at(out[:, column], index[at], value[at])
    return out


def natural_map(r, u, mu, q):
    """|r - P(r - u - mu |u_T| n)|, P onto the cones, over the largest of |q|, |r|, |u|."""
    total = 0.0
    for i, friction in enumerate(mu):
        R, U = r[3 * i:3 * i + 3], u[3 * i:3 * i + 3]
        z = R - U - numpy.array([friction * numpy.hypot(U[1], U[2]), 0, 0])
        length = numpy.hypot(z[1], z[2])
        # without friction the product is 0 below the cone, too
        if z[0] >= 0 and length <= friction * z[0]:
            p = z
        elif friction * length <= -z[0]:
            p = numpy.zeros(3)
        else:
            head = (z[0] + friction * length) / (1 + friction * friction)
            p = numpy.array([head, *(friction * head * z[1:] / length)])
        total += numpy.sum((R - p) ** 2)
    return numpy.sqrt(total) / max(map(numpy.linalg.norm, (r, u, q)))


def judge(path):
    """(contacts, rows of joints, error of the law, error of the joints) of a solution in a file; u and v
    are made anew from r and l."""
    with h5py.File(path) as file:
        r, l = file["solution/r"][:], file["solution/l"][:]
        if "fclib_local" in file:
            group = file["fclib_local"]
            W, V, R = (dense(group[name]) for name in "WVR")
            q, s, mu = (group["vectors/" + name][:] for name in ("q", "s", "mu"))
            u, rest = W @ r + V @ l + q, V.T @ r + R @ l + s
            size = numpy.abs(V.T) @ numpy.abs(r) + numpy.abs(R) @ numpy.abs(l) + numpy.abs(s)
        else:
            group = file["fclib_global"]
            M, H, G = (dense(group[name]) for name in "MHG")
            f, w, b, mu = (group["vectors/" + name][:] for name in ("f", "w", "b", "mu"))
            v = numpy.linalg.solve(M, f + H @ r + G @ l)
            free = numpy.linalg.solve(M, f)
            u, rest, q = H.T @ v + w, G.T @ v + b, H.T @ free + w
            size = numpy.abs(G.T) @ (numpy.abs(v) + numpy.abs(free)) + numpy.abs(b)
    return len(mu), len(l), natural_map(r, u, mu, q), numpy.max(numpy.abs(rest)) / numpy.max(size)


def solve(program, path):
    """The line of the solver, and what the file that it wrote is worth."""
    solved = path[:-len(".hdf5")] + ".solved"
    done = subprocess.run([program, "solve", path, "--tolerance", str(TOLERANCE), "--json",
                           "--write-solution", solved], capture_output=True, text=True)
    line = json.loads(done.stdout) if done.stdout else {"status": "failed", "seconds": 0.0}
    found = judge(solved) if os.path.exists(solved) else (0, 0, numpy.inf, numpy.inf)
    if os.path.exists(solved):
        os.remove(solved)
    return line, found


def study(program, folder, most, names=tuple(SCENES)):
    """Rows (path, solver's line, contacts, joints' rows, error of the law, of the joints)."""
    rows = []
    for name in names:
        for path in write(program, folder, name, most):
            line, found = solve(program, path)
            rows.append((path, line, *found))
    return rows


def is_good(row):
    """Solved, and to the tolerance by this file's own measure too (its |q| is that of free bodies)."""
    return row[1]["status"] == "solved" and row[4] <= 2 * TOLERANCE and row[5] <= TOLERANCE


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    rows = study(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), most)
    for name in SCENES:
        mine = [row for row in rows if os.path.basename(os.path.dirname(row[0])) == name]
        good = sum(map(is_good, mine))
        print(f"{name:16} {len(mine):4} problems, {good:4} solved, contacts up to "
              f"{max((row[2] for row in mine), default=0):3}, rows of joints up to "
              f"{max((row[3] for row in mine), default=0):3}, errors "
              f"{max((row[4] for row in mine), default=0):.1e} {max((row[5] for row in mine), default=0):.1e}")
    for row in rows:
        if not is_good(row):
            print("not solved:", row[0], row[1], f"{row[4]:.2e} {row[5]:.2e}")
    print(f"{sum(map(is_good, rows))} of {len(rows)} solved to {TOLERANCE}")
    return 0 if all(map(is_good, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
