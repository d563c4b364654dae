# SPDX-License-Identifier: Apache-2.0
# Loads and gravity that follow functions and tables of time, and programs beside the scene.
"""usage: test_loads.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

HEAD = "simulation{ step = 1/1000, end_time = 1 }\n"
FREE = HEAD + 'gravity{ 0, 0, 0 }\nbody{ name = "a", shape = sphere{ radius = 0.1 }, mass = 2 }\n'
SENSORS = """sensor{ name = "v", body = "a", quantity = "velocity" }
sensor{ name = "w", body = "a", quantity = "angular_velocity" }
"""
# m r2 of a sphere of 2 kg and 0.1 m
INERTIA = 0.4 * 2 * 0.01
QUAKE = "# shaken\nt [ms], ax [g], ay [cm/s2]\n0, 0, 0\n500, 0.1, 20\n1000, 0.1, 0\n"

# load{} or gravity{}, velocity and angular velocity at time t
CASES = {
    "function": ('load{ body = "a", force = function(t) return 4 * math.sin(5 * t), 0, 1 end }',
                 lambda t: (0.4 * (1 - math.cos(5 * t)), 0, 0.5 * t, 0, 0, 0)),
    "parts": ('load{ bodies = {"a"}, force = { 2, 0, function(t) return 6 * t end },\n'
              "      torque = { 0, 0, function(t) return t end } }",
              lambda t: (t, 0, 1.5 * t * t, 0, 0, 0.5 * t * t / INERTIA)),
    "constant": ('load{ body = "a", force = { 2, 0, 0 } }', lambda t: (t, 0, 0, 0, 0, 0)),
    "table": ('load{ body = "a", force = { table("quake.csv", "ax", { scale = 2, time = "t" }), 0, 0 } }',
              lambda t: (0.980665 * (t * t if t <= 0.5 else t - 0.25), 0, 0, 0, 0, 0)),
    "frame": ('gravity{ 0, 0, -2, frame = { table("quake.csv", "ax"), table("quake.csv", "ay"), 0 } }',
              lambda t: (-0.980665 * (t * t if t <= 0.5 else t - 0.25),
                         -0.2 * t * t if t <= 0.5 else -0.2 * (0.25 + 0.25 - (1 - t) ** 2), -2 * t, 0, 0, 0)),
    "gravity": ("gravity{ function(t) return 0, math.cos(t), -1 end }",
                lambda t: (0, math.sin(t), -t, 0, 0, 0)),
}

BAD = {
    "kind": ('body{ name = "f", kind = "fixed", shape = sphere{ radius = 1 } }\nload{ body = "f", force = {1,0,0} }',
             r'bad\.lua:5: .*"f" is fixed'),
    "none": ('load{ body = "a" }', r"bad\.lua:4: .*force or torque"),
    "two": ('load{ body = "a", force = {1, 2} }', r"bad\.lua:4: .*three numbers or functions"),
    "who": ('load{ body = "b", force = {1, 2, 3} }', r'bad\.lua:4: .*"b"'),
    "motion": ('body{ name = "m", kind = "moving", shape = sphere{ radius = 1 } }\nmotion{ body = "m", velocity = 3 }',
               r"bad\.lua:5: motion: velocity must be three numbers or functions"),
    "typing": ('load{ body = "a", forec = {1, 2, 3} }', r'bad\.lua:4: .*"forec".*"force"'),
    "column": ('load{ body = "a", force = { table("quake.csv", "az"), 0, 0 } }',
               r"bad\.lua:4: quake\.csv: column az is missing"),
    "unit": ('load{ body = "a", force = { table("odd.csv", "x"), 0, 0 } }',
             r'bad\.lua:4: .*unknown unit "furlong"'),
    "outside": ('table("../bad.csv", "x")', r"bad\.lua:4: file \"\.\./bad\.csv\": "),
    "words": ("table(1)", r'bad\.lua:4: table wants table\("file\.csv", "column"'),
    "require outside": ('require("..secret")', r'bad\.lua:4: require: "\.\.secret" must be a name, or names of folders and a file'),
    "require absent": ('require("absent")', r'bad\.lua:4: file "absent\.lua": No such file'),
    "require itself": ('require("self")', r'self\.lua:1: require: "self" requires itself'),
    "require syntax": ('require("odd")', r"bad\.lua:4: odd\.lua:2: "),
    "require fails": ('require("fails")', r"fails\.lua:2: unknown call 'sphre'"),
    "require key": ('require("key")', r'key\.lua:1: .*"shap".*did you mean "shape"'),
}


def check_cases():
    for name, (text, expected) in CASES.items():
        with Folder() as folder:
            folder.write("a.lua", FREE + text + "\n" + SENSORS)
            folder.write("quake.csv", QUAKE)
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, name)
            rows = [[float(x) for x in line.split(",")] for line in folder.read("r/sensors.csv").splitlines()[1:]]
            off = max(max(abs(a - b) for a, b in zip(row[2:], expected(row[1]))) for row in rows)
            check(off < 2e-6 * (1 + max(map(max, (map(abs, row) for row in rows)))), f"{name}: off by {off}")
            energy = [float(x) for x in folder.read("r/energy.csv").splitlines()[-1].split(",")]
            check(abs(energy[-1]) < 1e-9 * (1 + energy[2]), f"{name}: residual {energy[-1]} J of {energy[2]} J")


def summary(folder, name):
    return load(folder.read(name + "/summary.json"))


BELT = HEAD + """body{ name = "belt", kind = "moving", shape = box{ size = {4, 1, 0.1} } }
body{ shape = box{ size = {0.1, 0.1, 0.1} }, position = {0, 0, 0.1} }
motion{ body = "belt", velocity = %s, angular_velocity = %s }
"""


def check_motion():
    """Constant parts of a motion move a body as functions that return them do."""
    with Folder() as folder:
        hashes = set()
        for name, velocity, turn in (
                ("functions", "function(t) return 0.2, 0, 0.1 * t end", "function() return 0, 0, 0.5 end"),
                ("parts", "{ 0.2, 0, function(t) return 0.1 * t end }", "{ 0, 0, 0.5 }")):
            folder.write(name + ".lua", BELT % (velocity, turn))
            check_status(folder.cairn("run", name + ".lua", "--quiet", "--until", "0.2", "--out", name), 0, name)
            hashes.add(load(folder.read(name + "/summary.json"))["state_hash"])
            belt = [row for row in folder.read(name + "/bodies.csv").splitlines() if ",belt," in row or '"belt"' in row]
            check(len(belt) == 1 and "0.04" in belt[0], f"motion {name}: the belt went 0.04 m", belt)
        check(len(hashes) == 1, f"motion: constants and functions: {hashes}")


def check_restart():
    """Functions are asked again after a restart: the same bits, gravity included."""
    text = FREE + CASES["function"][0] + "\n" + CASES["frame"][0] + "\nground{ height = -0.1 }\n"
    with Folder() as folder:
        folder.write("a.lua", text)
        folder.write("quake.csv", QUAKE)
        check_status(folder.cairn("run", "a.lua", "--out", "whole", "--quiet"), 0, "whole")
        check_status(folder.cairn("run", "a.lua", "--out", "half", "--quiet", "--until", "0.4"), 0, "half")
        check_status(folder.cairn("run", "a.lua", "--out", "rest", "--quiet", "--restart", "half/checkpoint.h5"), 0,
                     "rest")
        check(summary(folder, "whole")["state_hash"] == summary(folder, "rest")["state_hash"], "bits after restart")
        folder.write("a.lua", text.replace('load{ body = "a"', 'local n = 0 -- load{ body = "a"'))
        result = folder.cairn("run", "a.lua", "--out", "other", "--quiet", "--restart", "half/checkpoint.h5")
        check_status(result, 3, "without its load")


def check_require():
    with Folder() as folder:
        folder.write("a.lua", HEAD + 'local m = require("parts.grain")\nassert(m == require("parts.grain"))\n'
                     'ground{}\nm.make(0.5)\nassert(require("nothing") == true)\n')
        folder.write("parts/grain.lua", 'return { make = function(z) body{ name = "g", '
                     "shape = sphere{ radius = 0.1 }, position = {0, 0, z} } end }\n")
        folder.write("nothing.lua", "print('once')\n")
        result = folder.cairn("run", "a.lua", "--out", "r", "--until", "0.01", "--json")
        check_status(result, 0, "require")
        check(load(result.out)["bodies"] == 2, "require makes its bodies")


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", FREE + text + "\n")
            folder.write("quake.csv", QUAKE)
            folder.write("odd.csv", "t [s], x [furlong]\n0, 1\n")
            folder.write("self.lua", 'require("self")\n')
            folder.write("odd.lua", "local a\nlocal = 2\n")
            folder.write("fails.lua", "local a = 1\nsphre{}\n")
            folder.write("key.lua", "body{ shap = 1 }\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)


check_cases()
check_motion()
check_restart()
check_require()
check_bad()
finish()
