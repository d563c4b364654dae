# SPDX-License-Identifier: Apache-2.0
# Small worlds that fuzzing of the kernels found (tests/fuzz/kernels.c): what crashed, and what never ended.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Folder, check_error, check_status, finish

# a joint that is not solved takes back a step in which laws are explicit: its pairs named contacts of another step
TAKEN_BACK = """
simulation{ step = 0.0001148, end_time = 0.0009 }
material{ name = "a", density = 505.6, young_modulus = 1.293e7 }
material{ name = "b", density = 1500, young_modulus = 1e7, poisson_ratio = 0.2 }
pair{ law = "mindlin_deresiewicz", restitution = 1, rolling_damping = 0.0262, stiffness_by_shape = true, attraction = false }
cell{ size = {0.0835, 0.08173, 0.08988}, periodic = "z", rate = { zz = 74.02 } }
body{ name = "g0", material = "a", shape = box{ size = {0.004886, 0.004886, 0.007329} } }
body{ name = "g1", material = "b", shape = sphere{ radius = 0.007166 }, position = {0, 0, 0.01323} }
body{ material = "b", shape = box{ size = {0.003329, 0.003329, 0.004993} }, position = {0, 0, 0.06616} }
body{ material = "b", shape = sphere{ radius = 0.002629 }, position = {0, 0, 0.09262} }
body{ material = "b", shape = sphere{ radius = 0.007166 }, position = {0, 0, 0.1058}, velocity = {-1.299, -1.142, -3.425},
      angular_velocity = {232.3, -362.2, 0} }
body{ material = "a", shape = box{ size = {0.002945, 0.002945, 0.004418} }, position = {0, 0, 0.1323} }
body{ material = "a", shape = sphere{ radius = 0.005044 }, position = {0, 0, 0.1588}, velocity = {-1.417, -2.874, 0},
      angular_velocity = {252, 118.1, -330.7} }
body{ material = "a", shape = sphere{ radius = 0.007166 }, position = {0, 0, 0.172} }
body{ material = "a", shape = sphere{ radius = 0.001681 }, position = {0, 0, 0.1852} }
joint{ kind = "ball", bodies = {"g0", "g1"}, at = {0, 0, 0} }
"""
CELL = """
simulation{ step = 1e-4, end_time = 1e-3 }
pair{ law = "hooke", normal_stiffness = 1e4 }
cell{ size = {0.1, 0.1, 0.1} }
"""
BALL = "body{ shape = sphere{ radius = %s }, position = {0.05, 0.05, 0.05} }\n"
SMALL_REGION = "region = { min = {0, 0, 0}, max = {0.05, 0.05, 0.05} }"
LARGE_REGION = "region = { min = {-1e5, -1e5, -1e5}, max = {1e5, 1e5, 1e5} }"
FIELDS = "fields{ min = {0, 0, 0}, max = {0.1, 0.1, 0.1}, cells = {2, 2, 2}, width = %s, every = 1 }\n"


def check_taken_back():
    with Folder() as folder:
        folder.write("back.lua", TAKEN_BACK)
        check_status(folder.cairn("run", "back.lua", "-q", "-o", "r"), 0, "joints that take a step of explicit laws back")


def check_images():
    """What has more images than anyone can look at is refused by name, where it is looked at first."""
    with Folder() as folder:
        for more in ("measure{ name = 'm', " + SMALL_REGION + " }\n",
                     "packing{ " + SMALL_REGION + ", size = 0.01, count = 1, method = 'random' }\n",
                     "emitter{ " + SMALL_REGION + ", size = 0.01, count = 1 }\n"):
            folder.write("large.lua", CELL + BALL % "1e6" + more)
            result = folder.cairn("run", "large.lua", "-q", "-o", "r", timeout=20)
            check_error(result, 3, "body 0 .*more than half of the periodic cell", more)
        for more in ("measure{ name = 'm', " + LARGE_REGION + " }\n", "outlet{ " + LARGE_REGION + " }\n",
                     "sensor{ name = 's', quantity = 'porosity', " + LARGE_REGION + " }\n",
                     "emitter{ " + LARGE_REGION + ", size = 0.01, count = 1 }\n",
                     "remove{ at = 0, " + LARGE_REGION + " }\n", FIELDS % "1e6"):
            folder.write("wide.lua", CELL + BALL % "0.01" + more)
            result = folder.cairn("run", "wide.lua", "-q", "-o", "r", timeout=20)
            check_error(result, 1 if more.startswith("fields") else 3, "holds the periodic cell .* times over", more)
        # twenty cells each way are no mistake: an outlet often has a box that is larger than all
        folder.write("some.lua", CELL + BALL % "0.01" + "outlet{ outside = true, region = { min = {-1, -1, -1}, max = {1, 1, 1} } }\n")
        check_status(folder.cairn("run", "some.lua", "-q", "-o", "r"), 0, "a region of some cells")


def check_long_branches():
    """Fields look at the part of a branch that is near their grid."""
    with Folder() as folder:
        folder.write("planet.lua", "simulation{ step = 1e-6, end_time = 2e-6 }\ngravity{ 0, 0, 0 }\npair{ law = 'hooke', normal_stiffness = 1e4 }\n"
                     "body{ shape = sphere{ radius = 1e6 }, position = {0, 0, -1e6} }\n"
                     "body{ shape = sphere{ radius = 0.01 }, position = {0, 0, 0.0099} }\n" + FIELDS % "0.002")
        check_status(folder.cairn("run", "planet.lua", "-q", "-o", "r", timeout=20), 0, "fields beside a ball of 1e6 m")


check_taken_back()
check_images()
check_long_branches()
finish()
