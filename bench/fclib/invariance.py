#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The same problems in other units and orders: does the verdict stay, and the work?
"""usage: bench/fclib/invariance.py CAIRN OUT.csv FILE.hdf5...

Each problem file is solved to 1e-8 as it is, with masses multiplied by 1e-6 and 1e6, velocities by
1e-4 and 1e4, and with its contacts in two random orders. OUT.csv has a line a solve; the summary says
how many verdicts differ and by which factor the numbers of iterations do. LIMIT (seconds of CPU time a
solve, default 5) may be set in the environment. Wants numpy and h5py."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

VARIANTS = [("as it is", 1.0, 1.0, None), ("mass 1e-6", 1e-6, 1.0, None),
            ("mass 1e6", 1e6, 1.0, None), ("velocity 1e-4", 1.0, 1e-4, None),
            ("velocity 1e4", 1.0, 1e4, None), ("order 1", 1.0, 1.0, 1), ("order 2", 1.0, 1.0, 2)]


def group_of(file):
    for name in ("fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling"):
        if name in file:
            return name, file[name]
    raise ValueError("no problem")


def scale(group, name, mass, velocity):
    """u, w, q, b are velocities, M masses, f impulses, W inverse masses."""
    factors = {"W": 1.0 / mass, "M": mass}
    for matrix, factor in factors.items():
        if matrix in group:
            group[matrix]["x"][...] = group[matrix]["x"][...] * factor
    vectors = {"q": velocity, "w": velocity, "b": velocity, "s": velocity, "f": mass * velocity}
    for vector, factor in vectors.items():
        if vector in group["vectors"]:
            group["vectors"][vector][...] = group["vectors"][vector][...] * factor
    if "R" in group and "local" in name:
        group["R"]["x"][...] = group["R"]["x"][...] / mass
        for matrix in ("V", "S"):
            if matrix in group:
                group[matrix]["x"][...] = group[matrix]["x"][...] / mass


def places(order, rows):
    """Where each row of contacts in this order goes."""
    new = numpy.empty_like(order)
    new[order] = numpy.arange(len(order))
    each = numpy.arange(rows * len(order))
    return rows * new[each // rows] + each % rows


def renumber(group, matrix, where_rows, where_columns):
    """Rows or columns of a matrix in triplets, compressed columns or rows go elsewhere."""
    data = group[matrix]
    count = int(numpy.ravel(data["nz"][()])[0])
    first, second = data["p"][()], data["i"][()]
    if count < 0:
        outer = numpy.repeat(numpy.arange(len(first) - 1), numpy.diff(first))
        inner, values = second[:first[-1]], data["x"][()][:first[-1]]
        columns, rows = (outer, inner) if count == -1 else (inner, outer)
    else:
        columns, rows, values = first[:count], second[:count], data["x"][()][:count]
    if where_rows is not None:
        rows = where_rows[rows]
    if where_columns is not None:
        columns = where_columns[columns]
    for name in ("p", "i", "x", "nz", "nzmax"):
        del data[name]
    data["p"], data["i"], data["x"] = columns.astype("i4"), rows.astype("i4"), values
    data["nz"] = data["nzmax"] = numpy.array([len(values)], dtype="i4")


def reorder(group, name, seed):
    vectors = group["vectors"]
    friction = vectors["mu"][()]
    order = numpy.random.default_rng(seed).permutation(len(friction))
    rows = int(numpy.ravel(group["spacedim"][()])[0])
    where = places(order, rows)
    for vector in ("mu", "mu_r"):
        if vector in vectors:
            vectors[vector][...] = vectors[vector][()][order]
    for vector in ("q", "w"):
        if vector in vectors:
            old = vectors[vector][()]
            new = numpy.empty_like(old)
            new[where] = old
            vectors[vector][...] = new
    for matrix, moves in (("W", (True, True)), ("H", (False, True)), ("V", (True, False)),
                          ("S", (False, True))):
        if matrix in group:
            renumber(group, matrix, where if moves[0] else None, where if moves[1] else None)


def change(path, mass, velocity, seed):
    with h5py.File(path, "r+") as file:
        name, group = group_of(file)
        for stored in ("guesses", "solution"):
            if stored in file:
                del file[stored]
        if mass != 1.0 or velocity != 1.0:
            scale(group, name, mass, velocity)
        if seed is not None:
            reorder(group, name, seed)


def solve(cairn, path):
    done = subprocess.run([cairn, "solve", path, "--json", "--cpu-limit",
                           os.environ.get("LIMIT", "5")], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"status": done.stderr.strip()[:80],
                                                        "iterations": 0, "error": "", "contacts": 0}


def main():
    if {"-h", "--help"} & set(sys.argv) or len(sys.argv) < 4:
        sys.exit(__doc__)
    cairn, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    differ, factors = {}, {}
    with open(out, "w", newline="") as stream, tempfile.TemporaryDirectory() as folder:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["file", "variant", "contacts", "status", "iterations", "error"])
        for file in files:
            first = None
            for variant, mass, velocity, seed in VARIANTS:
                copy = folder + "/copy.hdf5"
                shutil.copy(file, copy)
                os.chmod(copy, 0o644)
                change(copy, mass, velocity, seed)
                result = solve(cairn, copy)
                table.writerow([os.path.basename(file), variant, result["contacts"],
                                result["status"], result["iterations"], result["error"]])
                stream.flush()
                if first is None:
                    first = result
                    continue
                if result["status"] != first["status"]:
                    differ.setdefault(variant, []).append(os.path.basename(file))
                elif result["status"] == "solved":
                    ratio = max(result["iterations"], 1) / max(first["iterations"], 1)
                    factors.setdefault(variant, []).append((max(ratio, 1 / ratio),
                                                            os.path.basename(file)))
    for variant, *_ in VARIANTS[1:]:
        known = sorted(factors.get(variant, []))
        beyond = [name for factor, name in known if factor > 1.5]
        print(f"{variant}: {len(known)} solved alike, {len(differ.get(variant, []))} verdicts differ "
              f"{differ.get(variant, [])}, iterations within "
              f"{known[-1][0] if known else float('nan'):.3g}, beyond 1.5: {beyond}")


main()
