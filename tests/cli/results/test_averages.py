# SPDX-License-Identifier: Apache-2.0
# Sensors and measures averaged over windows of time, against the mean of the instants; restart, threads, messages.
"""usage: test_averages.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish, load

REGION = "region = { min = {-0.1, -0.1, 0}, max = {0.1, 0.1, 0.1} }"
BED = f"""simulation{{ step = 1e-4, end_time = 0.1 }}
pair{{ law = "hooke", normal_stiffness = 1e4 }}
ground{{}}
packing{{ region = {{ min = {{-0.1, -0.1, 0}}, max = {{0.1, 0.1, 0.1}} }}, size = 0.02, count = 200, method = "random" }}
sensor{{ name = "s", {REGION}, quantity = "stress" }}
sensor{{ name = "t", {REGION}, quantity = "temperature" }}
sensor{{ name = "f", body = "ground" }}
sensor{{ name = "mean", body = "ground", window = 0.03, every = 4 }}
measure{{ name = "bed", {REGION}, window = 0.025, every = 5 }}
measure{{ name = "floor", body = "ground", about = {{0, 0, 0}}, window = 0.04, from = 0.01 }}
measure{{ name = "now", {REGION} }}
"""

BAD = {
    "none": ('measure{ name = "a" }', r"bad\.lua:2: measure: give one of region, body and bodies"),
    "both": (f'measure{{ name = "a", {REGION}, body = "ground" }}', r"bad\.lua:2: measure: give one of"),
    "twice": ('measure{ name = "a", body = "ground" } measure{ name = "a", body = "ground" }', r'bad\.lua:2: .*"a" exists'),
    "name": ('measure{ name = "a,b", body = "ground" }', r"bad\.lua:2: measure: a name"),
    "about": (f'measure{{ name = "a", {REGION}, about = {{0, 0, 0}} }}', r"bad\.lua:2: measure: \"about\", the point of torques, is of"),
    "cell": ('measure{ name = "a", region = "cell" }', r"bad\.lua:2: .*no periodic cell"),
    "window": ('measure{ name = "a", body = "ground", window = 1e-9 }', r"bad\.lua:2: .*1e-09 s is shorter than the time step, 0\.005 s"),
    "alone": ('sensor{ name = "a", body = "ground", every = 3 }', r'bad\.lua:2: sensor: "every" and "from" are of an average over a "window"'),
    "every": ('measure{ name = "a", body = "ground", window = 1, every = 0 }', r"bad\.lua:2: .*every = 0"),
    "body": ('measure{ name = "a", bodies = { "ground", "no" } }', r'bad\.lua:2: .*"no"'),
}


def table(folder, name):
    """Rows by their step, as dicts without the empty fields; a step may have two rows."""
    head, *lines = folder.read(name).splitlines()
    rows = [{k: float(v) for k, v in zip(head.split(","), line.split(",")) if v} for line in lines]
    return rows


def close(found, expected, what):
    check(abs(found - expected) <= 1e-12 * max(1.0, abs(expected)), f"{what}: {found}, expected {expected}")


def mean(rows, name, steps):
    return math.fsum(rows[i][name] for i in steps) / len(steps)


def check_means():
    """Every mean is that of the rows of its window, of sensors that stand beside it."""
    with Folder() as folder:
        folder.write("a.lua", BED)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--energy-every", "1"), 0, "means")
        rows, found = table(folder, "r/sensors.csv"), table(folder, "r/measures.csv")
        check(len(rows) == 1001, f"{len(rows)} rows")
        bed = {int(row["step"]): row for row in found if "bed mass [kg]" in row}
        check(sorted(bed) == [250, 500, 750, 1000], f"windows of the bed end at {sorted(bed)}")
        for end, row in bed.items():
            steps = range(end - 245, end + 1, 5)
            for k in ("xx", "zz", "xz"):
                close(row[f"bed stress {k} [Pa]"], mean(rows, f"s stress {k} [Pa]", steps), f"stress {k} to {end}")
            close(row["bed temperature [m2/s2]"], mean(rows, "t temperature [m2/s2]", steps), f"temperature to {end}")
        floor = {int(row["step"]): row for row in found if "floor force z [N]" in row}
        check(sorted(floor) == [500, 900], f"windows of the floor end at {sorted(floor)}")
        for end, row in floor.items():
            close(row["floor force z [N]"], mean(rows, "f force z [N]", range(end - 399, end + 1)), f"force to {end}")
        # a sensor holds the mean of the last window, and before it has one that of what was read
        for i in range(4, 1001):
            begin, end = (1, i) if i < 300 else (i // 300 * 300 - 299, i // 300 * 300)
            steps = [k for k in range(begin, end + 1) if k % 4 == 0]
            close(rows[i]["mean force z [N]"], mean(rows, "f force z [N]", steps), f"sensor at {i}")
        now = {int(row["step"]): row for row in found if "now mass [kg]" in row}
        check(len(now) == 1001 and all(
            row["now stress zz [Pa]"] == rows[i]["s stress zz [Pa]"] for i, row in now.items()), "instants")


def check_restart():
    """Stopped inside of every window: the same bytes and the same state; and for other threads."""
    with Folder() as folder:
        folder.write("a.lua", BED)
        quiet = ("--quiet", "--energy-every", "7", "--paraview-every", "0")
        check_status(folder.cairn("run", "a.lua", "--out", "whole", *quiet), 0, "whole")
        check_status(folder.cairn("run", "a.lua", "--out", "part", "--until", "0.0371", *quiet), 0, "part")
        check_status(folder.cairn("run", "a.lua", "--out", "part", "--restart", "part/checkpoint.h5", "--threads", "3", *quiet), 0,
                     "rest")
        for name in ("measures.csv", "sensors.csv"):
            check(folder.read("whole/" + name) == folder.read("part/" + name), f"{name} differs after a restart")
        one, two = (load(folder.read(name + "/summary.json"))["state_hash"] for name in ("whole", "part"))
        check(one == two, "state after a restart")
        folder.write("b.lua", BED.replace("window = 0.025", "window = 0.026"))
        check_error(folder.cairn("run", "b.lua", "--out", "part", "--restart", "part/checkpoint.h5", "--until", "0.2", *quiet), 3,
                    r"checkpoint", "another window is refused")


def check_torque():
    """A block that rests beside the point of reference: the floor has its weight times the arm; a body that is gone
    has no force."""
    text = """simulation{ step = 0.002, end_time = 0.4 }
ground{}
body{ name = "block", shape = box{ size = {0.2, 0.2, 0.1} }, mass = 3, position = {0.5, -0.25, 0.05} }
body{ name = "other", shape = box{ size = {0.2, 0.2, 0.1} }, mass = 5, position = {0.5, 1, 0.05} }
remove{ body = "other", at = 0.25 }
measure{ name = "about", body = "ground", about = {0.1, 0.1, 0}, window = 0.1 }
measure{ name = "pair", bodies = { "block", "other" }, window = 0.1 }
measure{ name = "gone", body = "other", window = 0.1 }
"""
    with Folder() as folder:
        folder.write("a.lua", text)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--tolerance", "1e-12"), 0, "torque")
        rows = table(folder, "r/measures.csv")
        check(len(rows) == 4, f"{len(rows)} windows")
        g = 9.81
        for row, masses in ((rows[1], (3, 5)), (rows[3], (3, 0))):
            arms = ((0.4, -0.35), (0.4, 0.9))
            for name, value in (("about torque x [N m]", -g * sum(m * a[1] for m, a in zip(masses, arms))),
                                ("about torque y [N m]", g * sum(m * a[0] for m, a in zip(masses, arms))),
                                ("pair force z [N]", g * sum(masses))):
                check(abs(row[name] - value) < 1e-6 * abs(value), f"{name} = {row[name]}, expected {value}")
        check(math.isnan(rows[3]["gone force z [N]"]), "a body that is gone has no force")


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", "ground{ name = 'ground' }\n" + text + "\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)
            check(not folder.has("r"), f"{name}: something was written")


check_means()
check_restart()
check_torque()
check_bad()
finish()
