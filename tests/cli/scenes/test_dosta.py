# SPDX-License-Identifier: Apache-2.0
# The scenes of the benchmark of Dosta et al. with the published bodies and walls: they load, begin and stay in their walls.
"""usage: test_dosta.py PROGRAM ROOT"""
import csv
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import ROOT, Folder, check, check_status, finish, load

sys.path.insert(0, os.path.join(ROOT, "bench/dosta"))
import prepare  # noqa: E402

# the bed of the first case has rest contacts; the grains of the second touch almost nowhere yet
CASES = {"penetration": (5e-7, 25001, []), "drum": (8e-7, 38000, []),
         "silo": (1.5e-6, 30000, ["--set", "grains=30000", "--scene-time-limit", "100"])}


def check_case(folder, case):
    step, count, more = CASES[case]
    done = folder.cairn("run", case + ".lua", "--until", repr(10 * step), *more, "--trajectory-every", "0", "--quiet", "--out", "r")
    check_status(done, 0, case)
    # staves stand in for the smooth mantle, so that grains at rest on it overlap the middles of staves
    most = max([float(each) for each in re.findall(r"overlap by \S+ m at the start \(([\d.]+) of", done.err)], default=0.0)
    check(most < (0.005 if case == "drum" else 1e-3), f"{case}: overlaps", done)
    summary = load(folder.read("r/summary.json"))
    check(summary["steps"] == 10, f"{case}: {summary['steps']} steps")
    with open(folder.path + "/r/bodies.csv") as file:
        places = [[float(row[f"position {axis} [m]"]) for axis in "xyz"] for row in csv.DictReader(file) if row["kind"] == "dynamic"]
    check(abs(len(places) / count - 1) < (0.05 if case == "silo" else 1e-9), f"{case}: {len(places)} bodies")
    inside = {"penetration": lambda x, y, z: abs(x) < 0.05 and abs(y) < 0.03 and z > -0.0903,
              "drum": lambda x, y, z: math.hypot(x, z) < 0.1 and abs(y) < 0.03,
              "silo": lambda x, y, z: math.hypot(x, y) < 0.1 and z > -0.0555}[case]
    check(all(inside(*place) for place in places), f"{case}: all bodies within the walls")


def main():
    with Folder() as folder:
        prepare.prepare(folder.path)
        for case in CASES:
            check_case(folder, case)
    finish()


main()
