# SPDX-License-Identifier: Apache-2.0
# Numbers that no scene should have, in place of each number of the calls that make grains, cells, servos, events,
# joints and averages: a run ends well, or says in one line what is wrong, and where a scene's text is to blame, the line.
"""usage: test_numbers.py PROGRAM ROOT"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish

# @x@ is a number that is replaced
SCENES = {
    "grains": """simulation{ step = @1e-4@, end_time = 0.002 }
material{ name = "m", density = @2500@, young_modulus = @1e7@, poisson_ratio = @0.3@ }
pair{ law = "hertz_mindlin", friction = @0.4@, restitution = @0.5@ }
ground{ material = "m", height = @0@ }
emitter{ region = { from = {@0@, 0, @0.05@}, to = {0, 0, @0.15@}, radius = @0.05@ }, mass_rate = @5@, spread = @0.1@,
  grains = { { size = sizes{ "normal", mean = @0.008@, deviation = @0.001@ }, material = "m", share = @3@ },
             { shape = capsule{ radius = @0.003@, length = @0.006@ }, material = "m", density = @2000@ }, by = "mass" },
  velocity = {0, @0@, @-1@}, from = @0@, to = @1@, every = @0.001@, attempts = @200@, mass = @1@ }
emitter{ region = { centre = {@0.5@, 0, 0.2}, radius = @0.1@ }, shape = sphere{ radius = @0.01@ }, size = @0.01@,
  rate = @1000@, count = @5@, seed = @3@ }
outlet{ region = { min = {@-1@, -1, @-1@}, max = {@1@, 1, @1@} }, outside = true, every = @0.001@, from = @0@ }
""",
    "packings": """simulation{ step = @1e-4@, end_time = 0.002, seed = @1@ }
pair{ law = "hooke", normal_stiffness = @1e4@, friction = 0.5 }
ground{}
packing{ region = { min = {@-0.1@, -0.1, 0}, max = {@0.1@, 0.1, @0.1@} }, size = @0.02@, count = @50@, method = "random",
  attempts = @100@, seed = @2@ }
packing{ region = { from = {@1@, 0, 0}, to = {1, 0, @0.1@}, radius = @0.05@ },
  size = sizes{ "uniform", min = @0.012@, max = @0.015@ }, porosity = @0.5@ }
packing{ region = { min = {2, -0.1, 0}, max = {@2.2@, 0.1, 0.1} }, size = sizes{ "weibull", scale = @0.02@, shape = @4@ },
  method = "lattice", count = @8@ }
body{ name = "lid", shape = box{ size = {@0.2@, 0.2, 0.02} }, position = {0, 0, @0.12@} }
sensor{ name = "load", body = "lid", window = @0.001@, every = @2@, from = @0@ }
measure{ name = "bed", region = { min = {@-0.1@, -0.1, 0}, max = {0.1, 0.1, @0.1@} }, window = @0.001@, every = @2@, from = @0@ }
measure{ name = "floor", body = "ground", about = {@0@, 0, 0}, window = @0.002@ }
freeze{ body = "lid", at = @0@ }
release{ body = "lid", at = @0.001@ }
remove{ body = "lid", when = function(t, sensor) return t > @0.0015@ end, every = @0.0005@, at = @0@ }
""",
    "cells": """simulation{ step = @1e-4@, end_time = 0.002 }
gravity{ @0@, 0, @0@, frame = { @0@, 0, 0 } }
pair{ law = "hooke", friction = 0.5 }
cell{ size = {@0.06@, 0.06, @0.06@}, low = {@0@, 0, 0}, rate = { xy = @10@, zz = @-1@ } }
for i = 0, 63 do body{ shape = sphere{ radius = 0.007 },
  position = {@0.0075@ + 0.015 * (i % 4), 0.0075 + 0.015 * (i // 4 % 4), 0.0075 + 0.015 * (i // 16)} } end
servo{ cell = "x", stress = @1000@, gain = @0.5@, speed = @0.1@, reach = @1@, from = @0@, to = @1@ }
measure{ name = "all", region = "cell", window = @0.001@ }
sensor{ name = "s", region = "cell", quantity = "stress" }
""",
    "drives": """simulation{ step = @1e-4@, end_time = 0.002 }
material{ name = "m", density = 2500, young_modulus = 1e7 }
pair{ law = "hertz_mindlin", friction = 0.4, restitution = 0.5 }
ground{ material = "m" }
body{ name = "ball", shape = sphere{ radius = 0.01 }, position = {0, 0, 0.01}, groups = @1@, mask = @1@ }
body{ name = "press", kind = "moving", shape = box{ size = {0.1, 0.1, 0.01} }, position = {0, 0, 0.0251} }
servo{ body = "press", axis = {@0@, 0, @-1@}, stress = function(t) return @1000@ * t end, area = @0.01@, gain = @0.5@,
  speed = @0.1@, reach = @1@ }
body{ name = "arm", shape = box{ size = {0.1, 0.1, 0.1} }, position = {1, 0, 1} }
joint{ name = "j", kind = "hinge", bodies = {"arm"}, at = {@1@, 0, @1.1@}, axis = {@0@, 1, @0@}, range = {@-1@, @1@},
  motor = { position = @0.5@, stiffness = @10@, damping = @1@, limit = @100@ }, friction = @0.1@, force = @0@,
  spring = { stiffness = @1@, damping = @1@, rest = @0@ } }
load{ body = "arm", force = { @1@, 0, function(t) return @2@ end } }
connector{ bodies = {"arm", "ball"}, radii = {@0.1@, @0.2@}, law = "exudyn_sphere", contact_stiffness = @1e4@ }
sensor{ name = "e", joint = "j", quantity = "effort" }
""",
}
BAD = ["0/0", "1/0", "-1/0", "1e308", "-1e308", "1e-308", "5e-324", "0", "-1", "1e17", "2^53", "0.5", "{}", "'7'"]


def run(folder, text):
    folder.write("bad.lua", text)
    return folder.cairn("run", "bad.lua", "-q", "-o", "r", "--trajectory-every", "0", "--paraview-every", "0",
                        "--scene-time-limit", "30", timeout=60)


def check_every_number():
    """Each number once, by one of the bad values in turn, so that every value meets many keys."""
    with Folder() as folder:
        turn = 0
        for name, scene in SCENES.items():
            parts = re.split("@([^@]*)@", scene)
            check_status(run(folder, "".join(parts)), 0, f"{name} as it is")
            for k in range(1, len(parts), 2):
                bad = BAD[turn % len(BAD)]
                turn += 1
                result = run(folder, "".join(parts[:k] + [f"({bad})" if bad[0] not in "{'" else bad] + parts[k + 1:]))
                what = f"{name}: {parts[k - 1][-20:]!r} {bad}"
                check(result.status in (0, 1, 3), f"{what}: status {result.status}", result)
                errors = [line for line in result.err.splitlines() if "error: " in line]
                check(len(errors) == (result.status != 0), f"{what}: {len(errors)} errors", result)
                if result.status == 3:
                    check(re.search(r"bad\.lua:\d+: ", result.err) is not None, f"{what}: the line is not named", result)
                if result.status == 0:
                    check(not re.search(r"\b(nan|inf)\b", folder.read("r/energy.csv")), f"{what}: energy.csv", result)


def check_empty_start():
    """A world that begins without bodies and energy runs: what comes brings its energy, and round-off is no explosion."""
    with Folder() as folder:
        for seed in range(4):
            for outlet in ("", "outlet{ region = { min = {-1, -1, -1}, max = {1, 1, 2} } }"):
                folder.write("pour.lua", f"""simulation{{ step = 1e-3, end_time = 0.1 }}
pair{{ friction = 0.4 }}
emitter{{ region = {{ min = {{0, 0, 0.3}}, max = {{1, 1, 1}} }}, rate = 300, shape = box{{ size = {{0.05, 0.04, 0.03}} }},
         seed = {seed} }}
{outlet}
""")
                check_status(folder.cairn("run", "pour.lua", "-q", "-o", "r"), 0, f"boxes into an empty world, seed {seed} {outlet}")
        # grains at rest in a straining cell have the rate's round-off for their motion
        scene = re.sub("@([^@]*)@", r"\1", SCENES["cells"]).replace("low = {0, 0, 0}", "low = {-1, 0, 0}")
        check("low = {-1" in scene, "the cell is moved")
        check_status(run(folder, scene.replace("end_time = 0.002", "end_time = 0.004")), 0, "a cell that begins elsewhere")


def check_held_start():
    """Grains at rest that a stress holds: what the tolerance leaves of the first step's impulses is no explosion."""
    with Folder() as folder:
        folder.write("held.lua", """simulation{ step = 2e-3, end_time = 0.02 }
gravity{ 0, 0, 0 }
pair{ law = "signorini_coulomb", friction = 0.5, restitution = 0 }
local n, a = 3, math.sqrt(2) * 0.01
cell{ size = { n * a, n * a, n * a } }
for x = 0, 2 * n - 1 do for y = 0, 2 * n - 1 do for z = 0, 2 * n - 1 do
  if (x + y + z) % 2 == 0 then
    body{ shape = sphere{ radius = 5.003e-3 }, position = { 0.5 * a * x, 0.5 * a * y, 0.5 * a * z } }
  end
end end end
for _, axis in ipairs{ "x", "y", "z" } do servo{ cell = axis, stress = 1000, speed = 3 } end
""")
        for tolerance in ("1e-6", "1e-8"):
            check_status(folder.cairn("run", "held.lua", "-q", "-o", "r", "--tolerance", tolerance), 0,
                         f"a cell that holds grains at rest, tolerance {tolerance}")


def check_overlapping_start():
    """Springs that are compressed at the start drive bodies apart: that energy was there, and is no explosion."""
    stiffness, overlap = 1e5, 1e-3
    with Folder() as folder:
        for shape in ("sphere{ radius = 0.01 }", "box{ size = {0.02, 0.02, 0.02} }"):
            folder.write("spring.lua", f"""simulation{{ step = 5e-6, end_time = 0.02 }}
gravity{{ 0, 0, 0 }}
pair{{ law = "hooke", normal_stiffness = {stiffness}, restitution = 1 }}
body{{ shape = {shape}, position = {{0, 0, 0}} }}
body{{ shape = {shape}, position = {{{0.02 - overlap}, 0, 0}} }}
""")
            result = folder.cairn("run", "spring.lua", "-q", "-o", "r")
            check_status(result, 0, f"{shape}: two that overlap at rest")
            rows = folder.read("r/energy.csv").splitlines()
            last = dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))
            contacts = 1 if "sphere" in shape else 4
            check(abs(last["kinetic [J]"] - contacts * 0.5 * stiffness * overlap**2) < 1e-2 * last["kinetic [J]"],
                  f"{shape}: {last['kinetic [J]']} J of {contacts} springs")


def check_attracting_start():
    """Bodies that touch and attract each other draw together: what adhesion gives was there, and is no explosion."""
    with Folder() as folder:
        for adhesion in ("jkr", "dmt", "capillary"):
            folder.write("draw.lua", f"""simulation{{ step = 2.5e-6, end_time = 0.01 }}
gravity{{ 0, 0, 0 }}
material{{ name = "glass", density = 2500 }}
pair{{ law = "adhesive", adhesion = "{adhesion}", young_modulus = 1e7, restitution = 0.5 }}
body{{ kind = "fixed", shape = sphere{{ radius = 1e-3 }}, material = "glass", position = {{0, 0, 0}} }}
body{{ shape = sphere{{ radius = 1e-3 }}, material = "glass", position = {{0, 0, 1.999999e-3}} }}
""")
            result = folder.cairn("run", "draw.lua", "-q", "-o", "r")
            check_status(result, 0, f"{adhesion}: two that touch at rest")
            rows = folder.read("r/energy.csv").splitlines()
            last = dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))
            check(last["elastic [J]"] < 0.0, f"{adhesion}: {last['elastic [J]']} J are stored")


def check_sizes():
    with Folder() as folder:
        text = "pair{ law = 'hooke' }\n"
        cases = {
            "huge region": ("packing{ region = { min = {0, 0, 0}, max = {1e308, 1, 1} }, size = 0.1, method = 'lattice', count = 2 }", None),
            "infinite region": ("packing{ region = { min = {0, 0, 0}, max = {1e200, 1e200, 1} }, size = 0.1, method = 'lattice' , count = 2 }",
                                "a region has a volume of inf m3"),
            "thin region": ("measure{ name = 'a', region = { min = {0, 0, 0}, max = {1, 1, 5e-324} } }", "a region has a volume of 4.9"),
            "too many grains": ("packing{ region = { from = {0, 0, 0}, to = {0, 0, 1e9}, radius = 0.05 }, size = 0.01, porosity = 0.5 }",
                                "at least 7.5e[+]12 grains would fill its region"),
            "no volume": ("cell{ size = {1e-200, 1e-200, 1} }", "the cell of 1e-200 x 1e-200 x 1 m has a volume of 0 m3"),
            "infinite volume": ("cell{ size = {1e200, 1e200, 1} }", "has a volume of inf m3"),
        }
        for name, (line, message) in cases.items():
            folder.write("bad.lua", text + line)
            result = folder.cairn("run", "bad.lua", "-q", "-o", "r", "--until", "0.001")
            if message is None:
                check(result.status in (0, 3), f"{name}: status {result.status}", result)
            else:
                check_error(result, 3, r"bad\.lua:2: .*" + message, name)


def main():
    check_empty_start()
    check_held_start()
    check_overlapping_start()
    check_attracting_start()
    check_sizes()
    check_every_number()
    finish()


main()
