# SPDX-License-Identifier: Apache-2.0
# solve, bench, check, info and compare on problems and runs that the command itself makes.
"""usage: test_problems.py PROGRAM ROOT"""
import csv
import glob
import os
import re
import signal
import subprocess
import time
import xml.dom.minidom

import h5py
import numpy

from command import PROGRAM, Folder, check, check_error, check_status, finish, load

PILE = """
title "pile"
simulation{ step = 1 / 200, end_time = 0.06 }
local friction = param("friction", 0.4, "of every pair", { min = 0, max = 2 })
material{ name = "stone", density = 2000 }
pair{ friction = friction, restitution = 0 }
ground{ material = "stone" }
for i = 1, 4 do
  body{ shape = box{ size = {0.2, 0.2, 0.1} }, material = "stone",
        position = {0.01 * i, 0, 0.1 * i - 0.05}, velocity = {0.3, 0, 0} }
end
sensor{ name = "floor", body = "ground", quantity = "force" }
"""
SOLVE_KEYS = ["file", "kind", "contacts", "dofs", "solver", "status", "iterations", "error",
              "seconds", "error_scaled", "error_q", "error_siconos", "growth"]
STATUSES = {"solved", "iteration_limit", "time_limit", "interrupted", "stagnated",
            "runaway", "infeasible", "failed"}
CSV_HEAD = ("file,solver,success,time_s,iterations,error,wall_s,info,status,limit_s,"
            "error_scaled,error_q,error_siconos").split(",")


def make_problems(folder):
    """Problems of both forms in folder/problems; their paths, relative."""
    folder.write("pile.lua", PILE)
    result = folder.cairn("run", "pile.lua", "--out", "r", "--fclib", "problems", "--fclib-every",
                          "4", "--fclib-form", "both", "--tolerance", "1e-9")
    check_status(result, 0, "run with problems")
    names = sorted(glob.glob(folder.path + "/problems/*.hdf5"))
    check(len(names) >= 4, f"{len(names)} problems")
    return ["problems/" + os.path.basename(name) for name in names]


def dense(matrix):
    """Dense array of a matrix group in compressed columns."""
    rows, columns = int(matrix["m"][0]), int(matrix["n"][0])
    out = numpy.zeros((rows, columns))
    start, index, value = matrix["p"][:], matrix["i"][:], matrix["x"][:]
    for column in range(columns):
        for entry in range(start[column], start[column + 1]):
            out[index[entry], column] += value[entry]
    return out


def sparse(group, name, matrix):
    """Matrix group in compressed columns of a dense array."""
    columns = [numpy.nonzero(column)[0] for column in matrix.T]
    out = group.create_group(name)
    out["p"] = numpy.cumsum([0] + [len(rows) for rows in columns]).astype(numpy.int32)
    out["i"] = numpy.concatenate(columns).astype(numpy.int32)
    out["x"] = numpy.concatenate([matrix[rows, k] for k, rows in enumerate(columns)])
    sizes = {"m": matrix.shape[0], "n": matrix.shape[1], "nz": -1, "nzmax": len(out["x"])}
    for key, value in sizes.items():
        out[key] = numpy.array([value], dtype=numpy.int32)


def make_plates(path):
    """A body between two plates that come closer at 1 m/s: no solution."""
    H = numpy.zeros((6, 6))
    for contact, sign in enumerate((1.0, -1.0)):
        H[2, 3 * contact] = H[0, 3 * contact + 1] = sign
        H[1, 3 * contact + 2] = 1.0
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = numpy.array([3], dtype=numpy.int32)
        sparse(group, "M", numpy.diag([1e3, 1e3, 1e3, 10.0, 10.0, 10.0]))
        sparse(group, "H", H)
        group["vectors/f"] = numpy.zeros(6)
        group["vectors/w"] = numpy.array([-0.5, 0.0, 0.0, -0.5, 0.0, 0.0])
        group["vectors/mu"] = numpy.array([0.3, 0.3])


def natural_map(R, U, friction, step=1.0):
    """The point of the cone nearest to R - step (U + friction |Ut| n)."""
    z = R - step * (U + numpy.array([friction * numpy.hypot(U[1], U[2]), 0, 0]))
    length = numpy.hypot(z[1], z[2])
    if z[0] >= 0 and length <= friction * z[0]:
        return z
    if friction * length <= -z[0]:
        return numpy.zeros(3)
    head = (z[0] + friction * length) / (1 + friction * friction)
    return numpy.array([head, *(friction * head * z[1:] / length)])


def read_local(path):
    with h5py.File(path) as file:
        problem = file["fclib_local"]
        return dense(problem["W"]), problem["vectors/q"][:], problem["vectors/mu"][:]


def error_of(r, W, q, mu):
    """Error of a solution of a local problem."""
    u = W @ r + q
    gaps = [r[3 * i:3 * i + 3] - natural_map(r[3 * i:3 * i + 3], u[3 * i:3 * i + 3], friction) for i, friction in enumerate(mu)]
    norm = max(numpy.linalg.norm(q), numpy.linalg.norm(r), numpy.linalg.norm(u))
    return numpy.linalg.norm(gaps) / norm


def natural_map_error(path):
    """Error of the stored solution of a local problem, from the file alone."""
    with h5py.File(path) as file:
        group = file["fclib_local/solution"] if "solution" in file["fclib_local"] else file["solution"]
        r = group["r"][:]
    return error_of(r, *read_local(path))


def solve_by_sweeps(W, q, mu, sweeps=3000):
    """Gauss-Seidel over the contacts, by projections; stops at 1e-9."""
    r = numpy.zeros_like(q)
    steps = [1.0 / numpy.linalg.eigvalsh(W[3 * i:3 * i + 3, 3 * i:3 * i + 3])[-1] for i in range(len(mu))]
    for sweep in range(sweeps):
        for i, friction in enumerate(mu):
            own = slice(3 * i, 3 * i + 3)
            others = W[own] @ r + q[own] - W[own, own] @ r[own]
            for _ in range(5):
                r[own] = natural_map(r[own], others + W[own, own] @ r[own], friction, steps[i])
        if sweep % 20 == 19 and error_of(r, W, q, mu) < 1e-9:
            break
    return r


def check_solve():
    with Folder() as folder:
        problems = make_problems(folder)
        result = folder.cairn("solve", *problems, "--json")
        check_status(result, 0, "solve")
        lines = [load(line) for line in result.out.splitlines()]
        check([line["file"] for line in lines] == problems, "solve: one object a file", result)
        for line in lines:
            check(list(line) == SOLVE_KEYS, f"solve: keys {list(line)}")
            check(line["status"] == "solved" and line["error"] <= 1e-8, f"solve: {line}")
            check(line["kind"] in line["file"], f"solve: kind of {line['file']}")
        local = next(name for name in problems if "local" in name)
        result = folder.cairn("solve", local, "--write-solution", "s.hdf5", "--tolerance", "1e-10",
                              "--json")
        check_status(result, 0, "solve --write-solution")
        error = natural_map_error(folder.path + "/s.hdf5")
        check(error <= 1e-9, f"solution recomputed: {error}")
        check(abs(error - load(result.out)["error_siconos"]) <= 1e-12,
              "error_siconos is the recomputed one")
        table = folder.cairn("solve", local, "s.hdf5")
        check(len(table.out.splitlines()) == 3, "solve: a table", table)
        limited = folder.cairn("solve", local, "--solver", "gauss_seidel", "--max-iterations", "1",
                               "--tolerance", "1e-14", "--json")
        check_status(limited, 5, "solve: tolerance not met")
        check(load(limited.out)["status"] == "iteration_limit", "solve: iteration limit", limited)
        limited = folder.cairn("solve", local, "--cpu-limit", "1e-9", "--tolerance", "1e-15", "--json")
        check_status(limited, 5, "solve: CPU time used up")
        check(load(limited.out)["status"] == "time_limit", "solve: CPU time limit", limited)
        make_plates(folder.path + "/plates.hdf5")
        for solver in ("auto", "nipm", "paln", "proximal_point", "gauss_seidel", "apgd"):
            closing = folder.cairn("solve", "plates.hdf5", "--solver", solver, "--tolerance", "1e-2", "--json")
            check_status(closing, 5, f"solve: {solver} on plates that close on a body")
            check(load(closing.out)["status"] == "infeasible", f"solve: {solver}: infeasible", closing)
        folder.write("bad.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100))
        mixed = folder.cairn("solve", "bad.hdf5", local, "--json")
        check_status(mixed, 3, "solve: a bad file among others")
        check(load(mixed.out)["file"] == local, "solve: the others are solved", mixed)
        check_error(folder.cairn("solve", "none.hdf5"), 3, "none.hdf5", "solve: no such file")
        check_error(folder.cairn("solve", local, "--solver", "gauss"), 2, "unknown solver", "solver")
        check_error(folder.cairn("solve", local, "--solver", "gauss_seidel", "--solver-set",
                                 "colour=1"), 2, "colour", "solve: a setting there is not")
        check_error(folder.cairn("solve", local, local, "--write-solution", "x"), 2, "one file",
                    "solve: one solution for two files")


SHEARED = """simulation{ step = 1e-3, end_time = 0.06, tolerance = 1e-10 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = 2500 }
pair{ law = "signorini_coulomb", friction = 0.4, restitution = 0 }
cell{ size = {0.03, 0.03, 0.03}, rate = { xy = 1.0, zz = -0.5 } }
packing{ region = { min = {0, 0, 0}, max = {0.03, 0.03, 0.03} }, size = 0.012, material = "glass", count = 16 }
"""


def check_deep():
    """An arch of eight stones, whose forces are redundant, to 1e-12: steps 4, 16 and 24 ended at 2e-12 and took 33 000
    iterations when the last polish had long proximal steps alone."""
    with Folder() as folder:
        words = ["--set", "friction=0.8", "--set", "voussoirs=8", "--set", "ratio=1.2", "--until", "0.09"]
        result = folder.cairn("run", "arch", *words, "--out", "r", "--fclib", "p", "--fclib-form", "global",
                              "--fclib-every", "4", "--fclib-when", "contacts > 3")
        check_status(result, 0, "run of an arch")
        names = sorted(glob.glob(folder.path + "/p/*.hdf5"))
        check(len(names) >= 10, f"{len(names)} problems of an arch")
        for name in names:
            result = folder.cairn("solve", name, "--tolerance", "1e-12", "--json")
            check_status(result, 0, os.path.basename(name))
            report = load(result.out)
            check(report["error"] <= 1e-12 and report["iterations"] < 5000,
                  f"{os.path.basename(name)}: {report['error']} in {report['iterations']} iterations")


def check_cell():
    """Problems of a periodic cell that strains are whole: another solver solves them from their files."""
    with Folder() as folder:
        folder.write("cell.lua", SHEARED)
        result = folder.cairn("run", "cell.lua", "--out", "r", "--quiet", "--fclib", "problems", "--fclib-every", "20",
                              "--fclib-form", "both", "--fclib-when", "contacts > 6")
        check_status(result, 0, "cell: run")
        names = sorted(os.path.basename(name) for name in glob.glob(folder.path + "/problems/*.hdf5"))
        check(len(names) >= 4, f"cell: {names}")
        check_status(folder.cairn("solve", *("problems/" + name for name in names), "--tolerance", "1e-10"), 0, "cell: solve")
        for name in names:
            if "local" in name:
                W, q, mu = read_local(folder.path + "/problems/" + name)
                error = error_of(solve_by_sweeps(W, q, mu), W, q, mu)
                check(error < 1e-9 and numpy.linalg.norm(q) > 0, f"cell: {name} solved by sweeps to {error}")


def check_info():
    with Folder() as folder:
        problems = make_problems(folder)
        for name in problems:
            result = folder.cairn("info", name, "--json")
            check_status(result, 0, "info")
            found = load(result.out)
            with h5py.File(os.path.join(folder.path, name)) as file:
                group = file["fclib_local" if found["kind"] == "local" else "fclib_global"]
                matrix = dense(group["W" if found["kind"] == "local" else "H"])
                mu = group["vectors/mu"][:]
            values = numpy.linalg.svd(matrix, compute_uv=False)
            check(found["contacts"] == len(mu), "info: contacts", result)
            check(found["rank"] == int(numpy.sum(values > 1e-10 * values[0])), "info: rank", result)
            check(found["friction_minimum"] == min(mu), "info: friction", result)
            check(found["has_solution"] and found["solution_error"] < 1e-7, "info: solution", result)
            text = folder.cairn("info", name)
            check("rank of" in text.out and "pile" in text.out, "info: text", text)
        # tables and JSON files of a run
        folder.write("odd.csv", '\ufeffname,x [m],"y, [m]"\na,1,nan\nb,-2,3\n')
        found = load(folder.cairn("info", "odd.csv", "--json").out)
        check(found == {"kind": "table", "rows": 2, "columns": [
            {"name": "name", "first": None, "last": None, "smallest": None, "largest": None},
            {"name": "x [m]", "first": 1, "last": -2, "smallest": -2, "largest": 1},
            {"name": "y, [m]", "first": None, "last": 3, "smallest": 3, "largest": 3}]}, f"info: a table {found}")
        text = folder.cairn("info", "odd.csv")
        check(text.status == 0 and "table of 2 rows" in text.out and "nan" not in text.out, "info: a table", text)
        folder.write("empty.csv", "")
        check_error(folder.cairn("info", "empty.csv"), 3, "error: empty.csv: the file is empty", "info: an empty table")
        folder.write("odd.json", '{"a": [1, null]}')
        check(load(folder.cairn("info", "odd.json", "--json").out) == {"kind": "file", "a": [1, None]},
              "info: a JSON file")


def write_local(path, W, q, mu, **others):
    """A local problem with a dense-as-compressed W; others: coefficients of rolling friction."""
    size = len(q)
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local_rolling" if others else "fclib_local")
        group["spacedim"] = numpy.array([size // len(mu)], dtype=numpy.int32)
        for name, values in others.items():
            group["vectors/" + name] = numpy.asarray(values, dtype=float)
        matrix = group.create_group("W")
        for name, value in [("m", size), ("n", size), ("nz", -1), ("nzmax", size * size)]:
            matrix[name] = numpy.array([value], dtype=numpy.int32)
        matrix["p"] = numpy.arange(0, size * size + 1, size, dtype=numpy.int32)
        matrix["i"] = numpy.tile(numpy.arange(size, dtype=numpy.int32), size)
        matrix["x"] = numpy.asarray(W, dtype=float).T.flatten()
        group["vectors/q"] = numpy.asarray(q, dtype=float)
        group["vectors/mu"] = numpy.asarray(mu, dtype=float)


def check_check():
    with Folder() as folder:
        problems = make_problems(folder)
        result = folder.cairn("check", *problems, "--json")
        check_status(result, 0, "check")
        for line in result.out.splitlines():
            check(load(line)["verdict"] == "exists", f"check: {line}")
        # a press whose walls close in faster than the body can give way
        W = numpy.zeros((6, 6))
        W[0, 0] = W[3, 3] = 4.0
        W[0, 3] = W[3, 0] = -4.0
        for second, status, verdict in [(1.5, 0, "exists"), (0.5, 5, "none"), (1.0, 5, "borderline")]:
            write_local(folder.path + "/press.hdf5", W, [-1, 0, 0, second, 0, 0], [0.3, 0.3])
            result = folder.cairn("check", "press.hdf5", "--json")
            check_status(result, status, f"press {second}")
            found = load(result.out)
            check(found["verdict"] == verdict, f"press {second}: {found['verdict']}")
            room = (second - 1) / 2 / max(1, second)
            check(abs(found["margin"] - room) < 1e-6, f"press {second}: margin", result)
        text = folder.cairn("check", "press.hdf5")
        check("undecided" in text.out, "check: text", text)
        # of rolling friction the gaps alone are looked at
        for rows, more in ((5, {}), (6, {"mu_s": [0.05]})):
            write_local(folder.path + "/roll.hdf5", numpy.eye(rows), [-1] + [0.2] * (rows - 1), [0.5],
                        mu_r=[0.1], **more)
            text = folder.cairn("check", "roll.hdf5")
            check_status(text, 5, f"check: {rows} rows")
            check("no more is asked with rolling friction" in text.out, f"check: {rows} rows", text)


def rows_of(folder, name):
    with open(os.path.join(folder.path, name)) as file:
        rows = list(csv.reader(file))
    check(rows[0] == CSV_HEAD, f"{name}: head {rows[0]}")
    check(all(len(row) == len(CSV_HEAD) for row in rows), f"{name}: rows are whole")
    return [dict(zip(CSV_HEAD, row)) for row in rows[1:]]


def check_bench():
    with Folder() as folder:
        check("default 1e-8" in folder.cairn("bench", "--help").out and "asks for 1e-6" in folder.cairn("bench", "--help").out,
              "bench: why its tolerance is not that of a run")
        problems = make_problems(folder)
        result = folder.cairn("bench", "problems", "--solvers", "auto,gauss_seidel,gauss_seidel/"
                              "projected_gradient", "--csv", "a.csv", "--profile", "a.svg",
                              "--jobs", "2", "--json", "--memory-limit", "0")
        check_status(result, 0, "bench")
        rows = rows_of(folder, "a.csv")
        check(len(rows) == 3 * len(problems), f"bench: {len(rows)} rows")
        lines = [load(line) for line in result.out.splitlines()]
        for line in lines:
            own = [row for row in rows if row["solver"] == line["solver"]]
            check(line["tried"] == len(own), "bench: tried", result)
            check(line["solved"] == sum(row["success"] == "1" for row in own), "bench: solved")
        for row in rows:
            check(row["status"] in STATUSES, f"bench: status {row['status']}")
        picture = xml.dom.minidom.parse(folder.path + "/a.svg")
        curves = sum(line["solved"] > 0 for line in lines)
        check(len(picture.getElementsByTagName("path")) == curves + 3, "bench: curves and legend")
        # a slow rival laid over, and a file that cannot be read
        rival = "\n".join(f"{os.path.basename(name)},rival,1,100" for name in problems)
        folder.write("rival.csv", "file,solver,success,time_s\n" + rival + "\nother,rival,1,1\n")
        folder.write("problems/bad.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100))
        result = folder.cairn("bench", "problems", "--solvers", "auto", "--external", "rival.csv",
                              "--csv", "b.csv", "--quiet", "--memory-limit", "0")
        check_status(result, 3, "bench with a bad file")
        check("bad.hdf5" in result.err and result.err.count("\n") == 1, "bench: one message", result)
        check(f"faster on {len(problems)} of {len(problems)}" in result.out, "bench: duel", result)
        unread = [row for row in rows_of(folder, "b.csv") if row["status"] == "unreadable"]
        check([row["file"] for row in unread] == ["bad.hdf5"], "bench: unreadable", result)
        check_error(folder.cairn("bench", "problems", "--solvers", "auto,x"), 2, 'solver "x"', "bench")
        folder.write("wrong.csv", "file,solver\n")
        check_error(folder.cairn("bench", "problems", "--external", "wrong.csv"), 3,
                    r"wrong.csv:1: there is no column", "bench: external")
        check_error(folder.cairn("bench", "nothing"), 3, "nothing", "bench: no such folder")


def check_bench_files():
    with Folder() as folder:
        W = numpy.eye(3)
        for path, q in (("a/x.hdf5", [-1.0, 0, 0]), ("b/x.hdf5", [-2.0, 0, 0]), ("b/y.hdf5", [-3.0, 0, 0])):
            os.makedirs(os.path.dirname(f"{folder.path}/{path}"), exist_ok=True)
            write_local(f"{folder.path}/{path}", W, q, [0.3])
        result = folder.cairn("bench", "a", "b", "a/x.hdf5", "--solvers", "auto", "--csv", "t.csv", "-q")
        check_status(result, 0, "bench: two files of one name")
        check("b/x.hdf5 is left out" in result.err and result.err.count("left out") == 1, "bench: two files of one name",
              result)
        check([row["file"] for row in rows_of(folder, "t.csv")] == ["x.hdf5", "y.hdf5"], "bench: each name once")
        # what is wrong shows before the work
        os.mkdir(folder.path + "/empty")
        result = folder.cairn("bench", "empty", "--solvers", "auto")
        check_status(result, 3, "bench: no problem")
        for profile in ("none/p.svg", "empty"):
            result = folder.cairn("bench", "a", "--solvers", "auto", "--csv", "new.csv", "--profile", profile)
            check_error(result, 1, f"error: {profile}: ", "bench: a profile that cannot be written")
        check(not folder.has("new.csv"), "bench: nothing was solved")


def check_bench_limits():
    with Folder() as folder:
        rng = numpy.random.default_rng(1)
        size = 450
        G = rng.standard_normal((size, 60))
        write_local(folder.path + "/hard.hdf5", G @ G.T, rng.standard_normal(size) - 0.5,
                    [0.8] * (size // 3))
        words = ["bench", "hard.hdf5", "--solvers", "gauss_seidel", "--tolerance", "1e-16",
                 "--time-limit", "0.3", "--csv", "t.csv", "--memory-limit", "0"]
        check_status(folder.cairn(*words, timeout=30), 0, "bench: time limit")
        row = rows_of(folder, "t.csv")[0]
        check(row["success"] == "0" and row["status"] in {"time_limit", "timeout", "iteration_limit"},
              f"bench: status {row['status']}")
        # too little memory is the failure of that solve alone
        result = folder.cairn(*words[:-1], "1")
        row = rows_of(folder, "t.csv")[0]
        check(row["success"] == "0" and result.status in {0, 3}, f"bench: memory {row}", result)
        # the first signal ends it with the CSV whole
        for i in range(40):
            os.link(folder.path + "/hard.hdf5", folder.path + f"/hard{i}.hdf5")
        done = subprocess.Popen([PROGRAM, "bench", ".", "--solvers", "gauss_seidel", "--tolerance",
                                 "1e-16", "--time-limit", "5", "--csv", "i.csv", "--memory-limit",
                                 "0"], cwd=folder.path, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        time.sleep(1)
        done.send_signal(signal.SIGINT)
        done.communicate(timeout=30)
        check(done.returncode == 130, f"bench interrupted: status {done.returncode}")
        rows_of(folder, "i.csv")


def check_compare():
    with Folder() as folder:
        folder.write("pile.lua", PILE)
        for name, words in [("a", []), ("b", []), ("c", ["--set", "friction=0.1"]),
                            ("d", ["--step", "0.0025"])]:
            check_status(folder.cairn("run", "pile.lua", "--out", name, "--quiet", *words), 0, name)
        same = folder.cairn("compare", "a", "b", "--tolerance", "0", "--json")
        check_status(same, 0, "compare: the same run twice")
        found = load(same.out)
        check(found["same_state"] and found["same_shape"] and found["relative_max"] == 0,
              "compare: the same", same)
        check(found["settings"] == {}, f"compare: settings that differ: {found['settings']}")
        check("all settings are the same" in folder.cairn("compare", "a", "b").out, "compare: says that settings are the same")
        other = folder.cairn("compare", "a", "c", "--tolerance", "1e-3", "--json")
        check_status(other, 5, "compare: other friction")
        found = load(other.out)
        places = []
        for name in "ac":
            with open(f"{folder.path}/{name}/bodies.csv") as file:
                places.append([[float(row[f"position {axis} [m]"]) for axis in "xyz"]
                               for row in csv.DictReader(file)])
        distance = numpy.max(numpy.linalg.norm(numpy.subtract(*places), axis=1))
        check(abs(found["differences"]["body position [m]"]["difference"] - distance) < 1e-12,
              "compare: positions", other)
        given = {name: (each["a"], each["b"]) for name, each in found["settings"].items()}
        check(given.pop("parameters.friction", None) == (load(folder.read("a/resolved.json"))["parameters"]["friction"], 0.1),
              f"compare: the parameter {found['settings']}")
        check(given and all(re.fullmatch(r"pairs\[.*\]\.parameters\.friction", name) and b == 0.1 for name, (a, b) in given.items()),
              f"compare: the pairs {found['settings']}")
        text = folder.cairn("compare", "a", "c")
        check(re.search(r"settings that differ +A +B\nparameters\.friction +\S+ +0\.1\n", text.out), "compare: settings in words", text)
        check_status(folder.cairn("compare", "a", "c"), 0, "compare without a tolerance")
        finer = folder.cairn("compare", "a", "d", "--tolerance", "10")
        check_status(finer, 5, "compare: other times")
        check("differ in files, columns, times" in finer.out, "compare: says so", finer)
        check(load(folder.cairn("compare", "a", "d", "--json").out)["settings"] == {"simulation.step": {"a": 0.005, "b": 0.0025}},
              "compare: the step")
        check_error(folder.cairn("compare", "a", "nothing"), 3, "not the folder of a run", "compare")
        # names with axes, tables without rows, a damaged summary
        for name in "ab":
            folder.write(f"{name}/sensors.csv", "step,time [s],a z b position x [m],a z b position y [m]\n0,0,1,2\n")
        check("a z b position [m]" in folder.cairn("compare", "a", "b").out, "compare: the name of a sensor")
        folder.write("b/sensors.csv", folder.read("b/sensors.csv").splitlines()[0] + "\n")
        result = folder.cairn("compare", "a", "b")
        check("nan" not in result.out, "compare: no row in common", result)
        row = load(folder.cairn("compare", "a", "b", "--json").out)["differences"]["a z b position [m]"]
        check(row == {"difference": None, "size": None, "relative": None, "where": None}, f"compare: no row in common, {row}")
        summary = folder.read("b/summary.json")
        for damaged, words in ((summary[:100], "summary.json:1: "), ("{}", "not a summary of a run")):
            folder.write("b/summary.json", damaged)
            check_error(folder.cairn("compare", "a", "b"), 3, words, "compare: a damaged summary")
        folder.write("b/summary.json", summary)
        folder.write("b/energy.csv", "step,time [s],kinetic [J]\n0,1\n")
        check_error(folder.cairn("compare", "a", "b"), 3, "energy.csv:2: not as many", "compare")


def check_scales():
    """Differences are judged by the size of the quantity in the run: not by where the origin is, nor by how exactly bodies rest."""
    scene = """simulation{ step = 0.005, end_time = 1, tolerance = param("accuracy", 1e-6) }
material{ name = "rock", density = param("density", 2000) }
pair{ friction = 0.5 }
local x, off = 1e4, param("off", 0)
ground{}
for i = 1, 4 do body{ name = "b" .. i, shape = box{ size = {0.2, 0.2, 0.2} }, position = {x + 0.5 * i + off, 0, 0.1 + 0.05 * i}, velocity = {0, 0, -0.1} } end
"""
    with Folder() as folder:
        folder.write("a.lua", scene)
        for name, words in (("a", []), ("b", ["--set", "off=0.01"]), ("c", ["--set", "accuracy=1e-8"]), ("d", ["--set", "density=3000"])):
            check_status(folder.cairn("run", "a.lua", "--out", name, "--quiet", *words), 0, name)
        found = load(folder.cairn("compare", "a", "b", "--json").out)
        place = found["differences"]["body position [m]"]
        check(abs(place["difference"] - 0.01) < 1e-4 and 1.4 < place["size"] < 1.7 and abs(place["relative"] - 0.01 / place["size"]) < 1e-4,
              f"compare: a hundredth of a metre in a row of 1.5 m, 10 km away: {place}")
        found = load(folder.cairn("compare", "a", "c", "--json").out)
        for name in ("body velocity [m/s]", "body angular velocity [rad/s]"):
            check(found["differences"][name]["relative"] < 1e-4, f"compare: bodies at rest: {name} {found['differences'][name]}")
        given = load(folder.cairn("compare", "a", "d", "--json").out)["settings"]
        check(given == {"parameters.density": {"a": 2000, "b": 3000}, "materials[rock].density": {"a": 2000, "b": 3000}}, f"compare: a material: {given}")
        # another scene; a run without its settings
        folder.write("e.lua", scene + "-- a word\n")
        check_status(folder.cairn("run", "e.lua", "--out", "e", "--quiet"), 0, "e")
        check(list(load(folder.cairn("compare", "a", "e", "--json").out)["settings"]) == ["scene_text"], "compare: another text")
        os.remove(os.path.join(folder.path, "e/resolved.json"))
        check(load(folder.cairn("compare", "a", "e", "--json").out)["settings"] is None, "compare: no settings")
        check("settings are not compared" in folder.cairn("compare", "a", "e").out, "compare: says so")


check_scales()
check_solve()
check_deep()
check_cell()
check_info()
check_check()
check_bench()
check_bench_files()
check_bench_limits()
check_compare()
finish()
