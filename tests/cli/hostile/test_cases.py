# SPDX-License-Identifier: Apache-2.0
# Scenes that an attack found, beside those of test_findings.py: what is not finite in a joint alone, a solver
# that had no end, energy out of unconverged steps, and joints that say the same twice.
import csv
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import PROGRAM, SMALL, Folder, check, check_error, check_status, finish

ROCK = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
START = """
simulation{ step = 1/200, end_time = 1, max_iterations = 40 }
material{ name = "stone", density = 2600 }
ground{ material = "stone" }
"""
TURNING = """position = {0.01, 0.02, 0.05}, rotation = {axis = {1, 0.3, 0}, angle = 20}, velocity = {1, 0, -2},
      angular_velocity = {3, 1, 2}, material = "stone" }
"""

# the coordinate of the rod alone overflows: bodies and contacts stay finite
FAR = START + 'pair{ law = "incremental", friction = 0.3 }\nbody{ name = "a", shape = sphere{radius = 0.1}, ' + TURNING + """
body{ name = "b", shape = polyhedron{file = "rock.obj"}, density = 300, position = {0.05, 1e308, 0.25} }
joint{ kind = "rod", bodies = {"a", "b"}, at = {0, 0, 0.1}, to = {0.1, 0.1, 0.3} }
"""
# a body of almost no height below a slope
ENDLESS = START + 'solver{"proximal_point"}\npair{ friction = 0.5, restitution = 0.1 }\n' \
    'body{ name = "a", shape = sphere{radius = 0.1}, ' + TURNING + """
body{ name = "b", density = 300, position = {0.05, 0.1, 0.25},
      shape = polyhedron{points = {{0,0,0}, {0.2,0,3.56043e-06}, {0,0.2,0}, {0,0,0.2}, {0.1,0.1,0.1}}} }
body{ name = "c", kind = "moving", position = {0.3, 0.1, 0.1}, velocity = {-1, 0, 0},
      shape = mesh{vertices = {{-1,-1,0}, {1,-1,0}, {1,1,0.1}, {-1,1,0}}, triangles = {{1,2,3}, {1,3,4}}} }
joint{ kind = "cylindrical", bodies = {"a"}, at = {0, 0, 0.1} }
"""
# once 31 kJ out of 2.4 J in one step; a wall of 1e20 m comes with 1 m/s, which brings some hundred J
GAIN = START + 'solver{"newton_natural_map"}\npair{ friction = 0.5, restitution = 0.3 }\n' \
    'body{ name = "a", shape = box{size = {0.2, 0.1, 0.3}}, ' + TURNING + """
body{ name = "b", shape = cylinder{radius = 0.1, length = 0.05}, density = 300, position = {0.05, 0.1, 0.25} }
body{ name = "c", kind = "moving", shape = polyhedron{file = "rock.obj", scale = 1e20}, position = {0.3, 0.1, 0.1},
      velocity = {-1, 0, 0} }
"""
REDUNDANT = """
simulation{ step = 1/200, end_time = 0.1 }
ground{}
body{ name = "a", shape = sphere{radius = 0.1}, position = {0, 0, 0.1} }
body{ name = "b", shape = sphere{radius = 0.1}, position = {0.5, 0, 0.1} }
joint{ kind = "rod", bodies = {"a", "b"}, at = {0, 0, 0.1}, to = {0.5, 0, 0.1} }
joint{ kind = "hinge", bodies = {"a", "b"}, at = {0, 0, 0.1}, axis = {0, 1, 0}, range = {-1, 1},
       motor = {velocity = 2, limit = 3}, friction = 0.1 }
"""


def check_joint_alone():
    with Folder() as folder:
        folder.write("rock.obj", ROCK)
        folder.write("far.lua", FAR)
        result = folder.cairn("run", "far.lua", "--quiet")
        check_error(result, 1, r"step \d+, t = .* s: .*joint 0", "a joint that is not finite is named")
        check(not folder.has("out/far/checkpoint.h5") or
              folder.cairn("info", "out/far/checkpoint.h5").status == 0, "a checkpoint that is there can be read")


def check_endless_solver():
    with Folder() as folder:
        folder.write("endless.lua", ENDLESS)
        begin = time.monotonic()
        result = folder.cairn("run", "endless.lua", "--quiet", timeout=120)
        # 0.3 s when nothing else runs; it was more than 120 s for a step
        check(time.monotonic() - begin < 60, f"200 steps of three bodies take {time.monotonic() - begin} s")
        check_status(result, 0, "steps with an iteration limit")


def check_energy_gain():
    """Either the run ends as an explosion, or no step has more energy than was there and the wall brought.
    Steps of a rock of 1e19 m may end unsolved, which the run says by its status."""
    with Folder() as folder:
        folder.write("rock.obj", ROCK)
        folder.write("gain.lua", GAIN)
        result = folder.cairn("run", "gain.lua", "--quiet", timeout=120)
        if result.status == 1:
            check_error(result, 1, "energy grew without a source", "energy of nothing")
            return
        check(result.status in (0, 5), f"a wall that comes: status {result.status}: {result.err}")
        check(result.status == 0 or "ended above the tolerance" in result.err, f"a wall that comes: {result.err}")
        with open(os.path.join(folder.path, "out/gain/energy.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for before, after in zip(rows, rows[1:]):
            had = float(before["kinetic [J]"])
            brought = max(0.0, float(after["drivers [J]"]) - float(before["drivers [J]"]))
            fell = max(0.0, float(before["potential [J]"]) - float(after["potential [J]"]))
            lifted = max(0.0, float(after["correction [J]"]) - float(before["correction [J]"]))
            check(float(after["kinetic [J]"]) <= 2 * (had + brought + fell + lifted) + 1e-9,
                  f"step {after['step']}: {after['kinetic [J]']} J of {had} J, {brought} J of drivers")


def check_redundant_joints():
    """Joints that hold the same twice leave problems that can be checked and solved."""
    with Folder() as folder:
        folder.write("twice.lua", REDUNDANT)
        check_status(folder.cairn("run", "twice.lua", "--quiet", "--fclib", "p"), 0, "redundant joints")
        problems = sorted(name for name in os.listdir(os.path.join(folder.path, "p")) if name.endswith(".hdf5"))
        check(len(problems) > 0, "redundant joints leave problems")
        for name in problems[:3]:
            check_status(folder.cairn("check", "p/" + name), 0, f"check of {name}")
            check_status(folder.cairn("solve", "p/" + name), 0, f"solve of {name}")


def check_address_space():
    """A run ends whatever address space it has: libraries' threads that get no memory do not keep it."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        for megabytes in (90, 100, 120, 160, 220, 400):
            words = ["sh", "-c", f'ulimit -v {megabytes}000; exec "$@"', "sh", PROGRAM, "run", "small.lua", "--quiet"]
            run = subprocess.Popen(words, cwd=folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                run.wait(60)
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                check(False, f"a run in {megabytes} MB still waits after 60 s")


check_joint_alone()
check_endless_solver()
check_energy_gain()
check_redundant_joints()
check_address_space()
finish()
