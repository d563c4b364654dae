# SPDX-License-Identifier: Apache-2.0
# Motors of scenes: functions, positions and tables; restart; their rows in problem files.
"""usage: test_drives.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

HEAD = """simulation{ step = 1/1000, end_time = 1, tolerance = 1e-9 }
gravity{0, 0, 0}
body{ name = "rod", shape = sphere{ radius = 0.02 } }
"""
SLIDER = 'joint{ name = "ram", kind = "slider", bodies = {"rod"}, at = {0,0,0}, axis = {1,0,0}, motor = %s }\n'
SENSORS = """sensor{ name = "way", joint = "ram", quantity = "coordinate" }
sensor{ name = "effort", joint = "ram", quantity = "effort" }
"""
WALL = 'body{ name = "wall", kind = "fixed", shape = sphere{ radius = 0.02 }, position = {0.05, 0, 0} }\n'
RAMP = "t, angle\n0, 0\n\n# half way\n0.5, 0.4\n1, 0.1\n"

LAWS = {
    "table": ('{ position = table_from_csv{ file = "ramp.csv", time = "t", value = "angle" }, '
              "stiffness = 1e8, damping = 1e5 }", lambda t: 0.8 * t if t <= 0.5 else 0.4 - 0.6 * (t - 0.5), 2e-3),
    "function": ("{ position = function(t) return 0.1 * math.sin(3 * t) end, stiffness = 1e8, damping = 1e5 }",
                 lambda t: 0.1 * math.sin(3 * t), 1e-5),
    "velocity": ("{ velocity = function(t) return math.cos(t) end }", math.sin, 1e-3),
    "position": ("{ position = 0.05, stiffness = 1e9, damping = 1 }", lambda t: 0.05, 1e-6),
}

BAD = {
    "no stiffness": ("{ position = 1 }", r"bad\.lua:4: .*stiffness or a damping above 0"),
    "no target": ("{ limit = 1 }", r"bad\.lua:4: .*velocity"),
    "two functions": ("{ position = 1, stiffness = 1, velocity = function(t) return t end }",
                      r"bad\.lua:4: .*velocity that is a number"),
    "stiff speed": ("{ velocity = 1, stiffness = 5 }", r"bad\.lua:4: .*belong to the law position"),
    "limit": ("{ velocity = 1, limit = -5 }", r"bad\.lua:4: .*limit = -5"),
    "typing": ("{ positon = 1, stiffness = 5 }", r'bad\.lua:4: .*"positon".*did you mean "position"'),
    "column": ('{ position = table_from_csv{ file = "ramp.csv", time = "t", value = "angel" }, stiffness = 1 }',
               r"bad\.lua:4: .*column angel is missing"),
    "order": ('{ position = table_from_csv{ file = "back.csv", time = "t", value = "x" }, stiffness = 1 }',
              r"back\.csv line 3: time 1 s does not come after 2 s"),
    "no number": ('{ position = table_from_csv{ file = "words.csv", time = "t", value = "x" }, stiffness = 1 }',
                  r'words\.csv line 2: x is not a number \("up"\)'),
    "empty": ('{ position = table_from_csv{ file = "none.csv", time = "t", value = "x" }, stiffness = 1 }',
              r"none\.csv has no line of numbers"),
}


def columns(folder, name):
    rows = [line.split(",") for line in folder.read(name).splitlines()]
    return [[float(x) for x in row] for row in rows[1:]]


def check_laws():
    for name, (motor, expected, bound) in LAWS.items():
        with Folder() as folder:
            folder.write("a.lua", HEAD + SLIDER % motor + SENSORS)
            folder.write("ramp.csv", RAMP)
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, name)
            # from rest it first has to catch up
            off = max(abs(row[2] - expected(row[1])) for row in columns(folder, "r/sensors.csv") if row[1] > 0.05)
            check(off < bound, f"{name}: off by {off}")


def check_bad():
    for name, (motor, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", HEAD + SLIDER % motor)
            folder.write("ramp.csv", RAMP)
            folder.write("back.csv", "t,x\n2,0\n1,0\n")
            folder.write("words.csv", "t,x\n0,up\n")
            folder.write("none.csv", "t,x\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)
    with Folder() as folder:
        folder.write("bad.lua", HEAD + SLIDER % '{ velocity = function(t) return t < 0.01 and 1 or "fast" end }')
        result = folder.cairn("run", "bad.lua", "--out", "r", "--quiet")
        check('motor of "ram"' in result.err and "must return 1 number" in result.err, "words of a function", result)
        check_status(result, 1, "words of a function")


def check_restart():
    """A stalled motor with a function goes on to the bit."""
    with Folder() as folder:
        folder.write("a.lua", HEAD + WALL + SLIDER % "{ velocity = function(t) return 0.1 + t end, limit = 15 }" + SENSORS)
        whole = folder.cairn("run", "a.lua", "--out", "r", "--json")
        half = folder.cairn("run", "a.lua", "--out", "h", "--until", "0.4", "--json")
        check_status(half, 0, "first half")
        rest = folder.cairn("run", "a.lua", "--restart", "h/checkpoint.h5", "--out", "s", "--json")
        check_status(rest, 0, "second half")
        check(load(whole.out)["state_hash"] == load(rest.out)["state_hash"], "restart: the same state", rest)
        last = columns(folder, "r/sensors.csv")[-1]
        check(abs(last[3] - 15.0) < 1e-9, f"the stalled motor gives {last[3]} N")


def check_files():
    """Rows of joints are in both forms of problem files, and solvers find the limit there."""
    with Folder() as folder:
        folder.write("a.lua", HEAD + WALL + SLIDER % "{ velocity = 0.1, limit = 15 }" + SENSORS)
        result = folder.cairn("run", "a.lua", "--until", "0.2", "--out", "r", "--quiet", "--fclib", "p",
                              "--fclib-every", "10", "--fclib-form", "both")
        check_status(result, 0, "files: run")
        files = [f"p/{name}" for name in folder.list("p")]
        check(len(files) >= 10, f"files: {files}")
        for solver in ("auto", "gauss_seidel", "nipm", "vi_extragradient", "newton_natural_map"):
            result = folder.cairn("solve", *files, "--solver", solver, "--tolerance", "1e-8", "--json")
            check_status(result, 0, f"files: {solver}")
            for line in result.out.splitlines():
                answer = load(line)
                check(answer["status"] == "solved" and answer["contacts"] == 2, f"{solver}: {answer}")


# a motor that yields much more than its bar in so short a step, beside a contact with springs
SOFT = """simulation{ step = %s, end_time = %s }
material{ name = "m", density = 2000 }
pair{ law = "hooke", normal_stiffness = 2e5, friction = 0.4 }
ground{ material = "m" }
body{ name = "post", kind = "fixed", shape = box{ size = {0.04, 0.04, 0.04} }, material = "m", position = {0, 0, 0.3} }
body{ name = "bar", shape = box{ size = {0.14, 0.03, 0.05} }, material = "m", position = {0.1, 0.01, 0.3}, velocity = {0, 0.2, 0} }
body{ shape = sphere{ radius = 0.03 }, material = "m", position = {0.12, 0.02, 0.0299} }
joint{ kind = "slider", name = "ram", bodies = {"post", "bar"}, at = {0.03, 0, 0.3}, axis = {0, 1, 0},
       motor = { position = 0.1, stiffness = 20, damping = 0.3 } }
sensor{ name = "way", joint = "ram", quantity = "coordinate" }
output{ energy_every = 1000 }
"""


def check_soft():
    """Round-off of a soft motor is more than the accuracy asked for: it is moved all the same, and without a long search."""
    mass, k, d = 0.42, 20, 0.3
    for step, end in (("2e-5", "0.2"), ("1e-6", "0.01")):
        with Folder() as folder:
            folder.write("a.lua", SOFT % (step, end))
            done = folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r", timeout=60)
            check_status(done, 0, "soft motor")
            row = [float(x) for x in folder.read("r/sensors.csv").splitlines()[-1].split(",")]
            # m x'' + d x' + k (x - 0.1) = 0 from 0 at 0.2 m/s
            decay, time = d / (2 * mass), row[1]
            w = math.sqrt(k / mass - decay ** 2)
            way = 0.1 + math.exp(-decay * time) * (-0.1 * math.cos(w * time) + (0.2 - 0.1 * decay) / w * math.sin(w * time))
            check(abs(row[2] - way) < 2e-5, f"soft motor, {step} s: {row[2]} m where {way} m is right")


# an arm that slides on a shaken post until the end of its range, and rests there without a force; no contact reaches it
RESTS = """simulation{ step = 1e-3, end_time = 0.3, tolerance = 1e-10 }
material{ name = "m", density = 2000 }
pair{ law = "signorini_coulomb", friction = 0.4 }
ground{ material = "m" }
body{ name = "post", kind = "moving", shape = box{ size = {0.04, 0.04, 0.04} }, material = "m", position = {0, 0, 0.3} }
body{ name = "arm", shape = box{ size = {0.14, 0.03, 0.05} }, material = "m", position = {0.1, 0.01, 0.3}, velocity = {0, 0.2, 0} }
body{ name = "free", shape = sphere{ radius = 0.03 }, material = "m", position = {0.12, 0.02, 0.03} }
motion{ body = "post", velocity = function(t) return 0.3 * math.sin(50 * t), 0, 0.2 * math.cos(60 * t) end,
        angular_velocity = function(t) return 0, 2 * math.sin(40 * t), 0 end }
joint{ kind = "slider", name = "j", bodies = {"post", "arm"}, at = {0.03, 0, 0.3}, axis = {0, 1, 0}, range = {-0.05, 0.05} }
sensor{ name = "s", joint = "j", quantity = "coordinate" }
"""


def check_rests():
    """What is left of a coordinate at rest is round-off of large velocities: the step is solved."""
    with Folder() as folder:
        folder.write("a.lua", RESTS)
        done = folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r")
        check_status(done, 0, "arm at the end of its range")
        check(done.err == "", f"arm at the end of its range: {done.err}")
        row = [float(x) for x in folder.read("r/sensors.csv").splitlines()[-1].split(",")]
        check(abs(row[2] - 0.05) < 1e-12, f"arm at the end of its range: {row[2]} m of 0.05 m")


check_laws()
check_soft()
check_rests()
check_bad()
check_restart()
check_files()
finish()
