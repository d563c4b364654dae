# SPDX-License-Identifier: Apache-2.0
# solve, check and info on problems with equality constraints, written here by hand in both forms.
"""usage: test_mixed.py PROGRAM ROOT"""
import h5py
import numpy

from command import Folder, check, check_status, finish, load

BODIES, CONTACTS = 6, 10


def mechanism(seed, redundant):
    """M, H, G, f, w, b, mu of bodies in a row; at rest every contact is open."""
    rng = numpy.random.default_rng(seed)
    n = 6 * BODIES
    mass = numpy.diag(rng.uniform(0.5, 2, n))
    columns = []
    for body in range(BODIES - 1):
        for _ in range(int(rng.integers(1, 6))):
            column = numpy.zeros(n)
            column[6 * body:6 * body + 12] = rng.normal(size=12)
            columns.append(column)
    if redundant:
        columns += columns[:4]
    H = numpy.zeros((n, 3 * CONTACTS))
    w = numpy.zeros(3 * CONTACTS)
    for contact in range(CONTACTS):
        body = contact % BODIES
        H[6 * body:6 * body + 6, 3 * contact:3 * contact + 3] = rng.normal(size=(6, 3))
        w[3 * contact] = rng.uniform(0.01, 0.05)
    G = numpy.array(columns).T
    return (mass, H, G, mass @ rng.normal(size=n), w, numpy.zeros(G.shape[1]),
            rng.uniform(0.1, 0.9, CONTACTS))


def put_matrix(parent, name, dense):
    group = parent.create_group(name)
    start, index, value = [0], [], []
    for column in dense.T:
        rows = numpy.flatnonzero(column)
        index += list(rows)
        value += list(column[rows])
        start.append(len(index))
    for key, data in (("nzmax", [len(value)]), ("m", [dense.shape[0]]), ("n", [dense.shape[1]]),
                      ("nz", [-1]), ("p", start), ("i", index)):
        group[key] = numpy.array(data, dtype=numpy.int32)
    group["x"] = numpy.array(value)


def write_global(path, mass, H, G, f, w, b, mu):
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = numpy.array([3], dtype=numpy.int32)
        for name, dense in (("M", mass), ("H", H), ("G", G)):
            put_matrix(group, name, dense)
        vectors = group.create_group("vectors")
        for name, data in (("f", f), ("w", w), ("b", b), ("mu", mu)):
            vectors[name] = data


def write_local(path, mass, H, G, f, w, b, mu):
    inverse = numpy.linalg.inv(mass)
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = numpy.array([3], dtype=numpy.int32)
        for name, dense in (("W", H.T @ inverse @ H), ("V", H.T @ inverse @ G),
                            ("R", G.T @ inverse @ G)):
            put_matrix(group, name, dense)
        vectors = group.create_group("vectors")
        for name, data in (("q", w + H.T @ inverse @ f), ("s", b + G.T @ inverse @ f), ("mu", mu)):
            vectors[name] = data


def natural_map(r, u, mu):
    total = 0.0
    for i, friction in enumerate(mu):
        R, U = r[3 * i:3 * i + 3], u[3 * i:3 * i + 3]
        z = R - U - numpy.array([friction * numpy.hypot(U[1], U[2]), 0, 0])
        length = numpy.hypot(z[1], z[2])
        head = (z[0] + friction * length) / (1 + friction * friction)
        if z[0] >= 0 and length <= friction * z[0]:
            p = z
        elif friction * length <= -z[0]:
            p = numpy.zeros(3)
        else:
            p = numpy.array([head, *(friction * head * z[1:] / length)])
        total += numpy.sum((R - p) ** 2)
    return numpy.sqrt(total) / max(numpy.linalg.norm(r), numpy.linalg.norm(u))


def check_solution(name, path, form, problem):
    """The vectors that the command wrote satisfy the equations and the law."""
    mass, H, G, f, w, b, mu = problem
    with h5py.File(path) as file:
        group = file["solution"]
        r, u, l = group["r"][:], group["u"][:], group["l"][:]
        v = group["v"][:] if form == "global" else None
    exact = numpy.linalg.solve(mass, f + H @ r + G @ l)
    if v is not None:
        check(numpy.allclose(v, exact, atol=1e-10), f"{name}: v")
    check(numpy.max(numpy.abs(G.T @ exact + b)) <= 1e-9 * max(1, numpy.max(numpy.abs(l))),
          f"{name}: constraints")
    check(numpy.allclose(u, H.T @ exact + w, atol=1e-9), f"{name}: u")
    check(natural_map(r, u, mu) <= 2e-8, f"{name}: law")
    return u


def check_mixed():
    with Folder() as folder:
        for seed in range(4):
            problem = mechanism(seed, seed % 2 == 1)
            velocities = []
            for form, write in (("global", write_global), ("local", write_local)):
                name = f"{form}{seed}.hdf5"
                write(f"{folder.path}/{name}", *problem)
                result = folder.cairn("solve", name, "--json", "--write-solution", f"s-{name}")
                check_status(result, 0, f"solve {name}")
                line = load(result.out)
                check(line["status"] == "solved" and line["error"] <= 1e-8, f"solve: {line}")
                velocities.append(check_solution(name, f"{folder.path}/s-{name}", form, problem))
                again = folder.cairn("solve", f"s-{name}", "--solver", "gauss_seidel", "--tolerance",
                                     "1e-5", "--json")
                check_status(again, 0, f"solve {name} by sweeps")
                exists = folder.cairn("check", name, "--json")
                check_status(exists, 0, f"check {name}")
                found = load(folder.cairn("info", f"s-{name}", "--json").out)
                check(found["equalities"] == problem[2].shape[1], f"info: {found}")
                check(found["solution_error"] <= 1e-8, f"info: {found}")
            check(numpy.allclose(*velocities, atol=1e-5), f"forms of {seed} agree")


check_mixed()
finish()
