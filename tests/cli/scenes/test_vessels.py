# SPDX-License-Identifier: Apache-2.0
# Closed meshes: as surfaces they hold what is inside and what is outside, as solids they keep all out.
"""usage: test_vessels.py PROGRAM ROOT"""
import csv
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish

R = 0.1  # m, half of a vessel's size
PRISM = """local V, T, R = {}, {}, 0.1
local function prism(outline, caps, z, inwards)
  local n, base = #outline, #V
  for side = -1, 1, 2 do for _, p in ipairs(outline) do V[#V + 1] = { p[1], p[2], side * z } end end
  local function add(a, b, c)
    if inwards then b, c = c, b end
    T[#T + 1] = { base + a, base + b, base + c }
  end
  for i = 1, n do local j = i % n + 1; add(i, j, n + j); add(i, n + j, n + i) end
  for _, t in ipairs(caps) do add(t[1], t[3], t[2]); add(n + t[1], n + t[2], n + t[3]) end
end
local function square(a, z, inwards)
  prism({ { -a, -a }, { a, -a }, { a, a }, { -a, a } }, { { 1, 2, 3 }, { 1, 3, 4 } }, z, inwards)
end
local function ring(n)
  local outline, caps = {}, {}
  for i = 1, n do
    outline[i] = { R * math.cos(2 * math.pi * i / n), R * math.sin(2 * math.pi * i / n) }
    if i > 2 then caps[i - 2] = { 1, i - 1, i } end
  end
  prism(outline, caps, R)
end
local function globe(n)
  local function at(i, j) return 2 + (i - 1) * n + (j - 1) % n end
  V[1] = { 0, 0, -R }
  for i = 1, n - 1 do for j = 1, n do
    local a, b = math.pi * i / n, 2 * math.pi * j / n
    V[#V + 1] = { R * math.sin(a) * math.cos(b), R * math.sin(a) * math.sin(b), -R * math.cos(a) }
  end end
  V[#V + 1] = { 0, 0, R }
  for j = 1, n do
    T[#T + 1] = { 1, at(1, j + 1), at(1, j) }
    T[#T + 1] = { #V, at(n - 1, j), at(n - 1, j + 1) }
    for i = 1, n - 2 do
      T[#T + 1] = { at(i, j), at(i, j + 1), at(i + 1, j + 1) }
      T[#T + 1] = { at(i, j), at(i + 1, j + 1), at(i + 1, j) }
    end
  end
end
"""
# how a vessel is drawn, whether a place is in it, and where its top is
FORMS = {
    "box": ("square(R, R)", lambda x, y, z: max(abs(x), abs(y), abs(z)) < R, R),
    "drum": ("ring(32)", lambda x, y, z: math.hypot(x, y) < R and abs(z) < R, R),
    "globe": ("globe(14)", lambda x, y, z: math.hypot(x, y, z) < R, None),
    "angle": ("prism({ { -R, -R }, { R, -R }, { R, 0 }, { 0, 0 }, { 0, R }, { -R, R } },"
              " { { 1, 2, 3 }, { 1, 3, 4 }, { 1, 4, 6 }, { 4, 5, 6 } }, R)",
              lambda x, y, z: max(abs(x), abs(y), abs(z)) < R and min(x, y) < 0, R),
    "wall": ("square(R, R, true) square(1.2 * R, 1.2 * R)", lambda x, y, z: max(abs(x), abs(y), abs(z)) < R, 1.2 * R),
    "nested": ("square(0.5 * R, R) square(R, 1.2 * R)", lambda x, y, z: max(abs(x), abs(y)) < R / 2 and abs(z) < R, 1.2 * R),
}
SCENE = """simulation{ step = %(step)s, end_time = 0.4 }
material{ name = "m", density = 2500, young_modulus = 5e6, poisson_ratio = 0.25 }
pair{ law = "%(law)s", friction = 0.3%(keys)s }
%(form)s
for i, t in ipairs(T) do if %(turned)s then T[i] = { t[1], t[3], t[2] } end end
body{ name = "vessel", kind = "%(kind)s", material = "m", shape = mesh{ vertices = V, triangles = T }%(motion)s }
local r = 0.012
local shapes = {
  sphere{ radius = r }, box{ size = { 2 * r, 1.5 * r, r } }, capsule{ radius = 0.6 * r, length = 1.4 * r },
  cylinder{ radius = r, length = 1.5 * r }, box{ size = { 2 * r, 1.5 * r, r }, rounding = 0.2 * r },
  polyhedron{ points = { { r, 0, 0 }, { -r, 0, 0 }, { 0, r, 0 }, { 0, -r, 0 }, { 0, 0, r }, { 0, 0, -r } } },
  compound{ { shape = sphere{ radius = 0.7 * r }, position = { -0.5 * r, 0, 0 } }, { shape = sphere{ radius = 0.7 * r }, position = { 0.5 * r, 0, 0 } } },
  compound{ { shape = box{ size = { 2 * r, 0.5 * r, 0.5 * r } } },
    { shape = box{ size = { 0.5 * r, 0.75 * r, 0.5 * r } }, position = { 0, 0.625 * r, 0 } },
    { shape = box{ size = { 0.5 * r, 0.75 * r, 0.5 * r } }, position = { 0, -0.625 * r, 0 } } },
}
for i, shape in ipairs(shapes) do
  local k = i - 1
  body{ name = "in" .. i, material = "m", shape = shape, rotation = { axis = { 1, 2, 0.5 }, angle = 40 * i },
        position = { %(at)s - 0.02 + 0.04 * (k %% 2), %(at)s - 0.02 + 0.04 * (k // 2 %% 2), -0.03 + 0.04 * (k // 4) } }
end
if %(top)s then
  for i, shape in ipairs(shapes) do
    body{ name = "top" .. i, material = "m", shape = shape, position = { -0.06 + 0.034 * (i %% 4), -0.06 + 0.04 * (i // 4), %(top)s + 1.6 * r } }
  end
end
"""
LAWS = {"signorini_coulomb": ("2e-3", ""), "hertz_mindlin": ("2e-5", ", restitution = 0.5"),
        "hooke": ("2e-5", ", restitution = 0.5, normal_stiffness = 2e4")}
KINDS = {"fixed": ("fixed", ""), "lifted": ("moving", ", velocity = { 0.05, 0.02, 0.3 }"),
         "turning": ("moving", ", angular_velocity = { 0, 4, 0.5 }")}
TURNED = ("false", "true", "i % 3 == 0")


def in_frame(body, vessel):
    """Where a body is, in the frame of another one."""
    number = lambda row, what: float(next(v for k, v in row.items() if k.startswith(what)))
    d = [number(body, f"position {k}") - number(vessel, f"position {k}") for k in "xyz"]
    w, *u = (number(vessel, f"orientation {k}") for k in "wxyz")
    u = [-each for each in u]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * each for each in cross(u, d)]
    return [a + w * b + c for a, b, c in zip(d, t, cross(u, t))]


def run(scene, what, status=0):
    with Folder() as folder:
        folder.write("a.lua", scene)
        done = folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r")
        check_status(done, status, what)
        rows = list(csv.DictReader(folder.read("r/bodies.csv").splitlines())) if status == 0 else []
        return done.err, rows


for f, (form, (drawn, holds, top)) in enumerate(FORMS.items()):
    for k, (kind, (body, motion)) in enumerate(KINDS.items()):
        for n, (law, (step, keys)) in enumerate(LAWS.items()):
            if (f + k + n) % 2 and kind != "fixed":
                continue
            what = f"{form}, {kind}, {law}"
            said, rows = run(PRISM + SCENE % {
                "step": step, "law": law, "keys": keys, "form": drawn, "kind": body, "motion": motion, "turned": TURNED[(f + n) % 3],
                "at": "-0.055" if form == "angle" else "0", "top": top if top and kind == "fixed" else "false"}, what)
            check("warning" not in said, f"{what}: {said}")
            for row in rows[1:]:
                x, y, z = in_frame(row, rows[0])
                if row["name"].startswith("in"):
                    check(holds(x, y, z), f"{what}: {row['name']} has got out to {x, y, z}")
                else:
                    on = abs(x) > top or abs(y) > top or top + 0.002 < z < top + 0.03
                    check(on, f"{what}: {row['name']} is at {x, y, z}, not on the top at {top}")

# a ball at rest on the floor of a closed box: the overlap of Hertz, by hand
BOX = PRISM + "square(0.025, 0.025)\n"
for turned in ("false", "true"):
    for law, sinks in (("hertz_mindlin", True), ("signorini_coulomb", False)):
        _, rows = run(BOX + f"""simulation{{ step = 1e-5, end_time = 0.3 }}
if {turned} then for i, t in ipairs(T) do T[i] = {{ t[1], t[3], t[2] }} end end
material{{ name = "m", density = 2600, young_modulus = 5e6, poisson_ratio = 0.3 }}
pair{{ law = "{law}", friction = 0.3 }}
body{{ name = "box", kind = "fixed", material = "m", shape = mesh{{ vertices = V, triangles = T }} }}
body{{ name = "ball", material = "m", shape = sphere{{ radius = 0.002 }}, position = {{ 0.001, 0.003, 0 }} }}
""", f"ball in a box, {law}")
        weight = 2600 * 4 / 3 * math.pi * 0.002**3 * 9.81
        depth = (weight / (4 / 3 * 5e6 / 2 / (1 - 0.3**2) * math.sqrt(0.002))) ** (2 / 3) if sinks else 0.0
        z = float(rows[1]["position z [m]"])
        check(abs(z + 0.023 + depth) < 1e-9, f"ball in a box, {law}: rests at {z}, not {-0.023 - depth}")

# a vessel that moves freely: on a plane and on a box it does the same, with a ball within and a cube on its top or floor
FREE = """simulation{ step = %s, end_time = 0.4 }
material{ name = "m", density = 2600, young_modulus = 5e6, poisson_ratio = 0.3 }
pair{ law = "%s", friction = 0.3 }
if %s then T[12] = nil T[11] = nil end
%s
body{ name = "vessel", material = "m", mass = 0.05, position = { 0.3, 0, 0 }, shape = mesh{ vertices = V, triangles = T, solid = %s } }
if not %s then body{ name = "ball", material = "m", shape = sphere{ radius = 0.004 }, position = { 0.301, 0.013, 0 } } end
body{ name = "cube", material = "m", shape = box{ size = { 0.01, 0.01, 0.01 } }, position = { 0.301, 0.003, %s } }
"""
FLOORS = {"plane": "ground{ height = -0.03, material = 'm' }",
          "box": "body{ kind = 'fixed', material = 'm', shape = box{ size = { 1, 1, 0.1 } }, position = { 0, 0, -0.08 } }",
          "mesh": "body{ name = 'floor', kind = 'fixed', shape = mesh{ vertices = { {-1, -1, 0}, {1, -1, 0}, {0, 1, 0} }, triangles = { {1, 2, 3} } }, position = { 0, 0, -0.03 } }"}
for law, step in (("hertz_mindlin", "1e-5"), ("signorini_coulomb", "2e-3")):
    for form, (opened, solid, cube) in {"open": ("true", "false", 0.011), "closed": ("false", "false", 0.032), "solid": ("false", "true", 0.032)}.items():
        for floor in ("plane", "box"):
            what = f"free vessel, {form}, {law}, on a {floor}"
            said, rows = run(BOX + FREE % (step, law, opened, FLOORS[floor], solid, solid, cube), what)
            check("warning" not in said, f"{what}: {said}")
            at = {row["name"]: [float(row[f"position {k} [m]"]) for k in "xyz"] for row in rows}
            # overlaps of springs: up to 0.1 mm
            check(abs(at["vessel"][2] + 0.005) < 1e-4, f"{what}: the vessel is at {at['vessel']}")
            if solid == "false":
                check(abs(at["ball"][2] + 0.026) < 1.5e-4 and math.dist(at["ball"][:2], at["vessel"][:2]) < 0.03, f"{what}: the ball is at {at['ball']}")
            check(abs(at["cube"][2] - (-0.025 if opened == "true" else 0.025)) < 1.5e-4 or opened == "true", f"{what}: the cube is at {at['cube']}")
said, _ = run(BOX + FREE % ("2e-3", "signorini_coulomb", "false", FLOORS["mesh"], "false", "false", 0.032), "two meshes", 1)
check('("floor") and body 1 ("vessel"), which may touch, are both meshes' in said, f"two meshes: {said}")
said, _ = run(BOX + "T[12] = nil\nsimulation{ step = 1e-3, end_time = 1 }\nbody{ shape = mesh{ vertices = V, triangles = T } }", "a sheet without mass", 3)
check("a mesh has no volume: unless its mass is given, it can only be" in said, f"a sheet without mass: {said}")

# grains go into a surface and not across it, and not into a solid
GRAINS = """simulation{ step = 1e-3, end_time = 1e-3 }
body{ name = "tank", kind = "fixed", shape = mesh{ vertices = V, triangles = T, solid = %s } }
%s
"""
FILL = 'packing{ region = { min = { -0.05, -0.05, -0.05 }, max = { 0.05, 0.05, 0.05 } }, method = "%s", shape = %s, %s }'
GRAIN = {"sphere": "sphere{ radius = 0.004 }", "box": "box{ size = { 0.006, 0.005, 0.004 } }", "capsule": "capsule{ radius = 0.002, length = 0.006 }"}
for name, shape in GRAIN.items():
    for method, keys in (("random", "count = 60"), ("lattice", "gap = 0.0005")):
        inside = {}
        for solid in ("false", "true"):
            what = f"{method} packing of {name}, solid = {solid}"
            said, rows = run(BOX + GRAINS % (solid, FILL % (method, shape, keys)), what)
            check("warning" not in said, f"{what}: {said}")
            away = []  # from the surface, positive within
            for row in rows[1:]:
                out = [abs(x) - 0.025 for x in in_frame(row, rows[0])]
                away.append(-max(out) if max(out) < 0 else -math.hypot(*(max(x, 0) for x in out)))
            # a box or capsule is no thinner than 2 mm about its middle
            least = 0.004 if name == "sphere" else 0.002
            check(min(map(abs, away)) > least * (1 - 1e-9), f"{what}: a grain is {min(map(abs, away))} m from a wall")
            inside[solid] = sum(a > 0 for a in away)
        check(inside["false"] > 0 and inside["true"] == 0, f"{method} packing of {name}: {inside} are within")
_, rows = run(BOX + """simulation{ step = 2e-3, end_time = 0.5 }
body{ name = "tank", kind = "fixed", shape = mesh{ vertices = V, triangles = T } }
emitter{ region = { mesh = mesh{ vertices = V, triangles = T } }, size = 0.006, count = 20, rate = 100 }
""", "emitter in a vessel")
check(len(rows) == 21 and all(max(map(abs, in_frame(row, rows[0]))) < 0.0221 for row in rows[1:]), "emitted grains stay in the vessel")
said, _ = run(BOX + GRAINS % ("true", "packing{ region = { min = { -0.02, -0.02, -0.02 }, max = { 0.02, 0.02, 0.02 } }, method = 'random', size = 0.006, count = 5 }"),
              "packing within a solid", 3)
check("0 of count = 5 grains find a place" in said, f"packing within a solid: {said}")

# what starts in a solid is named; an open mesh is none
said, _ = run(BOX + GRAINS % ("true", 'body{ name = "deep", shape = sphere{ radius = 0.002 }, position = { 0.005, 0, 0 } }'
                        '\nbody{ name = "free", shape = sphere{ radius = 0.002 }, position = { 0, 0, 0.028 } }'), "ball in a solid")
check(re.search('warning: "tank" and "deep" overlap by 0.022 m at the start', said) and "free" not in said, f"ball in a solid: {said}")
said, _ = run(BOX + GRAINS % ("false", 'body{ name = "across", shape = box{ size = { 0.004, 0.004, 0.01 } }, position = { 0, 0, 0.026 } }'), "box across a wall")
check(re.search('warning: "tank" and "across" overlap by 0.004 m', said), f"box across a wall: {said}")
said, _ = run((BOX + GRAINS % ("true", "")).replace("body{", "table.remove(T)\nbody{"), "an open solid", 3)
check("a solid mesh must be closed: the edge from (" in said, f"an open solid: {said}")
finish()
