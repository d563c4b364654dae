# SPDX-License-Identifier: Apache-2.0
# Regions that follow plates, what a scene measures as a whole, and what happens when a quantity reaches a value.
"""usage: test_quantities.py PROGRAM ROOT"""
import csv
import io
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

L, H, D, COUNT = 0.05, 0.05, 0.01, 120
OEDOMETER = f"""simulation{{ step = 2e-5, end_time = param("time", 0.4) }}
output{{ energy_every = 50 }}
gravity{{ 0, 0, 0 }}
material{{ name = "sand", density = 2600 }}
pair{{ law = "hooke", normal_stiffness = 2e4, friction = 0.3, restitution = 0.3 }}
local L, H = {L}, {H}
body{{ name = "floor", kind = "fixed", shape = box{{ size = {{2 * L, 2 * L, 0.02}} }}, position = {{L / 2, L / 2, -0.01}} }}
for k = 1, 4 do
  local x, y = math.floor(math.cos(k * math.pi / 2) + 0.5), math.floor(math.sin(k * math.pi / 2) + 0.5)
  body{{ kind = "fixed", shape = box{{ size = {{0.02 + 2 * L * y * y, 0.02 + 2 * L * x * x, 4 * H}} }},
        position = {{L / 2 + x * (L / 2 + 0.01), L / 2 + y * (L / 2 + 0.01), H}} }}
end
body{{ name = "piston", kind = "moving", shape = box{{ size = {{L, L, 0.02}} }}, position = {{L / 2, L / 2, H + 0.01}},
      velocity = {{0, 0, -0.1}} }}
packing{{ region = {{ min = {{0, 0, 0}}, max = {{L, L, H}} }}, size = {D}, count = {COUNT}, method = "growth", material = "sand" }}
local sample = {{ min = {{0, 0, 0}}, max = {{L, L, H}}, follow = {{ zmin = "floor", zmax = "piston" }} }}
measure{{ name = "sample", region = sample }}
measure{{ name = "mean", region = sample, window = 0.01 }}
sensor{{ name = "e", region = sample, quantity = "void_ratio" }}
sensor{{ name = "top", region = {{ min = {{0, 0, H - 0.01}}, max = {{L, L, H}}, follow = "piston" }}, quantity = "mass" }}
sensor{{ name = "at", body = "piston", quantity = "position" }}
sensor{{ name = "push", body = "piston" }}
sensor{{ name = "calm", quantity = "unbalanced_force" }}
sensor{{ name = "touches", quantity = "contacts" }}
sensor{{ name = "moving", quantity = "kinetic_energy" }}
change{{ body = "piston", velocity = {{0, 0, 0.1}}, every = 2e-5,
  when = function(t, sensor) local x, y, z = sensor("push") return z / L^2 > param_stress end }}
stop{{ name = "let go", every = 2e-5, at = 0.01,
  when = function(t, sensor) local x, y, z = sensor("push") return sensor("sample void_ratio") > 0.995 and z == 0 end }}
""".replace("param_stress", "20000")


def table(folder, path):
    return list(csv.DictReader(io.StringIO(folder.read(path))))


def check_oedometer():
    """The void ratio between plates is that of all grains in the box that is left; the piston turns at a stress, and the
    run ends when it has let go. The same bits after a restart before and behind the turn."""
    with Folder() as folder:
        folder.write("a.lua", OEDOMETER)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "oedometer")
        said = load(folder.read("r/summary.json"))
        check(said["stop"] == "let go" and 0.03 < said["time"] < 0.1, f"stop: {said['stop']} at {said['time']}")
        check("stopped by   let go" in folder.read("r/summary.txt"), "the table names the stop")
        solid = COUNT * math.pi / 6 * D**3
        rows, measures = table(folder, "r/sensors.csv"), [m for m in table(folder, "r/measures.csv") if m["sample void_ratio"]]
        lowest = min(float(row["at position z [m]"]) for row in rows)
        for row, measure in zip(rows, measures):
            height = float(row["at position z [m]"]) - 0.01
            # grains may reach a little into plates and walls
            check(abs(float(row["e void_ratio"]) - (L * L * height / solid - 1)) < 2e-3, f"void ratio at {row['time [s]']}")
            check(row["e void_ratio"] == measure["sample void_ratio"] and row["step"] == measure["step"], "sensor and measure")
            bearing, all_, rattlers = (float(measure[f"sample {name}"]) for name in ("bearing_coordination", "coordination", "rattlers"))
            check(bearing == 0 or bearing >= 2, f"bearing: {bearing}")
            check(bearing * (COUNT - rattlers) <= all_ * COUNT + 1e-9, "rattlers have at most one contact")
        check(max(float(row["push force z [N]"]) for row in rows) < 20000 * L**2 * 1.5, "the piston turns")
        check(lowest < float(rows[-1]["at position z [m]"]) - 1e-4, "and goes back")
        check(float(rows[-1]["push force z [N]"]) == 0 and int(rows[-1]["step"]) == said["steps"], "until it lets go")
        check(any(float(row["calm unbalanced_force"]) > 0 for row in rows) and
              any(float(row["touches contacts"]) > 50 for row in rows), "quantities of the world")
        bodies = table(folder, "r/bodies.csv")
        check([(b["material"], b["shape"]) for b in (bodies[0], bodies[-1])] == [("sand", "box"), ("sand", "sphere")], "species")
        turn = min(rows, key=lambda row: float(row["at position z [m]"]))
        for part in (0.5, 0.5 + 0.5 * said["time"] / float(turn["time [s]"])):
            check_status(folder.cairn("run", "a.lua", "--out", f"first{part}", "--quiet", "--threads", "2", "--checkpoint-steps", "100",
                                      "--checkpoint-keep", "1", "--until", repr(part * float(turn["time [s]"]))), 0, "first part")
            check_status(folder.cairn("run", "a.lua", "--out", f"second{part}", "--quiet", "--restart", f"first{part}/checkpoint.h5"), 0, "second")
            later = load(folder.read(f"second{part}/summary.json"))
            check((later["state_hash"], later["stop"]) == (said["state_hash"], "let go"), f"restart at {part}")


def check_bonds():
    """A chain that is torn: its bonds are counted, and the last one ends the run."""
    text = """simulation{ step = 1e-5, end_time = 0.2 }
gravity{ 0, 0, 0 }
pair{ law = "parallel_bond", normal_stiffness = 1e5, bond_normal_stiffness = 1e9, bond_shear_stiffness = 1e9,
      tensile_strength = 1e5, shear_strength = 1e6, bonds = "initial" }
for i = 0, 4 do
  body{ name = "g" .. i, kind = (i == 0 or i == 4) and "moving" or "dynamic", shape = sphere{ radius = 0.01 },
        position = {0.02 * i, 0, 0}, velocity = {i == 4 and 0.01 or 0, 0, 0} }
end
sensor{ name = "whole", quantity = "bonds" }
stop{ name = "torn", every = 1e-5, when = function(t, sensor) return sensor("whole") < 4 end, at = 1e-4 }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "bonds")
        rows = table(folder, "r/sensors.csv")
        check(float(rows[1]["whole bonds"]) == 4 and float(rows[-1]["whole bonds"]) == 3, f"bonds: {rows[-1]}")
        check(load(folder.read("r/summary.json"))["stop"] == "torn", "torn")


def check_calm():
    """What falls and touches nothing is not at rest; without gravity nothing is unbalanced."""
    text = """simulation{ step = 1e-3, end_time = 0.05 }
gravity{ 0, 0, %s }
ground{}
for i = 1, 3 do body{ shape = sphere{ radius = 0.1 }, position = {i, 0, 1} } end
sensor{ name = "calm", quantity = "unbalanced_force" }
stop{ name = "rest", every = 1e-3, at = 0.01, when = function(t, sensor) return sensor("calm") < 0.5 end }
"""
    with Folder() as folder:
        for gravity, value, stop in (("-9.81", 1.0, ""), ("0", 0.0, "rest")):
            folder.write("a.lua", text % gravity)
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "calm")
            check(abs(float(table(folder, "r/sensors.csv")[-1]["calm unbalanced_force"]) - value) < 1e-12, "unbalanced force")
            check(load(folder.read("r/summary.json"))["stop"] == stop, f"at rest: {gravity}")


def check_sweep():
    """Measures are in the table: the last value that a column has, or the mean from a time on."""
    with Folder() as folder:
        folder.write("a.lua", OEDOMETER)
        for arguments, end in (((), 0.05), (("--average-from", "0.02"), 0.05)):
            out = "s" + str(len(arguments))
            check_status(folder.cairn("sweep", "a.lua", "--vary", f"time={end}", "-o", out, *arguments), 0, "sweep")
            row, = table(folder, out + "/table.csv")
            folder_of_row = os.path.join(out, "rows", folder.list(out + "/rows")[0])
            for name in ("sample void_ratio", "mean stress zz [Pa]", "e void_ratio"):
                values = [(float(m["time [s]"]), float(m[name]))
                          for m in table(folder, f"{folder_of_row}/{'sensors' if name[0] == 'e' else 'measures'}.csv") if m[name]]
                late = [value for time, value in values if time >= 0.02]
                check(abs(float(row[name]) - (sum(late) / len(late) if arguments else values[-1][1])) <= 1e-9 * abs(float(row[name])), name)


BAD = {
    "follow": ('emitter{ shape = sphere{ radius = 0.1 }, rate = 1, region = { min = {0,0,0}, max = {1,1,1}, follow = "ground" } }',
               r"bad\.lua:2: .*only regions of measures and sensors"),
    "face": ('measure{ name = "a", region = { min = {0,0,0}, max = {1,1,1}, follow = { top = "ground" } } }', r"bad\.lua:2: .*top"),
    "ball": ('measure{ name = "a", region = { centre = {0,0,0}, radius = 1, follow = { zmax = "ground" } } }',
             r"bad\.lua:2: .*follow is the name"),
    "body": ('measure{ name = "a", region = { min = {0,0,0}, max = {1,1,1}, follow = "piston" } }', r'bad\.lua:2: .*"piston"'),
    "world": ('sensor{ name = "a", body = "ground", quantity = "bonds" }', r'bad\.lua:2: .*goes without "body"'),
    "change": ('change{ body = "ground", at = 1 }', r"bad\.lua:2: .*give velocity"),
    "stop": ('stop{}', r"bad\.lua:2: stop: give at, a time, or when"),
}


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", "ground{}\n" + text + "\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)
    with Folder() as folder:
        folder.write("a.lua", 'simulation{ end_time = 1 }\nground{}\nstop{ when = function(t, sensor) return sensor("nothing") > 1 end }\n')
        check_error(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 1, r'no sensor "nothing"', "unknown quantity")


check_oedometer()
check_bonds()
check_calm()
check_sweep()
check_bad()
finish()
