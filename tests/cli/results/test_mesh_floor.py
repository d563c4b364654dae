# SPDX-License-Identifier: Apache-2.0
# A flat floor of many triangles is a floor: bodies rest on it without creep, and slide and roll on it as on a box.
"""usage: test_mesh_floor.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish

SCENE = """simulation{ step = %(step)s, end_time = %(end)s, tolerance = 1e-10 }
gravity{ %(down)r, 0, %(into)r }
material{ name = "m", density = 2000, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%(law)s", friction = 0.5%(law_keys)s }
local floor = box{ size = {1, 1, 0.2} }
local place = {0, 0, -0.1}
if %(triangles)s then
  local vertices, triangles, n = {}, {}, 24
  for i = 0, n do for j = 0, n do
    -- lines of the grid do not run along the sides of the bodies
    vertices[#vertices + 1] = { -0.5 + (i + 0.1 * (j %% 3)) / n, -0.5 + (j - 0.13 * (i %% 2)) / n, 0 }
  end end
  for i = 0, n - 1 do for j = 1, n do
    local a = i * (n + 1) + j
    triangles[#triangles + 1] = { a, a + n + 1, a + n + 2 }
    triangles[#triangles + 1] = { a, a + n + 2, a + 1 }
  end end
  floor, place = mesh{ vertices = vertices, triangles = triangles }, {0, 0, 0}
end
body{ kind = "fixed", shape = floor, material = "m", position = place }
body{ name = "b", shape = %(shape)s, material = "m", position = {-0.1, 0.003, 0.02}, %(motion)s }
sensor{ name = "p", body = "b", quantity = "position" }
output{ energy_every = %(every)s }
"""
LAWS = {"signorini_coulomb": ("2e-3", ""),
        "hooke": ("4e-5", ", normal_stiffness = 2e5, restitution = 0.3"),
        "hertz_mindlin": ("4e-5", ", restitution = 0.3")}
SPHERES = ", ".join("{ shape = sphere{ radius = 0.02 }, position = {%g, %g, 0} }" % at
                    for at in ((-0.02, -0.015), (0.02, -0.015), (0, 0.02)))
SHAPES = {"box": "box{ size = {0.09, 0.07, 0.04} }",
          "hull": "polyhedron{ points = { {-0.05, -0.03, -0.02}, {0.05, -0.03, -0.02}, {-0.05, 0.03, -0.02}, {0.05, 0.03, -0.02},"
                  " {-0.02, -0.02, 0.02}, {0.02, -0.02, 0.02}, {-0.02, 0.02, 0.02}, {0.02, 0.02, 0.02} } }",
          "cylinder": "cylinder{ radius = 0.04, length = 0.04 }",
          "roller": "cylinder{ radius = 0.02, length = 0.09 }, orientation = {0.7071067811865476, 0.7071067811865476, 0, 0}",
          "compound": "compound{ " + SPHERES + " }",
          "sphere": "sphere{ radius = 0.02 }"}
REST, MOVE = "", "velocity = {0.1, 0.3, 0}, angular_velocity = {0, 0, 3}"


def positions(law, shape, triangles, motion, end):
    """Places of the body at the begin, in the middle and at the end of a run."""
    step, keys = LAWS[law]
    slope = math.atan(0.3)
    values = {"step": step, "end": end, "law": law, "law_keys": keys, "shape": SHAPES[shape], "motion": motion,
              "triangles": "true" if triangles else "false", "down": 9.81 * math.sin(slope), "into": -9.81 * math.cos(slope),
              "every": round(float(end) / float(step) / 2)}
    with Folder() as folder:
        folder.write("a.lua", SCENE % values)
        done = folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r")
        check_status(done, 0, f"{law}, {shape}")
        return [[float(x) for x in line.split(",")[2:5]] for line in folder.read("r/sensors.csv").splitlines()[1:]]


for law in LAWS:
    for shape in SHAPES:
        what = f"{law}, {shape}"
        if shape not in ("sphere", "roller"):
            _, middle, last = positions(law, shape, True, REST, "0.6")
            check(math.dist(middle, last) < 1e-11, f"{what}: creeps {math.dist(middle, last)} m in 0.3 s on triangles")
        box, mesh = (positions(law, shape, triangles, MOVE, "0.24") for triangles in (False, True))
        check(math.dist(box[0], box[-1]) > 0.015, f"{what}: moves {math.dist(box[0], box[-1])} m")
        # a sphere touches as if the sides within the floor were not there; a corner over one of them takes part some digits
        # later, and rigid corners may share the weight in many ways, of which each has its own moment of friction
        share = 0.03 if law == "signorini_coulomb" else 1e-3
        bound = 1e-12 if shape in ("sphere", "compound") else share * math.dist(box[0], box[-1])
        check(math.dist(box[-1], mesh[-1]) < bound, f"{what}: {mesh[-1]} on triangles and {box[-1]} on a box")
finish()
