# SPDX-License-Identifier: Apache-2.0
# Servos: walls that are driven to a force by a gain and by their own inertia, restart, messages.
"""usage: test_servo.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

# 4 x 4 x 4 spheres in a box without a lid, and the lid that a servo pushes
BOX = """simulation{ step = %s, end_time = %s }
gravity{ 0, 0, 0 }
material{ name = "m", density = 2500, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%s"%s }
body{ kind = "fixed", shape = box{ size = {0.2, 0.2, 0.02} }, material = "m", position = {0, 0, -0.01} }
for k, axis in ipairs{ {1, 0}, {-1, 0}, {0, 1}, {0, -1} } do
  body{ kind = "fixed", shape = box{ size = {0.02 + 0.18 * math.abs(axis[2]), 0.02 + 0.18 * math.abs(axis[1]), 0.3} },
        material = "m", position = {0.0502 * axis[1], 0.0502 * axis[2], 0.1} }
end
for i = 0, 3 do for j = 0, 3 do for k = 0, 3 do
  body{ shape = sphere{ radius = 0.01 }, material = "m", position = {-0.03 + 0.02 * i, -0.03 + 0.02 * j, 0.0101 + 0.0201 * k} }
end end end
body{ name = "lid", kind = "%s", shape = box{ size = {0.0798, 0.0798, 0.02} }, material = "m", %s position = {0, 0, 0.0915} }
sensor{ name = "f", body = "lid" }
sensor{ name = "v", body = "lid", quantity = "velocity" }
"""
LAWS = {"hooke": ", normal_stiffness = 1e5, restitution = 0.5, friction = 0.3",
        "hertz_mindlin": ", restitution = 0.5, friction = 0.3",
        "spring_dashpot": ", spring = 1e5, dashpot = 5, friction = 0.3"}
SERVO = 'servo{ name = "press", body = "lid", axis = {0, 0, -2}, %s }\n'
SLIDER = 'joint{ kind = "slider", bodies = {"lid"}, at = {0, 0, 0.0915}, axis = {0, 0, 1} }\n'
STEPPED = "stress = function(t) return t < 0.3 and 5000 or 10000 end, area = 0.0064, speed = 0.05"


def moving(law, step="1e-5", end="0.6"):
    return BOX % (step, end, law, LAWS.get(law, ""), "moving", "")


def sensors(folder, name="r"):
    return [[float(x) for x in line.split(",")] for line in folder.read(name + "/sensors.csv").splitlines()[1:]]


def summary(folder, name):
    return load(folder.read(name + "/summary.json"))


def check_held(rows, time, target, what):
    """Held within 0.1 %, up to a time; the force of the spheres is against the axis, up."""
    held = [row[4] for row in rows if time - 0.02 < row[1] < time - 1e-9]
    off = max(abs(force - target) for force in held)
    check(len(held) > 2 and off < 1e-3 * target, f"{what}: {target} N held to {off} N")


def check_gain():
    """A moving wall follows a stress that steps up, by every executor; the audit closes."""
    for law in LAWS:
        with Folder() as folder:
            folder.write("a.lua", moving(law, step="2e-5") + SERVO % STEPPED)
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--paraview-every", "0"), 0, law)
            rows = sensors(folder)
            check_held(rows, 0.3, 32, law)
            check_held(rows, 0.6, 64, law)
            last = folder.read("r/energy.csv").splitlines()[-1].split(",")
            drivers, residual = float(last[5]), float(last[12])
            check(drivers > 5e-3 and abs(residual) < 0.05 * drivers, f"{law}: residual {residual} J of {drivers} J")


def check_inertia():
    """Rigid contacts: the target is the applied force, held once the bed is at rest."""
    scene = BOX % ("3e-3", "0.8", "signorini_coulomb", ", friction = 0.3", "dynamic", "mass = 1,")
    with Folder() as folder:
        folder.write("a.lua", scene + SLIDER + SERVO % STEPPED.replace(", speed = 0.05", "").replace("0.3", "0.45"))
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--paraview-every", "0"), 0, "inertia")
        rows = sensors(folder)
        # grains give way once more at a quarter of a second
        check_held(rows, 0.45, 32, "inertia")
        check_held(rows, 0.8, 64, "inertia")


def check_bits():
    """The same bits for threads, and after a restart while the wall is driven."""
    for law in ("hooke", "spring_dashpot"):
        with Folder() as folder:
            folder.write("a.lua", moving(law, end="0.03") + SERVO % "force = 20, speed = 0.2")
            one = ("run", "a.lua", "--quiet", "--paraview-every", "0", "--out")
            check_status(folder.cairn(*one, "one"), 0, law)
            check_status(folder.cairn(*one, "two", "--threads", "3"), 0, law)
            check_status(folder.cairn(*one, "half", "--until", "0.01234"), 0, law)
            check_status(folder.cairn(*one, "rest", "--restart", "half/checkpoint.h5"), 0, law)
            hashes = {summary(folder, run)["state_hash"] for run in ("one", "two", "rest")}
            check(len(hashes) == 1, f"{law}: bits of threads and restart: {hashes}")
            folder.write("a.lua", moving(law, end="0.03") + SERVO % "force = 21, speed = 0.2")
            check_status(folder.cairn(*one, "other", "--restart", "half/checkpoint.h5"), 3, f"{law}: another target")


# nine spheres on the ground and what a servo brings down on them
TOUCH = """simulation{ step = 1e-5, end_time = 0.1 }
material{ name = "m", density = 2500, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%s"%s }
ground{ material = "m" }
for i = -1, 1 do for j = -1, 1 do body{ shape = sphere{ radius = 0.01 }, material = "m", position = {0.021 * i, 0.021 * j, 0.01} } end end
body{ name = "lid", kind = "moving", shape = %s, material = "m", position = {0, 0, %s} }
sensor{ name = "f", body = "lid" }
output{ energy_every = 1 }
"""
LIDS = {"box": ("box{ size = {0.1, 0.1, 0.01} }", "0.0251"), "ball": ("sphere{ radius = 0.05 }", "0.0701")}
ENERGY_QUIET = ("--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r")


def check_touch():
    """A wall that arrives too fast for its target pushes once and comes back at a speed that the contacts bear."""
    for law in LAWS:
        for lid, place in LIDS.values():
            scene = TOUCH % (law, LAWS[law], lid, place)
            with Folder() as folder:
                folder.write("a.lua", scene + SERVO % "force = 1, speed = 0.5")
                done = folder.cairn("run", "a.lua", *ENERGY_QUIET)
                check_status(done, 0, f"touch: {law}")
                check("do not add up" not in done.err, f"touch: {law}: {done.err}")
                forces = [row[4] for row in sensors(folder)]
                lost = sum(a > 1e-6 >= b for a, b in zip(forces, forces[1:]))
                check(max(forces) > 1, f"touch: {law}: pushes {max(forces)} N at first")
                check(lost <= 12, f"touch: {law}: contact is lost {lost} times")
                late = forces[-1000:]
                check(max(abs(force - 1) for force in late) < 0.1, f"touch: {law}: {min(late)} to {max(late)} N for 1 N")


# grains of a periodic cell, pressed together and then along z at a rate
CELL = """simulation{ step = 1e-5, end_time = 0.12 }
gravity{ 0, 0, 0 }
material{ name = "m", density = 2500 }
pair{ law = "%s", %s, friction = 0.4, restitution = 0.3 }
cell{ size = {0.025, 0.025, 0.025} }
packing{ region = { min = {0.003, 0.003, 0.003}, max = {0.022, 0.022, 0.022} }, method = "growth", porosity = 0.5,
         count = 80, size = sizes{ "uniform", min = 0.004, max = 0.005 }, material = "m" }
servo{ name = "x", cell = "x", stress = 5000, speed = 10 }
servo{ name = "y", cell = "y", stress = 5000, speed = 10 }
servo{ name = "z", cell = "z", stress = 5000, speed = 10, to = 0.08 }
servo{ name = "push", cell = "z", rate = function(t) return -0.5 end, from = 0.08 }
sensor{ name = "s", region = "cell", quantity = "stress" }
sensor{ name = "l", region = "cell", quantity = "sides" }
sensor{ name = "n", region = "cell", quantity = "porosity" }
output{ energy_every = 20 }
"""


def check_cell():
    """A cell is brought to a stress, then compressed along z while x and y keep theirs."""
    with Folder() as folder:
        folder.write("a.lua", CELL % ("hooke", "normal_stiffness = 2e4"))
        run = ("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out")
        check_status(folder.cairn(*run, "one"), 0, "cell")
        check_status(folder.cairn(*run, "two", "--threads", "2"), 0, "cell")
        # inside the compression
        check_status(folder.cairn(*run, "half", "--until", "0.095"), 0, "cell")
        check_status(folder.cairn(*run, "rest", "--restart", "half/checkpoint.h5"), 0, "cell")
        hashes = {summary(folder, name)["state_hash"] for name in ("one", "two", "rest")}
        check(len(hashes) == 1, f"cell: bits of threads and restart: {hashes}")
        rows = sensors(folder, "one")
        held = [value for row in rows if 0.07 < row[1] < 0.08 for value in row[2:5]]
        check(max(abs(value - 5000) for value in held) < 5, f"cell: {min(held)} to {max(held)} Pa, not 5000")
        late = [row for row in rows if row[1] > 0.1]
        mean = [sum(row[k] for row in late) / len(late) for k in (2, 3, 4)]
        check(all(abs(value - 5000) < 10 for value in mean[:2]) and mean[2] > 7000, f"cell: {mean} while pressed")
        # the side shrinks as its rate says, by the midpoint rule
        strain = math.log(rows[-1][10] / next(row[10] for row in rows if row[1] > 0.08 - 5e-6))
        check(abs(strain + 0.5 * 0.04) < 1e-6, f"cell: strain {strain}")
        check(0.3 < rows[-1][11] < 0.45, f"cell: porosity {rows[-1][11]}")
        last = [float(x) for x in folder.read("one/energy.csv").splitlines()[-1].split(",")]
        check(abs(last[12]) < 1e-3 * last[5], f"cell: residual {last[12]} J of {last[5]} J")


def check_begin_of_shear():
    """Sides give way as soon as another one is pressed, so that the stress is that asked for from the begin on."""
    scene = CELL % ("hooke", "normal_stiffness = 2e4")
    for old, new in (("return -0.5", "return -3"), ("count = 80", 'count = 80, seed = param("seed", 1, "")')):
        check(old in scene, f"begin of shear: {old} in the scene")
        scene = scene.replace(old, new)
    with Folder() as folder:
        folder.write("a.lua", scene)
        sides, first = [], []
        for seed in "123":
            check_status(folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0",
                                      "--set", "seed=" + seed, "--out", seed), 0, "begin of shear")
            rows = sensors(folder, seed)
            sides += [value for row in rows if row[1] > 0.08 for value in row[2:4]]
            first += [value for row in rows if 0.08 < row[1] < 0.085 for value in row[2:4]]
        mean, early = sum(sides) / len(sides), sum(first) / len(first)
        check(abs(mean - 5000) < 5 and abs(early - 5000) < 75, f"begin of shear: {mean} Pa in the mean, {early} Pa at first, for 5000")


def check_hard_cell():
    """Hard grains that yield in shear, by fits and starts, have the stress at the sides in the mean."""
    with Folder() as folder:
        scene = CELL % ("hooke", "normal_stiffness = 1e5")
        for old, new in (("step = 1e-5, end_time = 0.12", "step = 4e-6, end_time = 0.2"), ("5000", "500"), ("0.4", "0.5")):
            check(old in scene, f"hard cell: {old} in the scene")
            scene = scene.replace(old, new)
        folder.write("a.lua", scene.replace("count = 80", 'count = 80, seed = param("seed", 1, "")'))
        sides = []
        for seed in "123":
            check_status(folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0",
                                      "--set", "seed=" + seed, "--out", seed), 0, "hard cell")
            sides += [value for row in sensors(folder, seed) if row[1] > 0.1 for value in row[2:4]]
        mean = sum(sides) / len(sides)
        check(abs(mean - 500) < 1.5 and min(sides) < 450 and max(sides) > 550,
              f"hard cell: {mean} Pa in the mean, {min(sides)} to {max(sides)}, for 500")


# spheres between a floor that rises and a roof of two halves that holds a force and has to give way
RETREAT = """simulation{ step = 5e-5, end_time = 0.5 }
gravity{ 0, 0, 0 }
material{ name = "m", density = 2500 }
pair{ law = "hooke", normal_stiffness = 2e4, friction = 0.3, restitution = 0.3 }
for _, d in ipairs{ {1, 0}, {-1, 0}, {0, 1}, {0, -1} } do
  body{ kind = "fixed", material = "m", shape = plane{}, position = {0.03 * d[1], 0.03 * d[2], 0},
        rotation = { axis = {d[2], -d[1], 0}, angle = 90 } }
end
body{ name = "floor", kind = "moving", shape = plane{}, material = "m" }
for i, x in ipairs{ -0.015, 0.015 } do
  body{ name = "half" .. i, kind = "moving", shape = box{ size = {0.03, 0.06, 0.01} }, material = "m",
        position = {x, 0, 0.065} }
end
packing{ region = { min = {-0.03, -0.03, 0}, max = {0.03, 0.03, 0.06} }, size = sizes{ "uniform", min = 0.008, max = 0.012 },
         material = "m", porosity = 0.48 }
motion{ body = "floor", velocity = function(t) return 0, 0, t > 0.1 and 0.05 or 0 end }
sensor{ name = "f", bodies = { "half1", "half2" } }
sensor{ name = "a", body = "half1", quantity = "position" }
sensor{ name = "b", body = "half2", quantity = "position" }
servo{ name = "roof", bodies = { "half1", "half2" }, axis = {0, 0, -1}, speed = 1,
       force = function(t, sensor) local x = sensor("a") return 4 * x / -0.015 end }
output{ energy_every = 20 }
"""


def check_retreat():
    """Walls that go as one give way without lag; their function reads a sensor."""
    with Folder() as folder:
        folder.write("a.lua", RETREAT)
        run = ("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out")
        check_status(folder.cairn(*run, "one"), 0, "retreat")
        check_status(folder.cairn(*run, "half", "--until", "0.3"), 0, "retreat")
        check_status(folder.cairn(*run, "rest", "--restart", "half/checkpoint.h5", "--threads", "2"), 0, "retreat")
        check(summary(folder, "one")["state_hash"] == summary(folder, "rest")["state_hash"], "retreat: bits of a restart")
        rows = sensors(folder, "one")
        still = [row[4] for row in rows if 0.08 < row[1] < 0.1]
        check(max(abs(force - 4) for force in still) < 0.1, f"retreat: {min(still)} to {max(still)} N before it")
        late = [row[4] for row in rows if row[1] > 0.3]
        check(abs(sum(late) / len(late) - 4) < 0.4, f"retreat: {sum(late) / len(late)} N for 4 N while the roof gives way")
        check(all(row[7] == row[10] for row in rows), "retreat: both halves go as one")
        check(abs(rows[-1][7] - rows[0][7] - 0.05 * 0.4) < 0.005, f"retreat: roof went {rows[-1][7] - rows[0][7]} m")


def check_rigid_shear():
    """A triaxial test of rigid spheres at 1e-8: the stress is held, by the same bits for threads and across a restart."""
    scene = os.path.join(os.path.abspath(sys.argv[2]), "bench", "classics", "triaxial_laws.lua")
    run = ("run", scene, "--quiet", "--trajectory-every", "0", "--tolerance", "1e-8", "--set", "rigid=true", "--set", "step=4e-3",
           "--set", "grains=60", "--set", "porosity=0.53", "--set", "strain=0.04", "--out")
    with Folder() as folder:
        for threads in (1, 2, 4):
            check_status(folder.cairn(*run, f"t{threads}", "--threads", str(threads)), 0, "rigid shear")
        check_status(folder.cairn(*run, "half", "--until", "0.09"), 0, "rigid shear")
        check_status(folder.cairn(*run, "rest", "--restart", "half/checkpoint.h5", "--threads", "3"), 0, "rigid shear")
        hashes = {summary(folder, name)["state_hash"] for name in ("t1", "t2", "t4", "rest")}
        check(len(hashes) == 1, f"rigid shear: bits of threads and a restart: {hashes}")
        check(summary(folder, "t1")["steps_unsolved"] == 0, "rigid shear: all steps are solved")
        # columns: 2 floor, 5 x plate, 8 y plate, 11 roof's force, 14 and 17 those of the plates
        rows = sensors(folder, "t1")
        wide = rows[0][9] / 1.05
        held = []
        for row in rows:
            if row[1] > 0.06:
                x, y, height = 0.95 * wide - row[5], row[9] - 0.05 * wide, 2 * wide - row[4]
                held += [abs(row[14]) / (y * height), abs(row[18]) / (x * height)]
        off = sum(held) / len(held) / 1000 - 1
        check(len(held) > 20 and abs(off) < 1e-3, f"rigid shear: stress off by {off} in the mean")


# three spheres in a line, whose images touch its ends
COLUMN = """simulation{ step = 1e-3, end_time = 0.1, tolerance = 1e-12 }
gravity{ 0, 0, 0 }
material{ name = "m", density = 2500 }
pair{ law = "signorini_coulomb", friction = 0.3 }
cell{ size = {0.05, 0.05, 0.0607} }
for i = 0, 2 do body{ name = "b" .. i, shape = sphere{ radius = 0.01 }, material = "m", position = {0.01, 0.01, 0.01 + 0.0202 * i} } end
servo{ name = "z", cell = "z", stress = function(t) return t < 0.05 and 1000 or 2000 end, speed = 1 }
sensor{ name = "s", region = "cell", quantity = "stress" }
sensor{ name = "l", region = "cell", quantity = "sides" }
output{ energy_every = 1 }
"""


def check_column():
    """A line of rigid spheres bears stress times area at its exact length; the audit closes."""
    with Folder() as folder:
        folder.write("a.lua", COLUMN)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--paraview-every", "0", "--fclib", "f",
                                  "--fclib-when", "step == 60"), 0, "column")
        rows = sensors(folder)
        for begin, end, target in ((0.03, 0.049, 1000), (0.08, 0.1, 2000)):
            held = [row[4] for row in rows if begin < row[1] < end]
            check(len(held) > 10 and max(abs(value - target) for value in held) < 1e-9 * target, f"column: {held} for {target} Pa")
        check(abs(rows[-1][10] - 0.06) < 1e-12, f"column: length {rows[-1][10]}")
        # no side closes faster than its servo lets it
        check(all(b[10] > a[10] * (1 - 1.001e-3) for a, b in zip(rows, rows[1:])), "column: speed")
        last = [float(x) for x in folder.read("r/energy.csv").splitlines()[-1].split(",")]
        check(last[5] > 1e-4 and abs(last[12]) < 1e-12 * last[5], f"column: residual {last[12]} J of {last[5]} J")


def check_rigid_cell():
    """Rigid grains are brought to a stress and pressed along z: held, same bits, audit, problem files."""
    scene = CELL % ("signorini_coulomb", "rolling_friction = 0")
    scene = scene.replace("restitution = 0.3", "restitution = 0").replace("step = 1e-5", "step = 2e-4").replace("count = 80", "count = 40")
    scene = scene.replace("{0.025, 0.025, 0.025}", "{0.0215, 0.0215, 0.0215}").replace("0.022", "0.0185").replace("porosity = 0.5,", "porosity = 0.55,").replace("energy_every = 20", "energy_every = 1")
    with Folder() as folder:
        folder.write("a.lua", scene)
        run = ("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--tolerance", "1e-8", "--out")
        check_status(folder.cairn(*run, "one", "--fclib", "f", "--fclib-every", "300", "--fclib-form", "local"), 0, "rigid cell")
        check_status(folder.cairn(*run, "half", "--until", "0.095", "--threads", "4"), 0, "rigid cell")
        check_status(folder.cairn(*run, "rest", "--restart", "half/checkpoint.h5", "--threads", "2"), 0, "rigid cell")
        hashes = {summary(folder, name)["state_hash"] for name in ("one", "rest")}
        check(len(hashes) == 1, f"rigid cell: bits of threads and restart: {hashes}")
        rows = sensors(folder, "one")
        for begin, end, sides in ((0.07, 0.08, (2, 3, 4)), (0.09, 0.12, (2, 3))):
            for k in sides:
                held = [row[k] for row in rows if begin < row[1] < end]
                mean = sum(held) / len(held)
                check(abs(mean - 5000) < 5, f"rigid cell: {mean} Pa for 5000 in column {k} after {begin} s")
        check(0.3 < rows[-1][11] < 0.55, f"rigid cell: porosity {rows[-1][11]}")
        last = [float(x) for x in folder.read("one/energy.csv").splitlines()[-1].split(",")]
        check(abs(last[12]) < 1e-10 * last[5], f"rigid cell: residual {last[12]} J of {last[5]} J")
        files = folder.list("f")[1:]
        check(len(files) > 0, "rigid cell: problem files")
        for name in files:
            check_status(folder.cairn("solve", os.path.join("f", name), "--tolerance", "1e-8"), 0, f"rigid cell: {name}")


# rigid grains that are sheared under a pressure across the planes of shear, at an inertial number of 0.05
SHEARED = """local grains, diameter, density, pressure, inertia, settled = 60, 0.01, 2500, 1000, 0.05, 0.3
local rate = inertia * math.sqrt(pressure / density) / diameter
simulation{ step = 1e-3, end_time = settled + 3 / rate, tolerance = 1e-6 }
output{ energy_every = 1, paraview_every = 0 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = density }
pair{ law = "signorini_coulomb", friction = 0.5 }
local side = diameter * (grains * math.pi / 6 / 0.5) ^ (1 / 3)
local edge = 0.5 * diameter
local height = grains * math.pi / 6 / 0.45 * diameter ^ 3 / (side - diameter) ^ 2 + diameter
cell{ size = { side, side, height } }
packing{ region = { min = { edge, edge, edge }, max = { side - edge, side - edge, height - edge } },
  size = sizes{ "uniform", min = 0.8 * diameter, max = 1.2 * diameter }, material = "glass", method = "growth", count = grains }
servo{ name = "pressure", cell = "z", stress = pressure, speed = 5 }
servo{ name = "shear", cell = "xz", rate = rate, from = settled }
sensor{ name = "cell", region = "cell", quantity = "stress" }
sensor{ name = "porosity", region = "cell", quantity = "porosity" }
"""


def check_rigid_pressure():
    """The impulses through the boundary have the fluctuations in them: the sensor's whole stress is held in the mean."""
    with Folder() as folder:
        folder.write("a.lua", SHEARED)
        check_status(folder.cairn("run", "a.lua", "--quiet", "--trajectory-every", "0", "--out", "r"), 0, "pressure")
        late = [row for row in sensors(folder, "r") if row[1] > 0.65]
        mean = [sum(row[k] for row in late) / len(late) for k in (4, 6)]
        check(len(late) > 400 and abs(mean[0] - 1000) < 5, f"pressure: {mean[0]} Pa for 1000")
        check(0.34 < -mean[1] / mean[0] < 0.46, f"pressure: friction {-mean[1] / mean[0]}")


def check_idle():
    """A wall that leaves what it is to press is told of at the end; one that presses is not."""
    with Folder() as folder:
        for name, axis, told in (("away", "2", True), ("towards", "-2", False)):
            folder.write("a.lua", moving("hooke", end="0.1") + SERVO.replace("-2", axis) % "force = 20, speed = 1, reach = 1")
            result = folder.cairn("run", "a.lua", "--quiet", "-o", "r")
            check_status(result, 0, name)
            check(('servo "press" is to press with 20 N, and nothing touches' in result.err) == told, name, result)


RUNS = {
    "nothing to push on": (moving("hooke") + SERVO.replace("-2", "2") % "force = 20, speed = 1, reach = 0.01",
                           r'servo "press": no contact to push on after 0\.01\d* m \(reach = 0\.01 m\); the target is 20 N'),
    "rigid": (BOX % ("1e-3", "0.3", "signorini_coulomb", ", friction = 0.3", "moving", "") + SERVO % "force = 20",
              r'servo "press": contacts by law "signorini_coulomb" have no stiffness'),
    "rigid cell with joints": (COLUMN + 'joint{ kind = "ball", bodies = {"b0", "b1"}, at = {0.01, 0.01, 0.02} }',
                               r'servo "z": a stress of the cell under the rigid law wants a world without joints'),
    "rigid cell with impacts": (COLUMN.replace("tolerance", 'impact = "poisson", tolerance'),
                                r'servo "z": a stress of the cell under the rigid law wants impacts by Newton'),
    "empty cell": ("gravity{ 0, 0, 0 }\ncell{ size = {1, 1, 1} }\nbody{ shape = sphere{ radius = 0.1 } }\n"
                   'servo{ cell = "x", stress = 10, speed = 1, reach = 0.1 }',
                   r'servo "servo": no contact to push on after 0\.1\d* \(reach = 0\.1\); the target is 10 Pa'),
    "no number": (moving("hooke") + SERVO % "force = function(t, sensor) return 'much' end",
                  r'servo of "press" at t = 5e-06 s: .*target\(t, sensor\) must return 1 number'),
    "no sensor": (moving("hooke") + SERVO % "force = function(t, sensor) return sensor('g') end",
                  r'there is no sensor "g"'),
    "not finite": (moving("hooke") + SERVO % "force = function(t) return 0/0 end",
                   r'servo "press": the target is not finite at t = 5e-06 s'),
}
BAD = {
    "both": ("force = 1, stress = 2, area = 1", r"bad\.lua:\d+: servo: give force \(N\), or stress"),
    "area": ("stress = 2", r"bad\.lua:\d+: servo: area \(m2\) goes with stress"),
    "gain": ("force = 1, gain = 1.5", r"bad\.lua:\d+: servo: gain = 1\.5 must be greater than 0 and at most 1"),
    "speed": ("force = 1, speed = 0", r"bad\.lua:\d+: .*speed"),
    "typing": ("force = 1, gian = 1", r'bad\.lua:\d+: .*"gian".*"gain"'),
    "axis": ("force = 1, axis = {0, 0, 0}", r"bad\.lua:\d+: servo: axis has length 0"),
    "fixed": ('force = 1, body = "slab"', r"bad\.lua:\d+: servo: the body is fixed"),
    "rate": ("force = 1, rate = 2", r"bad\.lua:\d+: servo: a rate \(1/s\) is of the cell"),
    "no cell": ("force = 1 }\nservo{ cell = 'x', stress = 1", r"bad\.lua:\d+: servo: this world has no periodic cell"),
    "shear": ("force = 1 }\ncell{ size = {9, 9, 9}}\nservo{ cell = 'xy', stress = 1",
              r"bad\.lua:\d+: servo: a stress is along a side \(x, y, z\), not xy"),
    "large body": ("force = 1 }\ncell{ size = {9, 9, 1.9} }\nservo{ cell = 'x', rate = 0",
                   r"slab.* is 1\.732 m across, more than half of the periodic cell \(1\.9 m along its side z\): lengthen the cell, or put"),
    "order": ("force = 1, from = 2, to = 1", r"bad\.lua:\d+: servo: from = 2 s must be finite, and until = 1 s"),
    "walls": ('force = 1, bodies = { "lid", "slab" }', r"bad\.lua:\d+: servo: give body = .* or bodies = "),
    "kinds": ('force = 1 }\nservo{ axis = {1, 0, 0}, force = 1, bodies = { "lid", "slab" }',
              r"bad\.lua:\d+: servo: walls that move as one must be of kind moving; dynamic ones are joined by fixed joints"),
    "who": ('force = 1, body = "led"', r'bad\.lua:\d+: .*"led"'),
}


def check_messages():
    for name, (text, pattern) in RUNS.items():
        with Folder() as folder:
            folder.write("bad.lua", text)
            check_error(folder.cairn("run", "bad.lua", "--out", "r", "--quiet"), 1, pattern, name)
    slab = 'body{ name = "slab", kind = "fixed", shape = box{ size = {1, 1, 1} }, position = {0, 0, 9} }\n'
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", moving("hooke") + slab + SERVO % text)
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)


check_gain()
check_inertia()
check_bits()
check_touch()
check_cell()
check_begin_of_shear()
check_hard_cell()
check_retreat()
check_idle()
check_rigid_shear()
check_column()
check_rigid_cell()
check_rigid_pressure()
check_messages()
finish()
