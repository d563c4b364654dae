# SPDX-License-Identifier: Apache-2.0
# Rounded boxes and polyhedra in scenes: energy, other shapes, bits, restart, files and messages.
"""usage: test_rounded.py PROGRAM ROOT"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish
from same import check_same

TUMBLE = """
title "cube that tumbles"
local h = param("h", 1e-5, "step")
simulation{ step = h, end_time = 0.6 }
material{ name = "m", density = 1000 }
pair{ law = "hooke", normal_stiffness = 2e5, friction = 0.4, restitution = 0.8 }
gravity{ 0, 0, -9.81 }
body{ kind = "fixed", shape = plane{}, material = "m" }
body{ kind = "fixed", shape = box{ size = {0.3, 0.3, 0.1}, rounding = 0.02 }, material = "m", position = {0.15, 0, 0.05} }
body{ shape = box{ size = {0.1, 0.1, 0.1}, rounding = 0.02 }, material = "m", position = {0, 0, 0.25},
      rotation = { axis = {1, 2, 0.5}, angle = 50 }, velocity = {0.5, 0, 0}, angular_velocity = {3, 5, -2} }
"""

HEAP = """
title "rounded heap"
local law = param("law", "hooke", "law of all pairs")
local rounding = param("rounding", 0.01, "m")
simulation{ step = law == "hooke" and 2e-4 or 2e-3, end_time = 1 }
material{ name = "m", density = 1000 }
if law == "hooke" then
  pair{ law = law, normal_stiffness = 1e5, friction = 0.5, restitution = 0.3 }
else
  pair{ friction = 0.5, restitution = 0 }
end
local a = 0.05
local octahedron = polyhedron{
  points = { { a, 0, 0 }, { -a, 0, 0 }, { 0, a, 0 }, { 0, -a, 0 }, { 0, 0, a }, { 0, 0, -a } }, rounding = rounding }
local cube = box{ size = { 0.08, 0.1, 0.06 }, rounding = rounding }
local cross = compound{ { shape = cube }, { shape = box{ size = { 0.03, 0.03, 0.14 }, rounding = 0.01 } } }
local others = { octahedron, cube, cross, sphere{ radius = 0.04 }, capsule{ radius = 0.02, length = 0.06 },
  cylinder{ radius = 0.03, length = 0.06 }, box{ size = { 0.08, 0.08, 0.08 } }, octahedron }
body{ kind = "fixed", material = "m", shape = mesh{
  vertices = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0.1 }, { -1, 1, 0 } }, triangles = { { 1, 2, 3 }, { 1, 3, 4 } } } }
for i = 0, 23 do
  body{ shape = others[i % 8 + 1], material = "m",
        position = { 0.11 * (i % 3) + 0.01 * (i % 2), 0.1 * (i // 3 % 3) + 0.013 * (i % 5), 0.15 + 0.14 * (i // 9) },
        rotation = { axis = { 1, i % 3, i % 4 }, angle = 37 * i } }
end
"""


def run(folder, scene, out, *words):
    done = folder.cairn("run", scene, "--out", out, "--hash", out + ".csv", "--paraview-every", "0", "--quiet", *words)
    check_status(done, 0, f"{scene} {words}")
    return json.loads(folder.read(out + "/summary.json"))


def check_energy(folder):
    """What is not booked falls with the step, and is small beside what the cube had."""
    folder.write("tumble.lua", TUMBLE)
    left = []
    for h in (2e-5, 5e-6):
        run(folder, "tumble.lua", "t", "--set", f"h={h}")
        row = dict(zip(*[line.split(",") for line in
                         (folder.read("t/energy.csv").splitlines()[k] for k in (0, -1))]))
        left.append(abs(float(row["residual [J]"])))
        check(float(row["friction dissipation [J]"]) > 0.01, f"the cube slides: {row}")
    whole = 1000 * 0.1 ** 3 * 9.81 * 0.25
    check(left[1] < 1e-4 * whole and left[1] < 0.5 * left[0], f"energy of {whole} J that is not booked: {left}")


def check_bits(folder):
    """Threads and a restart change nothing, for both families of laws."""
    folder.write("heap.lua", HEAP)
    for law, until in (("hooke", 0.4), ("signorini_coulomb", 0.4)):
        words = ["--set", f"law={law}", "--accept-unsolved"]
        whole = run(folder, "heap.lua", "a", "--until", str(until), *words)
        check(whole["contacts_max"] > 20, f"{law}: {whole['contacts_max']} contacts")
        run(folder, "heap.lua", "b", "--until", str(until / 2), "--threads", "2", *words)
        run(folder, "heap.lua", "b", "--until", str(until), "--restart", "b/checkpoint.h5", *words)
        check(folder.read("a.csv") == folder.read("b.csv"), f"{law}: states differ")
        check_same(folder, "a", "b", law)
        other = folder.cairn("run", "heap.lua", "--restart", "b/checkpoint.h5", "--set", "rounding=0.011", *words)
        check_error(other, 3, "shapes", f"{law}: a checkpoint of other roundings")
        scalar = run(folder, "heap.lua", "c", "--until", str(until), "--vectors", "scalar", *words)
        check(scalar["state_hash"] == whole["state_hash"], f"{law}: vectors change the state")


def check_mass(folder):
    """A rounded cube, against its closed form, as its bodies show."""
    folder.write("mass.lua", """
simulation{ step = 1e-3, end_time = 0.001 }
material{ name = "m", density = 1000 }
body{ shape = box{ size = {0.2, 0.2, 0.2}, rounding = 0.04 }, material = "m" }
body{ shape = polyhedron{ points = { {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1},
  {-1, 1, 1}, {1, 1, 1} }, rounding = 0.5 }, material = "m", position = {5, 0, 0} }
""")
    run(folder, "mass.lua", "m")
    rows = [line.split(",") for line in folder.read("m/bodies.csv").splitlines()]
    column = next(i for i, name in enumerate(rows[0]) if name.startswith("mass"))
    for row, (half, r) in zip(rows[1:], ((0.06, 0.04), (1.0, 0.5))):
        side = 2 * half
        volume = side ** 3 + 6 * side ** 2 * r + 3 * math.pi * side * r ** 2 + 4 / 3 * math.pi * r ** 3
        check(abs(float(row[column]) / (1000 * volume) - 1) < 1e-12, f"mass {row[column]}, not {1000 * volume}")


def check_messages(folder):
    four = "points = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1} }"
    for shape, parts in {
        "box{ size = {1, 2, 3}, rounding = 0.5 }": ["rounding = 0.5", "less than half", "0.5 (m)"],
        "box{ size = {1, 2, 3}, rounding = -1 }": ["rounding = -1", "at least 0 m"],
        "box{ size = {1, 2, 3}, rounding = 0 / 0 }": ["rounding = NaN", "finite"],
        "polyhedron{ " + four + ", rounding = -0.1 }": ["rounding = -0.1", "at least 0 m"],
        "polyhedron{ " + four + ", rounding = 1 / 0 }": ["rounding = infinity", "finite"],
        "polyhedron{ points = { {0, 0, 0} }, rounding = 1 }": ["sphere{ radius = }"],
        "polyhedron{ points = { {0, 0, 0}, {1, 0, 0} }, rounding = 1 }": ["capsule{ radius = , length = }"],
        "cylinder{ radius = 1, length = 1, rounding = 0.1 }": ['unknown key "rounding"'],
    }.items():
        folder.write("wrong.lua", 'material{ name = "m", density = 1 }\n\nbody{ shape = ' + shape + " }\n")
        done = folder.cairn("run", "wrong.lua")
        for part in ["wrong.lua:3", *parts]:
            check_error(done, 3, part, shape)


with Folder() as folder:
    check_energy(folder)
    check_bits(folder)
    check_mass(folder)
    check_messages(folder)
finish()
