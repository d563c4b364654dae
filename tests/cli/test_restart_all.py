# SPDX-License-Identifier: Apache-2.0
# 2N steps against N, restart, N, file for file: every scene, every law, every solver, every
# one-contact solver, the settings of the step, and worlds whose bodies change on the way.
"""usage: test_restart_all.py PROGRAM ROOT"""
import glob
import os

from command import ROOT, Folder, check, check_status, finish, load
from same import check_same

# scene: steps of the whole, and whether bodies touch in them
SCENES = {
    "arch": (40, True), "billiards": (400, True), "box_stack": (60, True), "brick_wall": (20, True),
    "capsules": (60, True), "chain": (80, True), "chain_with_ball": (60, True), "domino": (60, True),
    "four_bar": (60, False), "granular_column": (40, True), "hopper": (900, True), "simple_shear": (1500, True), "triaxial": (1500, True), "triaxial_box": (900, True),
    "drum": (2000, True), "lifted_cylinder": (900, True), "penetration": (600, True), "shaken_wall": (60, True),
    "ball_mill": (3000, True), "mesh_hopper": (600, True), "silo": (600, True), "kapla_tower": (30, True), "mixer": (300, True), "newton_cradle": (3000, True),
    "pendulum": (60, False), "rag_dolls": (220, True), "rockfall": (250, True),
    "slider_crank": (60, False), "sphere_heap": (300, True),
}

PILE = """
title "pile"
local rotation = param("rotation", "rig_imp", "scheme of rotation", { choices = { "rig_imp", "rig_neg", "rig_pos", "rig_exact" } })
local margin = param("margin", true, "contacts before they close")
local correction = param("correction", true, "of penetration")
simulation{ step = 1 / 200, end_time = 1, max_iterations = 30, rotation = rotation, margin = margin,
            correction = correction }
material{ name = "stone", density = 2000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "stone" }
for i = 0, 5 do
  body{ name = "block" .. i, shape = box{ size = {0.2, 0.2, 0.1} }, material = "stone",
        position = {0.03 * (i % 3), 0.02 * (i % 2), 0.06 + 0.11 * i}, angular_velocity = {0, 0, 2} }
end
sensor{ name = "floor", body = "ground", quantity = "force" }
"""
# balls of a law with a spring on blocks of the implicit one
MIXED = PILE + """
material{ name = "rubber", density = 1000 }
pair{ "rubber", "stone", law = "LAW" }
for i = 0, 3 do
  body{ name = "ball" .. i, shape = sphere{ radius = 0.05 }, material = "rubber",
        position = {0.15 + 0.11 * i, 0, 0.0501} }
end
"""

# name: step, steps, and a scene in which bodies come, go or change their places
CHANGING = {
    # rows of bodies that left get grains of more parts than they had room for
    "reused_rows": (1e-3, 240, """
simulation{ step = 1e-3, end_time = 0.24 }
pair{ friction = 0.3, restitution = 0.3 }
ground{}
emitter{ region = { min = {0, 0, 0.05}, max = {0.1, 0.1, 0.1} }, rate = 400, every = 0.01, velocity = {0, 0, -1},
         grains = { { size = 0.012 },
                    { shape = compound{ { shape = box{ size = {0.01, 0.01, 0.01} } },
                                        { shape = sphere{ radius = 0.005 }, position = {0.006, 0, 0} } } } } }
outlet{ region = { min = {0, 0, 0}, max = {0.1, 0.06, 0.02} }, every = 0.02 }
"""),
    # the first body of a material comes after the start
    "late_material": (1e-4, 200, """
simulation{ step = 1e-4, end_time = 0.02 }
material{ name = "steel", young_modulus = 2e7 }
material{ name = "glass", young_modulus = 1e7 }
pair{ law = "hertz_mindlin" }
ground{ material = "steel" }
emitter{ region = { min = {0, 0, 0.001}, max = {0.1, 0.1, 0.03} }, size = 0.01, material = "glass", rate = 2000,
         from = 0.001, every = 0.001, velocity = {0, 0, -2} }
"""),
    # shapes come and go with their bodies: those of ParaView keep their numbers
    "shapes_that_go": (1e-3, 200, """
simulation{ step = 1e-3, end_time = 0.2 }
pair{ law = "hooke", normal_stiffness = 2e3 }
ground{}
emitter{ region = { min = {0, 0, 0.02}, max = {0.1, 0.1, 0.08} }, rate = 300, every = 0.01, velocity = {0, 0, -1},
         shape = capsule{ radius = 0.004, length = 0.006 }, size = sizes{ "uniform", min = 0.01, max = 0.014 } }
outlet{ region = { min = {0, 0, 0}, max = {0.1, 0.06, 0.02} }, every = 0.02 }
"""),
    # there is no body and no material at the start
    "nothing_at_first": (1e-3, 200, """
simulation{ step = 1e-3, end_time = 0.2 }
emitter{ region = { min = {0, 0, 0}, max = {0.05, 0.05, 0.05} }, size = 0.01, rate = 300, spread = 0.5 }
"""),
    # a joint and a connector go with a body, and sensors and measures of it read nothing
    "removed": (1e-3, 200, """
simulation{ step = 1e-3, end_time = 0.2 }
ground{}
body{ name = "a", shape = sphere{ radius = 0.1 }, position = {0, 0, 0.1} }
body{ name = "b", shape = sphere{ radius = 0.1 }, position = {0.3, 0, 0.1} }
joint{ name = "hinge", kind = "hinge", bodies = {"a", "b"}, at = {0, 0, 0.1}, axis = {0, 1, 0} }
connector{ name = "touch", bodies = {"a", "b"}, radii = {0.1, 0.1}, contact_stiffness = 1e4 }
sensor{ name = "angle", joint = "hinge", quantity = "coordinate" }
sensor{ name = "moment", joint = "hinge", quantity = "torque", window = 0.03 }
sensor{ name = "law", connector = "touch", quantity = "history" }
sensor{ name = "force", body = "b", window = 0.01 }
measure{ name = "b", body = "b", window = 0.03 }
remove{ body = "b", at = 0.05 }
"""),
    # frames that keep contacts are followed by frames that do not
    "contacts_of_some": (1e-3, 260, """
simulation{ step = 1e-3, end_time = 0.26 }
ground{}
body{ shape = sphere{ radius = 0.006 }, position = {0, 0, 0.03} }
outlet{ region = { centre = {1, 0, 0}, radius = 0.1 } }
output{ contacts_every = 100 }
"""),
    # lists of pairs of a cell that strains are made in nearly every step
    "straining": (2e-3, 120, """
simulation{ step = 2e-3, end_time = 0.24 }
gravity{ 0, 0, 0 }
pair{ law = "hooke", normal_stiffness = 1e3 }
cell{ size = {0.12, 0.12, 0.2}, rate = { yz = 20 } }
for i = 0, 59 do
  body{ shape = sphere{ radius = 0.006 }, position = {0.02 * (i % 6), 0.02 * (i // 6 % 5), 0.05 * (i // 30)},
        velocity = {math.random(), math.random(), math.random()} }
end
"""),
}


def words(scene, out, until, more):
    return ["run", scene, "--accept-unsolved", "--until", repr(until), "--out", out, "--hash", out + ".csv", "--fclib",
            out + "/fclib", "--fclib-every", "25", "--paraview-every", "20", "--trajectory-every", "10",
            "--quiet", *more]


def check_cut(folder, scene, step, steps, touches, *more):
    """The whole, and a run in two halves by other numbers of threads."""
    what = " ".join([scene, *more])
    runs = "runs/" + what.replace(" ", "_").replace("=", "_")
    a, b = runs + "/a", runs + "/b"
    half = steps // 2
    check_status(folder.cairn(*words(scene, a, steps * step, more)), 0, what)
    check_status(folder.cairn(*words(scene, b, half * step, [*more, "--threads", "2"])), 0, what)
    check_status(folder.cairn(*words(scene, b, steps * step, [*more, "--restart", b + "/checkpoint.h5"])), 0,
                 what)
    check_same(folder, a, b, what)
    check(folder.read(a + ".csv") == folder.read(b + ".csv"), f"{what}: hashes differ")
    check(len(folder.read(a + ".csv").splitlines()) >= steps, f"{what}: a hash a step")
    summary = load(folder.read(a + "/summary.json"))
    check((summary["contacts_max"] > 0) == touches, f"{what}: {summary['contacts_max']} contacts")


def check_scenes(folder):
    there = {os.path.basename(path)[:-4] for path in glob.glob(os.path.join(ROOT, "scenes/library", "*.lua"))}
    check(there == set(SCENES), f"scenes without a row: {there ^ set(SCENES)}")
    for scene, (steps, touches) in SCENES.items():
        info = load(folder.cairn("info", scene, "--json").out)
        check_cut(folder, scene, info["step"], steps, touches)


def plugins(folder, kind):
    return [load(line)["name"] for line in folder.cairn("list", kind, "--json").out.splitlines()]


def check_plugins(folder):
    for law in plugins(folder, "laws"):
        few = ["--set", "spheres=40", "--law", law]
        check_cut(folder, "sphere_heap", 2e-4, 300, True, *few)
        if law != "signorini_coulomb":
            folder.write(f"mixed_{law}.lua", MIXED.replace("1 / 200", "1 / 2000").replace("LAW", law))
            check_cut(folder, f"mixed_{law}.lua", 1 / 2000, 60, True)
    for solver in plugins(folder, "solvers"):
        check_cut(folder, "pile.lua", 1 / 200, 20, True, "--solver", solver)
    for local in plugins(folder, "locals"):
        check_cut(folder, "pile.lua", 1 / 200, 20, True, "--solver", "gauss_seidel", "--local", local)


def check_settings(folder):
    for rotation in ("rig_neg", "rig_pos", "rig_exact"):
        check_cut(folder, "pile.lua", 1 / 200, 20, True, "--set", "rotation=" + rotation)
    for name in ("margin", "correction"):
        check_cut(folder, "pile.lua", 1 / 200, 20, True, "--set", name + "=false")


def check_changes(folder):
    for name, (step, steps, text) in CHANGING.items():
        folder.write(name + ".lua", text)
        check_cut(folder, name + ".lua", step, steps, True)


with Folder() as folder:
    folder.write("pile.lua", PILE)
    check_changes(folder)
    check_scenes(folder)
    check_plugins(folder)
    check_settings(folder)
finish()
