# SPDX-License-Identifier: Apache-2.0
# Bodies whose velocity is prescribed and changes: what their drivers deliver and the dashpots take is booked.
"""usage: test_shaken.py PROGRAM ROOT"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish

LAWS = {"hooke": "normal_stiffness = 1e5, restitution = 0.5, friction = 0.3, rolling_friction = 0.1",
        "hertz_mindlin": "restitution = 0.5, friction = 0.3",
        "spring_dashpot": "spring = 1e5, dashpot = 5, friction = 0.3",
        "signorini_coulomb": "friction = 0.3, restitution = 0.5, rolling_friction = 0.05"}
SHAPES = {"sphere": "sphere{ radius = 0.01 }", "box": "box{ size = {0.02, 0.02, 0.02} }",
          "compound": "compound{ { shape = sphere{ radius = 0.007 }, position = {-0.004, 0, 0} }, "
                      "{ shape = sphere{ radius = 0.007 }, position = {0.004, 0, 0} } }"}
LIDS = {"box": "box{ size = {0.1, 0.1, 0.01} }", "plane": "plane{}", "ball": "sphere{ radius = 0.05 }"}

# a body between the ground and a lid that goes up and down and never leaves it
SQUEEZED = """simulation{ step = %s, end_time = 0.1 }
gravity{ 0, 0, 0 }
material{ name = "m", density = 2500, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%s", %s }
ground{ material = "m" }
body{ shape = %s, material = "m", position = {0, 0, %s} }
body{ name = "lid", kind = "moving", shape = %s, material = "m", position = {0, 0, %s}, %s }
local w, a = 2 * math.pi * 50, 5e-5
motion{ body = "lid", velocity = function(t) return 0, 0, %s end }
output{ energy_every = 1000 }
"""
WAVE = "a * w * math.cos(w * t)"
JUMPS = "math.floor(t / 1e-5) % 2 == 0 and -0.1 or 0.1"  # another velocity in each step of 1e-5 s

# loose grains on a floor that shakes, or turns to and fro about an axis that is askew
TRAY = """simulation{ step = %s, end_time = 0.1, tolerance = 1e-10 }
material{ name = "m", density = 2500, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%s", %s }
for i = -1, 1 do for j = -1, 1 do
  body{ shape = %s, material = "m", position = {0.025 * i + 0.002 * j, 0.025 * j, 0.0105} }
end end
body{ name = "floor", kind = "moving", shape = box{ size = {0.2, 0.2, 0.01} }, material = "m", position = {0, 0, -0.005} }
local w = 2 * math.pi * 50
motion{ body = "floor", %s }
output{ energy_every = 1000 }
"""
MOTIONS = {"lift": "velocity = function(t) return 0, 0, 5e-4 * w * math.cos(w * t) end",
           "slide": "velocity = function(t) return 5e-4 * w * math.cos(w * t), 0, 0 end",
           "turn": "angular_velocity = function(t) return 0.01 * w * math.cos(w * t), 0, 0.05 * w * math.cos(w * t) end"}


def last_energies(scene, name):
    with Folder() as folder:
        folder.write("a.lua", scene)
        check_status(folder.cairn("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--out", "r"),
                     0, name)
        lines = folder.read("r/energy.csv").splitlines()
        heads = [head.split(" [")[0] for head in lines[0].split(",")]
        return dict(zip(heads, map(float, lines[-1].split(","))))


def squeezed(law, step, lid, velocity, shape="sphere"):
    place = {"box": ("0.0248", ""), "plane": ("0.0198", "rotation = { axis = {1, 0, 0}, angle = 180 }"),
             "ball": ("0.0698", "")}[lid]
    return SQUEEZED % (step, law, LAWS[law], SHAPES[shape], "0.0099", LIDS[lid], place[0], place[1], velocity)


def check_wave():
    """A lid that swings: what drivers deliver is what dashpots take, to second order in the step."""
    for law, shape, lid in (("hooke", "sphere", "box"), ("hooke", "sphere", "plane"), ("hooke", "sphere", "ball"),
                            ("spring_dashpot", "sphere", "box"), ("spring_dashpot", "box", "box"),
                            ("hertz_mindlin", "sphere", "plane"), ("hertz_mindlin", "box", "box")):
        off = []
        for step in ("1e-5", "2e-5"):
            name = f"wave: {law}, {shape}, {lid}, {step} s"
            e = last_energies(squeezed(law, step, lid, WAVE, shape), name)
            check(e["damping dissipation"] > 1e-7, f"{name}: dashpots took {e['damping dissipation']} J")
            off.append(abs(e["residual"]) / e["damping dissipation"])
        check(off[1] < 2e-4, f"wave: {law}, {shape}, {lid}: residual {off} of what dashpots took")


def check_jumps():
    """The second half of a step is booked at its own velocity, where the next step has another one."""
    for law in ("hooke", "hertz_mindlin", "spring_dashpot"):
        for lid in LIDS:
            name = f"jumps: {law}, {lid}"
            e = last_energies(squeezed(law, "1e-5", lid, JUMPS), name)
            check(e["damping dissipation"] > 1e-5, f"{name}: dashpots took {e['damping dissipation']} J")
            check(abs(e["residual"]) < 1e-3 * e["damping dissipation"],
                  f"{name}: residual {e['residual']} J of {e['damping dissipation']} J")


def check_tray():
    """Grains that are thrown, dragged and turned: rigid contacts to round-off, rolling friction too; the others to the step."""
    for law, values in LAWS.items():
        rigid = law == "signorini_coulomb"
        for shape in SHAPES:
            for motion, text in MOTIONS.items():
                name = f"tray: {law}, {shape}, {motion}"
                e = last_energies(TRAY % ("2e-4" if rigid else "1e-5", law, values, SHAPES[shape], text), name)
                work = abs(e["drivers"]) + e["friction dissipation"] + e["damping dissipation"] + e["impact dissipation"]
                check(work > 1e-4, f"{name}: {work} J changed their form")
                bound = 1e-7 if rigid else 2e-3
                check(abs(e["residual"]) < bound * work, f"{name}: residual {e['residual']} J of {work} J")


check_wave()
check_jumps()
check_tray()
finish()
