# SPDX-License-Identifier: Apache-2.0
# Averages over regions against closed forms.
"""usage: test_measures.py PROGRAM ROOT"""
import csv
import math
import os
import struct

from command import Folder, check, check_error, check_status, finish, load

R, M, G = 0.05, 2.0, 9.81
REGION = "region = { min = {-0.1, -0.1, -0.02}, max = {0.1, 0.1, 0.28} }"
ALL = "".join(f'sensor{{ name = "{q}", {REGION}, quantity = "{q}" }}\n'
              for q in ("stress", "fabric", "coordination", "porosity", "temperature", "mass", "mass_flow"))

BAD = {
    "quantity": (f'sensor{{ name = "a", {REGION}, quantity = "force" }}', r"bad\.lua:2: .*a region has no force"),
    "both": (f'sensor{{ name = "a", body = "ground", {REGION}, quantity = "stress" }}', r"bad\.lua:2: .*name and quantity"),
    "body": ('sensor{ name = "a", body = "ground", quantity = "stress" }', r"bad\.lua:2: .*stress is of regions"),
    "no gate": ('sensor{ name = "a", outlet = "drain", quantity = "mass" }', r'bad\.lua:2: unknown outlet "drain"'),
    "gate": ('outlet{ name = "drain", region = { centre = {0,0,0}, radius = 1 } } sensor{ name = "a", outlet = "drain", quantity = "stress" }',
             r"bad\.lua:2: .*an outlet has no stress"),
    "grid": ('fields{ min = {0,0,0}, max = {1,1,0}, cells = {2,2,2}, width = 1 }', r"bad\.lua:2: .*empty"),
    "cells": ('fields{ min = {0,0,0}, max = {1,1,1}, cells = {2,0,2}, width = 1 }', r"bad\.lua:2: .*cells"),
    "from": ('fields{ min = {0,0,0}, max = {1,1,1}, cells = {2,2,2}, width = 1, from = 1 }', r'bad\.lua:2: .*"window"'),
    "file": ('fields{ name = "../x", min = {0,0,0}, max = {1,1,1}, cells = {2,2,2}, width = 1 }', r"bad\.lua:2: .*a name has"),
    "kernel": ('fields{ min = {0,0,0}, max = {1,1,1}, cells = {2,2,2}, width = 1, kernel = "lucey" }', r'bad\.lua:2: .*"lucey"'),
    "format": ('fields{ min = {0,0,0}, max = {1,1,1}, cells = {2,2,2}, width = 1, format = "vtk" }', r'bad\.lua:2: .*"vtk"'),
    "empty": ('sensor{ name = "a", region = { min = {0,0,0}, max = {0,1,1} }, quantity = "stress" }', r"bad\.lua:2: .*empty"),
}


def last_row(folder):
    head, *_, row = folder.read("r/sensors.csv").splitlines()
    return dict(zip(head.split(","), map(float, row.split(","))))


def close(row, name, expected, relative):
    value = next(v for k, v in row.items() if k.startswith(name))
    check(abs(value - expected) <= relative * abs(expected) + 1e-9, f"{name} = {value}, expected {expected}")


def check_tower(pair, step):
    """Four spheres on top of each other: three in the region, with the weight of those above."""
    volume = 0.2 * 0.2 * 0.3
    text = f"simulation{{ step = {step}, end_time = 1, tolerance = 1e-10 }}\npair{{ {pair} }}\nground{{}}\n" + "".join(
        f"body{{ shape = sphere{{ radius = {R} }}, mass = {M}, position = {{0, 0, {(2 * i + 1) * R}}} }}\n"
        for i in range(4))
    with Folder() as folder:
        folder.write("a.lua", text + ALL)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--paraview-every", "0", "--energy-every", "100"),
                     0, pair)
        row = last_row(folder)
        bodies = list(csv.DictReader(folder.read("r/bodies.csv").splitlines()))
        check(all(float(b["mass [kg]"]) == M and float(b["radius [m]"]) == R for b in bodies if b["kind"] == "dynamic"),
              f"{pair}: mass and radius in bodies.csv")
        # contacts with 4, 3 and 2 weights are inside, that of the fourth on the third is outside
        inside = 4 * R + 3 * 2 * R + 2 * 2 * R
        value = row["stress stress zz [Pa]"] * volume / (M * G)
        check(abs(value - inside) < 1e-3 * inside, f"{pair}: stress {value}")
        check(abs(row["stress stress xx [Pa]"]) < 1e-3 * row["stress stress zz [Pa]"], f"{pair}: xx")
        close(row, "fabric fabric zz", 1.0, 1e-9)
        close(row, "coordination", 2.0, 1e-12)
        # of the third, which the top of the region cuts, a cap is outside
        filled = 3 * 4 / 3 * math.pi * R**3
        for body in bodies:
            height = float(body["position z [m]"]) + R - 0.28
            if body["kind"] == "dynamic" and 0 < height < 2 * R:
                filled -= math.pi * height**2 * (3 * R - height) / 3
        close(row, "porosity", 1 - filled / volume, 1e-6)
        close(row, "mass", 3 * M, 1e-12)


def check_gas():
    """Spheres that fly: temperature and kinetic stress of velocities that are known."""
    speeds = [(3, 0, 0), (-1, 2, 0), (0, 0, 5), (2, -2, 1)]
    masses = [1, 2, 3, 4]
    text = "simulation{ step = 1e-6, end_time = 1e-6 }\ngravity{ 0, 0, 0 }\n" + "".join(
        f"body{{ shape = sphere{{ radius = 0.01 }}, mass = {m}, position = {{{0.05 * i - 0.08}, 0, 0.1}}, "
        f"velocity = {{{v[0]}, {v[1]}, {v[2]}}} }}\n" for i, (m, v) in enumerate(zip(masses, speeds)))
    with Folder() as folder:
        folder.write("a.lua", text + ALL)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "gas")
        row, total = last_row(folder), sum(masses)
        mean = [sum(m * v[k] for m, v in zip(masses, speeds)) / total for k in range(3)]
        away = [[v[k] - mean[k] for k in range(3)] for v in speeds]
        for name, i, j in (("xx", 0, 0), ("zz", 2, 2), ("xy", 0, 1), ("yz", 1, 2)):
            close(row, f"stress stress {name}", sum(m * a[i] * a[j] for m, a in zip(masses, away)) / 0.012, 1e-12)
        close(row, "temperature", sum(m * a[k]**2 for m, a in zip(masses, away) for k in range(3)) / (3 * total), 1e-12)
        for k, axis in enumerate("xyz"):
            close(row, f"mass_flow mass_flow {axis}", total * mean[k] / (0.2, 0.2, 0.3)[k], 1e-9)
        close(row, "coordination", 0, 0)


def check_gates():
    """What sensors say of emitters and outlets is what the summary says, row by row never less than before."""
    text = """simulation{ step = 1e-3, end_time = 1 }
emitter{ name = "pour", region = { min = {0, 0, 0.5}, max = {0.2, 0.2, 0.7} }, size = 0.02, rate = 100 }
outlet{ name = "drain", region = { min = {-1, -1, -1}, max = {1, 1, 0} } }
sensor{ name = "in", emitter = "pour", quantity = "count" }
sensor{ name = "out", outlet = "drain", quantity = "mass" }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "gates")
        head, *rows = folder.read("r/sensors.csv").splitlines()
        check(head.endswith("in count,out mass [kg]"), f"head: {head}")
        values = [tuple(map(float, row.split(",")[2:])) for row in rows]
        check(all(a[k] <= b[k] for a, b in zip(values, values[1:]) for k in (0, 1)), "gates: a row falls")
        said = load(folder.read("r/summary.json"))
        check(values[-1] == (said["emitters"][0]["count"], said["outlets"][0]["mass"]), f"gates: {values[-1]} {said}")
        check(values[-1][0] > 90 and values[-1][1] > 0, f"gates: {values[-1]}")


def check_fields():
    """Frames have the names of their steps, the time, and the mass and momentum of what is there; a later run with
    fewer frames leaves none of them behind."""
    text = """simulation{ step = 1e-3, end_time = 0.02 }
gravity{ 0, 0, 0 }
body{ shape = sphere{ radius = 0.05 }, mass = 3, position = {0.01, 0.02, 0}, velocity = {1, 0, -2} }
fields{ name = "flow", min = {-1, -1, -1}, max = {1, 1, 1}, cells = {20, 25, 30}, kernel = "gaussian", width = 0.1, every = 5 }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "fields")
        check(sorted(folder.list("r/fields")) == [f"flow_{step:09}.vti" for step in (5, 10, 15, 20)], "names of frames")
        with open(os.path.join(folder.path, "r/fields/flow_000000020.vti"), "rb") as file:
            head, data = file.read().split(b'<AppendedData encoding="raw">\n_', 1)
        check(b'Name="TimeValue"' in head and b">0.02" in head, "time of a frame")
        cell, count = 2**3 / (20 * 25 * 30), 20 * 25 * 30
        size, = struct.unpack_from("<Q", data)
        check(size == 8 * count, f"density has {size} bytes")
        mass = math.fsum(struct.unpack_from(f"<{count}d", data, 8)) * cell
        check(abs(mass - 3) < 1e-6, f"mass of the field: {mass}")
        momentum = struct.unpack_from(f"<{3 * count}d", data, 16 + size)
        for k, expected in enumerate((3, 0, -6)):
            found = math.fsum(momentum[k::3]) * cell
            check(abs(found - expected) < 1e-5, f"momentum {k}: {found}")
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--until", "0.007"), 0, "fewer")
        check(folder.list("r/fields") == ["flow_000000005.vti"], "frames of the run before are gone")


def check_restart():
    """A run that goes on from a checkpoint writes the frames of one that was not interrupted, to the last bit, on any number
    of threads."""
    text = """simulation{ step = 1e-4, end_time = 0.2 }
pair{ law = "hooke", normal_stiffness = 1e4, friction = 0.5 }
ground{}
packing{ region = { min = { -0.2, -0.2, 0 }, max = { 0.2, 0.2, 0.3 } }, size = 0.06, method = "deposition" }
for _, kernel in ipairs{ "lucy", "gaussian" } do
  fields{ name = kernel, min = {-0.3, -0.3, 0}, max = {0.3, 0.3, 0.4}, cells = {7, 5, 4}, kernel = kernel, width = 0.08, every = 500 }
end
fields{ name = "mean", min = {-0.3, -0.3, 0}, max = {0.3, 0.3, 0.4}, cells = {1, 1, 4}, width = 0.08, window = 0.05, every = 100 }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "whole", "--quiet"), 0, "whole run")
        check_status(folder.cairn("run", "a.lua", "--out", "first", "--quiet", "--threads", "2", "--checkpoint-steps", "1100",
                                  "--checkpoint-keep", "1", "--until", "0.12"), 0, "first part")
        check_status(folder.cairn("run", "a.lua", "--out", "part", "--quiet", "--threads", "4", "--restart",
                                  "first/checkpoint.h5"), 0, "second part")
        frames = folder.list("whole/fields")
        later = [name for name in frames if int(name[-13:-4]) > 1100]
        check(len(frames) == 12 and len(later) == 6, f"frames: {frames}")
        for name in frames:
            data = []
            for run in ("whole", "part" if name in later else "first"):
                with open(os.path.join(folder.path, run, "fields", name), "rb") as file:
                    data.append(file.read())
            check(data[0] == data[1], f"{name} differs after a restart")


def read_frame(path, cells):
    """Density, momentum and whole momentum flux along z of each cell."""
    with open(path, "rb") as file:
        data, at, out = file.read().split(b'<AppendedData encoding="raw">\n_', 1)[1], 0, []
    for size in (1, 3, 9, 9):
        out.append(struct.unpack_from(f"<{size * cells}d", data, at + 8))
        at += 8 + 8 * size * cells
    density, momentum, _, kinetic = out
    flux = [kinetic[9 * i + 8] + (momentum[3 * i + 2]**2 / density[i] if density[i] > 0 else 0) for i in range(cells)]
    return density, momentum, flux


def check_window():
    """Frames with a window hold the means of what frames without one read; a column of cells holds all there is."""
    text = """simulation{ step = 1e-3, end_time = 0.1 }
pair{ law = "hooke", normal_stiffness = 1e4, restitution = 0.5 }
ground{}
packing{ region = { min = {-0.1, -0.1, 0}, max = {0.1, 0.1, 0.2} }, size = 0.03, count = 60, method = "random" }
local grid = { min = {-0.3, -0.3, -0.1}, max = {0.3, 0.3, 0.4}, cells = {1, 1, 20}, width = 0.04 }
for name, keys in pairs{ now = { every = 5 }, mean = { every = 5, window = 0.03, from = 0.01 } } do
  local all = { name = name }
  for k, v in pairs(grid) do all[k] = v end
  for k, v in pairs(keys) do all[k] = v end
  fields(all)
end
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "windows")
        frames = folder.list("r/fields")
        check([name for name in frames if name[0] == "m"] == [f"mean_{step:09}.vti" for step in (40, 70, 100)], f"{frames}")
        for end in (40, 70, 100):
            mean = read_frame(os.path.join(folder.path, f"r/fields/mean_{end:09}.vti"), 20)
            read = [read_frame(os.path.join(folder.path, f"r/fields/now_{step:09}.vti"), 20)
                    for step in range(end - 25, end + 1, 5)]
            for k in range(3):
                for i, value in enumerate(mean[k]):
                    own = math.fsum(r[k][i] for r in read) / len(read)
                    scale = max(max(map(abs, r[k])) for r in read)
                    check(abs(value - own) <= 1e-12 * scale, f"window to {end}, number {k}, {i}: {value} for {own}")
            mass = math.fsum(mean[0]) * 0.6 * 0.6 * 0.5 / 20
            check(abs(mass / (60 * 1000 * math.pi / 6 * 0.03**3) - 1) < 1e-12, f"mass of the column: {mass}")


def check_hdf5():
    """The same numbers as the image has, by indices z, y, x and component."""
    text = """simulation{ step = 1e-3, end_time = 0.01 }
pair{ law = "hooke", normal_stiffness = 1e4 }
ground{}
for i = 0, 3 do body{ shape = sphere{ radius = 0.05 }, mass = 3, position = {0.02 * i, 0.01, 0.05 + 0.099 * i}, velocity = {1, i, -2} } end
"""
    grid = 'min = {-0.2, -0.2, 0}, max = {0.2, 0.3, 0.5}, cells = {4, 5, 6}, width = 0.15, every = 10'
    with Folder() as folder:
        folder.write("a.lua", text + f'fields{{ {grid} }} fields{{ name = "h", {grid}, format = "hdf5" }}\n')
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "hdf5")
        check(sorted(folder.list("r/fields")) == ["fields_000000010.vti", "h_000000010.h5"], "names of both formats")
        with open(os.path.join(folder.path, "r/fields/fields_000000010.vti"), "rb") as file:
            data = file.read().split(b'<AppendedData encoding="raw">\n_', 1)[1]
        try:
            import h5py
        except ImportError:
            return
        with h5py.File(os.path.join(folder.path, "r/fields/h_000000010.h5"), "r") as file:
            check(abs(file["time"][()] - 0.01) < 1e-12 and list(file["origin"]) == [-0.2, -0.2, 0], "time and origin")
            check(max(abs(a - b) for a, b in zip(file["spacing"], (0.1, 0.1, 0.5 / 6))) < 1e-12, "spacing")
            at = 0
            for name, shape in (("density", ()), ("momentum", (3,)), ("contact stress", (3, 3)), ("kinetic stress", (3, 3)),
                                ("boundary force", (3,)), ("temperature", ())):
                size, = struct.unpack_from("<Q", data, at)
                values = struct.unpack_from(f"<{size // 8}d", data, at + 8)
                check(file[name].shape == (6, 5, 4) + shape, f"{name}: {file[name].shape}")
                check(tuple(file[name][()].ravel()) == values and any(values), f"{name} differs from the image's")
                at += 8 + size


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", "ground{}\n" + text + "\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)


check_tower("friction = 0.5", "1/500")
check_tower('law = "hertz_mindlin", young_modulus = 1e9', "1e-5")
check_gas()
check_gates()
check_fields()
check_restart()
check_window()
check_hdf5()
check_bad()
finish()
