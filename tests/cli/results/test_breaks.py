# SPDX-License-Identifier: Apache-2.0
# Bonds that break: counted by a sensor, listed with time, bodies, place and what broke them, and shown in files for ParaView.
"""usage: test_breaks.py PROGRAM ROOT"""
import csv
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish
from same import check_same

# two glued balls of 10 cm, of which the upper one is moved against the lower one; the bond of 0.5 mm is far too weak for all of it
PAIR = """simulation{ step = 1e-5, end_time = 0.02 }
gravity{ 0, 0, 0 }
pair{ law = "parallel_bond", bond_radius_ratio = 0.01, %s }
local ball = sphere{ radius = 0.05 }
body{ name = "low", shape = ball, mass = 1e9, position = {0, 0, 0} }
body{ name = "high", kind = "moving", shape = ball, position = {0, 0, 0.1}, %s }
sensor{ name = "whole", quantity = "bonds" }
sensor{ name = "broken", quantity = "broken_bonds" }
"""
STRONG, WEAK = "1e20", "1e3"
# what moves the upper ball, the strength that is low, the distance (m) or angle to the break times the stiffness of its stress
CASES = {
    "tension": (f"tensile_strength = {WEAK}, shear_strength = {STRONG}", "velocity = {0, 0, 1e-4}", lambda t: 1e9 * 1e-4 * t / 1e3),
    "shear": (f"tensile_strength = {STRONG}, shear_strength = {WEAK}", "velocity = {2e-4, 0, 0}", lambda t: 4e8 * 2e-4 * t / 1e3),
    "twisting": (f"tensile_strength = {STRONG}, shear_strength = {WEAK}", "angular_velocity = {0, 0, 0.5}", lambda t: 4e8 * 0.5 * t * 5e-4 / 1e3),
    "bending": (f"tensile_strength = {WEAK}, shear_strength = {STRONG}", "velocity = {0.05, 0, 0}, angular_velocity = {0, 0.5, 0}",
                None),
}


def rows_of(folder, name):
    return list(csv.DictReader(folder.read(name).splitlines()))


def check_causes():
    """One bond, one cause: at the time that the closed form of laws.md (7.13) says."""
    for cause, (strength, motion, stress) in CASES.items():
        with Folder() as folder:
            folder.write("a.lua", PAIR % (strength, motion))
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--energy-every", "1", "--paraview", "surfaces",
                                      "--paraview-every", "1000"), 0, cause)
            rows = rows_of(folder, "r/bonds.csv")
            check(len(rows) == 1, f"{cause}: {rows}")
            if len(rows) != 1:
                continue
            row = rows[0]
            check(row["cause"] == cause and {row["name a"], row["name b"]} == {"low", "high"}, f"{cause}: {row}")
            check(abs(float(row["point z [m]"]) - 0.05) < 1e-4, f"{cause}: at {row}")
            time = float(row["time [s]"])
            if stress is not None:
                check(abs(stress(time) - 1.0) < 0.01, f"{cause}: broke at {time} s, at {stress(time)} of the strength")
            for each in rows_of(folder, "r/sensors.csv"):
                t, whole, broken = (float(each[name]) for name in ("time [s]", "whole bonds", "broken broken_bonds"))
                if t > 0:
                    check((whole, broken) == ((1, 0) if t < time - 1e-9 else (0, 1)), f"{cause}: {whole} and {broken} at {t}, broke at {time}")
            last = folder.list("r/paraview")
            check(any("bodies" in name for name in last), f"{cause}: {last}")
            arrays = [read_arrays(folder, name) for name in last if re.match(r"(bodies|contacts)_.*vtp$", name)]
            check(any("broken_bonds" in each for each in arrays) and any("bond" in each for each in arrays), f"{cause}: {arrays}")


def read_arrays(folder, name):
    with open(os.path.join(folder.path, "r/paraview", name), "rb") as file:
        return [word.decode() for word in re.findall(rb'Name="([^"]*)"', file.read())]


# a block of glued grains that falls on the floor
BLOCK = """simulation{ step = 1e-5, end_time = 0.02 }
pair{ law = "parallel_bond", bonds = "initial", tensile_strength = 5e3, shear_strength = 5e3, normal_stiffness = 1e5 }
ground{}
local ball = sphere{ radius = 0.005 }
for i = 0, 215 do
  body{ name = "g" .. i, shape = ball, velocity = {3, 0, -4},
        position = {(i % 6) * 0.00999, (i // 6 % 6) * 0.00999, 0.006 + (i // 36) * 0.00999} }
end
sensor{ name = "whole", quantity = "bonds" }
sensor{ name = "broken", quantity = "broken_bonds" }
"""


def check_restart():
    """Bonds that were and that broke are as many as there were; a run that was cut has the same files."""
    with Folder() as folder:
        folder.write("a.lua", BLOCK)
        words = ("--quiet", "--energy-every", "20", "--paraview-every", "500", "--trajectory-every", "500")
        check_status(folder.cairn("run", "a.lua", "--out", "r", *words), 0, "block")
        sensors, bonds = rows_of(folder, "r/sensors.csv"), rows_of(folder, "r/bonds.csv")
        all_of = 3 * 5 * 36
        check(20 < len(bonds) <= all_of, f"{len(bonds)} bonds broke")
        for each in sensors[1:]:
            whole, broken = float(each["whole bonds"]), float(each["broken broken_bonds"])
            check(whole + broken == all_of, f"{whole} bonds and {broken} broken ones at {each['time [s]']} s of {all_of}")
            listed = sum(float(row["time [s]"]) <= float(each["time [s]"]) + 1e-9 for row in bonds)
            check(listed == broken, f"{listed} in the list, {broken} counted at {each['time [s]']} s")
        names = {frozenset((row["name a"], row["name b"])) for row in bonds}
        check(len(names) == len(bonds), "a bond broke twice")
        for until, threads in (("0.004", "2"), ("0.0123", "3")):
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--until", until, *words), 0, "part")
            check_status(folder.cairn("run", "a.lua", "--out", "p", "--restart", "p/checkpoint.h5", "--threads", threads, *words), 0, "rest")
            check_same(folder, "r", "p", f"restart at {until}")


check_causes()
check_restart()
finish()
