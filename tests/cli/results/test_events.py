# SPDX-License-Identifier: Apache-2.0
# Bodies that are removed, frozen and released, and pairs that change, at a time or when a condition on sensors holds; restart,
# threads, audit.
"""usage: test_events.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

REGION = "region = { min = {-0.11, -0.11, 0}, max = {0.11, 0.11, 0.2} }"
# a bed that is frozen while it falls, released, and loses half of itself when it presses hard enough
BED = f"""simulation{{ step = 2e-5, end_time = 0.16 }}
pair{{ law = "%s", friction = 0.3%s }}
ground{{}}
for k, axis in ipairs{{ {{1, 0}}, {{-1, 0}}, {{0, 1}}, {{0, -1}} }} do
  body{{ kind = "fixed", shape = box{{ size = {{0.02 + 0.18 * math.abs(axis[2]), 0.02 + 0.18 * math.abs(axis[1]), 0.3}} }},
        position = {{0.11 * axis[1], 0.11 * axis[2], 0.15}} }}
end
packing{{ region = {{ min = {{-0.1, -0.1, 0}}, max = {{0.1, 0.1, 0.1}} }}, %s, count = 200, method = "random" }}
body{{ name = "block", shape = box{{ size = {{0.05, 0.04, 0.03}} }}, position = {{0, 0, 0.13}}, orientation = {{0.9, 0.3, 0.1, 0}} }}
sensor{{ name = "weight", body = "ground" }}
freeze{{ {REGION}, at = 0.05 }}
release{{ {REGION}, at = 0.07 }}
freeze{{ body = "block", at = 0.08 }}
release{{ bodies = {{ "block" }}, when = function(t, sensor) return t > 0.085 and sensor("block") > 0.02 end, every = 1e-3 }}
sensor{{ name = "block", body = "block", quantity = "position" }}
remove{{ region = {{ min = {{0, -1, -1}}, max = {{1, 1, 1}} }}, every = 2e-5, at = 0.1,
  when = function(t, sensor) local x, y, z = sensor("weight") return z < -9 or t > 0.13 end }}
"""
LAWS = {"hooke": (', restitution = 0.5, normal_stiffness = 1e4', 'size = 0.02'),
        "spring_dashpot": (', spring = 1e4, dashpot = 1', 'size = 0.02'),
        "hertz_mindlin": (', restitution = 0.5, young_modulus = 1e7', 'grains = { { size = 0.018 }, { shape = capsule{ radius = 0.007, length = 0.01 } } }')}

BAD = {
    "none": ("freeze{ at = 1 }", r"bad\.lua:2: freeze: give one of body = .* and region"),
    "change": ("change{ at = 1 }", r"bad\.lua:2: change: give one of body = .* and pair"),
    "no time": ('freeze{ body = "a" }', r"bad\.lua:2: freeze: give at, a time, or when"),
    "every": ('release{ body = "a", at = 1, every = 2 }', r"bad\.lua:2: release: .*every goes with when"),
    "when": ('remove{ body = "a", when = 3 }', r"bad\.lua:2: remove: when must be a function .*not number"),
    "body": ('freeze{ body = "b", at = 0 }', r'bad\.lua:2: .*"b"'),
}
LATE = {
    "fixed": ('freeze{ body = "floor", at = 0 }', r'freeze of floor at t = 0 s: body "floor" is fixed'),
    "twice": ('freeze{ body = "a", at = 0 } freeze{ body = "a", at = 0.1 }', r'body "a" is frozen'),
    "release": ('release{ body = "a", at = 0.1 }', r'release of a at t = 0\.1 s: body "a" is dynamic: it was not frozen'),
    "joint": ('joint{ kind = "ball", bodies = {"a"}, at = {0,0,1} } freeze{ body = "a", at = 0 }', r'body "a" has joints'),
    "answer": ('remove{ body = "a", when = function(t) return 1 end }', r'must return true or false, not number'),
    "sensor": ('remove{ body = "a", when = function(t, s) return s("x") > 1 end }', r'there is no sensor "x"'),
}


def column(folder, name, file="r/sensors.csv"):
    head, *lines = folder.read(file).splitlines()
    at = head.split(",").index(name)
    return [(float(line.split(",")[1]), float(line.split(",")[at])) for line in lines]


def check_audit(folder, law):
    """Neither the steps in which bodies are frozen, released and removed nor any other make or lose energy: what
    remains of a step is that of the time step."""
    check_status(folder.cairn("run", "a.lua", "--out", "e", "--quiet", "--paraview-every", "0", "--trajectory-every", "0",
                              "--energy-every", "1"), 0, law)
    residual = [float(line.split(",")[-1]) for line in folder.read("e/energy.csv").splitlines()[1:]]
    jumps = [abs(b - a) for a, b in zip(residual, residual[1:])]
    other = max(jump for i, jump in enumerate(jumps) if i not in (2500, 3500, 4000))
    for step in (2500, 3500, 4000):
        check(jumps[step] <= other, f"{law}: {jumps[step]} J come in step {step + 1}, otherwise {other} J at most")
    check(max(map(abs, residual)) < 1e-4, f"{law}: residual {max(map(abs, residual))} J")


def check_bed(law):
    """Nothing moves while it is frozen, energy closes, and a restart anywhere has the same bits, for other threads."""
    with Folder() as folder:
        folder.write("a.lua", BED % (law, *LAWS[law]))
        quiet = ("--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--energy-every", "50")
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--hash", "hash", *quiet), 0, law)
        energy = dict(zip(folder.read("r/energy.csv").splitlines()[0].split(","),
                          zip(*(map(float, line.split(",")) for line in folder.read("r/energy.csv").splitlines()[1:]))))
        kinetic = [e for t, e in zip(energy["time [s]"], energy["kinetic [J]"]) if 0.051 < t < 0.0699]
        check(len(kinetic) > 10 and max(kinetic) == 0.0, f"{law}: frozen bodies have {max(kinetic)} J")
        kinetic = [e for t, e in zip(energy["time [s]"], energy["kinetic [J]"]) if t > 0.075]
        check(max(kinetic) > 1e-5, f"{law}: released bodies do not move")
        block = column(folder, "block position z [m]")
        held = [z for t, z in block if 0.081 < t < 0.085]
        check(len(held) > 2 and min(held) == max(held), f"{law}: the block moves while it is frozen")
        check(block[-1][1] < held[0] - 1e-3 or math.isnan(block[-1][1]), f"{law}: the block is not released")
        said = load(folder.read("r/summary.json"))
        check(20 < said["bodies"] < 180, f"{law}: {said['bodies']} bodies are left")
        check_audit(folder, law)
        hashes = dict(line.split(",") for line in folder.read("hash").splitlines())
        for until, threads in ((0.0401, "2"), (0.06, "3"), (0.0823, "1"), (0.1, "2"), (0.1237, "1")):
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--until", str(until), *quiet), 0, law)
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--restart", "p/checkpoint.h5", "--threads", threads,
                                      "--hash", f"h{until}", *quiet), 0, f"{law}: rest from {until}")
            rest = dict(line.split(",") for line in folder.read(f"h{until}").splitlines())
            wrong = [k for k in rest if rest[k] != hashes[k]]
            check(len(rest) > 500 and not wrong, f"{law}: from {until} s other bits at step {wrong[:1]} of {len(rest)}")


def check_solved():
    """A stack under cone laws: the frozen middle carries what lies on it, and falls when it is released."""
    text = """simulation{ step = 2e-3, end_time = 1 }
pair{ friction = 0.5 }
ground{}
for i = 1, 3 do body{ name = "b" .. i, shape = box{ size = {0.2, 0.2, 0.1} }, mass = 1, position = {0, 0, 0.1 * i + (i > 1 and 0.15 or -0.05)} } end
freeze{ body = "b2", at = 0 }
release{ body = "b2", at = 0.5 }
sensor{ name = "load", body = "b2" }
sensor{ name = "floor", body = "ground" }
sensor{ name = "z", body = "b2", quantity = "position" }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--hash", "hash"), 0, "solved")
        load_z, floor, z = (column(folder, f"{k} z [{u}]") for k, u in (("load force", "N"), ("floor force", "N"), ("z position", "m")))
        for t, force in load_z:
            if 0.3 < t < 0.5:
                check(abs(force + 9.81) < 1e-6, f"load {force} at {t}")
        check(all(place == 0.35 for t, place in z if t <= 0.5), "the frozen block moves")
        check(abs(floor[-1][1] + 3 * 9.81) < 1e-4 and abs(z[-1][1] - 0.15) < 1e-3, f"at the end {floor[-1]} {z[-1]}")
        check_status(folder.cairn("run", "a.lua", "--out", "p", "--quiet", "--until", "0.25"), 0, "part")
        check_status(folder.cairn("run", "a.lua", "--out", "p", "--quiet", "--restart", "p/checkpoint.h5"), 0, "rest")
        one, two = (load(folder.read(name + "/summary.json"))["state_hash"] for name in ("r", "p"))
        check(one == two, "solved: state after a restart while frozen")


# a slope of 30 degrees on which a block stays until its friction falls, and a ball rolls until it has none
SLOPE = """simulation{ step = %s, end_time = 0.6, tolerance = 1e-10 }
gravity{ 9.81 * math.sin(math.pi / 6), 0, -9.81 * math.cos(math.pi / 6) }
material{ name = "rock", density = 2000 } material{ name = "brick", density = 2000 }
pair{ law = "%s", friction = 0.8%s }
ground{ material = "rock" }
%s
sensor{ name = "block", body = "block", quantity = "%s" }
change{ pair = {"brick", "rock"}, friction = %s, %s }
"""
BLOCK = 'body{ name = "block", shape = box{ size = {0.4, 0.4, 0.1} }, material = "brick", position = {0, 0, 0.05} }'
BALL = 'body{ name = "block", shape = sphere{ radius = 0.05 }, material = "brick", position = {0, 0, 0.05 - 1e-5} }'


def check_slope():
    """A block under the rigid law goes 1/2 a t^2 from the time on, with a = g (sin - mu cos); a ball that the kernel moves rolls
    with 5/7 of g sin and then slides with all of it."""
    sine, cosine, g = math.sin(math.pi / 6), math.cos(math.pi / 6), 9.81
    for when in ("at = 0.2", "every = 0.01, at = 0.1, when = function(t, sensor) return t > 0.1999 and sensor('block') < 1e-6 end"):
        with Folder() as folder:
            folder.write("a.lua", SLOPE % ("0.005", "signorini_coulomb", "", BLOCK, "position", "0.3", when))
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--energy-every", "1"), 0, "slope")
            way = column(folder, "block position x [m]")
            a = g * (sine - 0.3 * cosine)
            for t, x in way:
                wanted = 0.5 * a * max(t - 0.2, 0.0) ** 2
                check(abs(x - wanted) < 1e-7, f"slope, {when}: {x} m at {t} s, not {wanted}")
            residual = max(abs(r) for t, r in column(folder, "residual [J]", "r/energy.csv"))
            check(residual < 1e-6, f"slope: residual {residual} J")
    with Folder() as folder:
        folder.write("a.lua", SLOPE % ("1e-5", "hooke", ", normal_stiffness = 1e6, restitution = 0.5", BALL, "velocity", "0", "at = 0.2"))
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--energy-every", "1000"), 0, "ball")
        for t, v in column(folder, "block velocity x [m/s]"):
            wanted = g * sine * (5 / 7 * min(t, 0.2) + max(t - 0.2, 0.0))
            check(abs(v - wanted) < 2e-3 * max(wanted, 0.1), f"ball: {v} m/s at {t} s, not {wanted}")


# grains that a kernel moves, whose friction, rolling resistance and restitution change, once more and back
CHANGES = """simulation{ step = 2e-5, end_time = 0.06 }
material{ name = "sand", density = 2500 } material{ name = "steel", density = 7800 }
pair{ law = "%s", friction = 0.3, restitution = 0.5%s }
pair{ "sand", "steel", law = "%s", friction = 0.6%s }
ground{ material = "steel" }
packing{ region = { min = {-0.05, -0.05, 0}, max = {0.05, 0.05, 0.1} }, size = 0.01, count = 250, method = "random", material = "sand" }
body{ name = "block", shape = box{ size = {0.05, 0.04, 0.03} }, position = {0, 0, 0.13}, material = "steel" }
sensor{ name = "weight", body = "ground" }
change{ pair = {"sand", "steel"}, friction = 0.05, at = 0.03 }
change{ pair = {}, rolling_friction = 0.2, at = 0.02 }
change{ pair = {"sand", "steel"}, friction = 0.9, restitution = 0.1, every = 1e-3, at = 0.035,
  when = function(t, sensor) local x, y, z = sensor("weight") return z < -0.1 or t > 0.045 end }
"""
CHANGED_LAWS = {"hooke": ", normal_stiffness = 1e4", "hertz_mindlin": ", young_modulus = 1e7"}


def check_changes(law):
    """A restart before, between and behind the changes has the bits of a run in one go; and they do something."""
    with Folder() as folder:
        text = CHANGES % (law, CHANGED_LAWS[law], law, CHANGED_LAWS[law])
        folder.write("a.lua", text)
        folder.write("b.lua", "\n".join(line for line in text.splitlines() if not line.startswith(("change", "  when"))))
        quiet = ("--quiet", "--paraview-every", "0", "--trajectory-every", "0", "--energy-every", "50")
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--hash", "hash", *quiet), 0, law)
        check_status(folder.cairn("run", "b.lua", "--out", "b", *quiet), 0, law)
        hashes = dict(line.split(",") for line in folder.read("hash").splitlines())
        check(folder.read("r/bodies.csv") != folder.read("b/bodies.csv"), f"{law}: the changes do nothing")
        for until, threads in ((0.01, "2"), (0.025, "3"), (0.0352, "1"), (0.05, "2")):
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--until", str(until), *quiet), 0, law)
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--restart", "p/checkpoint.h5", "--threads", threads,
                                      "--hash", f"h{until}", *quiet), 0, f"{law}: rest from {until}")
            rest = dict(line.split(",") for line in folder.read(f"h{until}").splitlines())
            wrong = [k for k in rest if rest[k] != hashes[k]]
            check(len(rest) > 100 and not wrong, f"{law}: changes: from {until} s other bits at step {wrong[:1]} of {len(rest)}")
        # a scene that begins with another friction is another scene, also behind the change
        folder.write("a.lua", text.replace("friction = 0.6", "friction = 0.7"))
        check_error(folder.cairn("run", "a.lua", "--out", "p", "--restart", "p/checkpoint.h5", "--quiet"), 3,
                    "other materials or contact laws", "another friction")


BAD_CHANGES = {
    "material": ('change{ pair = {"default", "sand"}, friction = 0.1, at = 1 }', r"bad\.lua:2: .*\"sand\""),
    "one": ('change{ pair = {"default"}, friction = 0.1, at = 1 }', r"bad\.lua:2: .*two materials"),
    "parameter": ('change{ pair = {}, fricton = 0.1, at = 1 }', r"bad\.lua:2: .*fricton.*friction"),
    "range": ('change{ pair = {}, friction = -1, at = 1 }', r"bad\.lua:2: .*friction = -1"),
    "nothing": ('change{ pair = {}, at = 1 }', r"bad\.lua:2: give parameters of the pair"),
    "time": ('change{ pair = {}, friction = 0.1 }', r"bad\.lua:2: change: give at, a time, or when"),
    "body": ('change{ pair = {}, body = "a", friction = 0.1, at = 1 }', r"bad\.lua:2: change: give a pair or a body"),
    "word": ('pair{ law = "hooke", attraction = true } change{ pair = {}, attraction = 1, at = 1 }', r"bad\.lua:2: .*attraction"),
    "stiffness": ('pair{ law = "hooke" } change{ pair = {}, normal_stiffness = 1e7, at = 1 }', r"bad\.lua:2: normal_stiffness .*how stiff"),
    "law": ('change{ pair = {}, friction = 0.1, at = 1 } pair{ law = "hooke" }', r"bad\.lua:2: laws of pairs are given before events"),
}


def check_bad():
    for cases, status in ((BAD, 3), (BAD_CHANGES, 3), (LATE, 1)):
        for name, (text, pattern) in cases.items():
            with Folder() as folder:
                folder.write("bad.lua", "simulation{ end_time = 1 } ground{ name = 'floor' } body{ name = 'a', shape = sphere{ radius = 0.1 }, position = {0,0,1} }\n"
                             + text + "\n")
                check_error(folder.cairn("run", "bad.lua", "--out", "r", "--quiet"), status, pattern, name)


for law in LAWS:
    check_bed(law)
check_solved()
check_slope()
for law in CHANGED_LAWS:
    check_changes(law)
check_bad()
finish()
