# SPDX-License-Identifier: Apache-2.0
# The built-in scenes: certified steps, towers that stand, problems in the published ranges.
"""usage: test_scenes.py PROGRAM ROOT"""
import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish

# scene: (options, contacts of its problems within, thinnest size m, has to come to rest)
SCENES = {
    "kapla_tower": (["--until", "5"], (48, 1104), 0.03, True),
    "box_stack": (["--until", "5"], (1, 220), 0.1, True),
    "chain": (["--until", "1"], (1, 40), 0.02, False),
    "capsules": (["--until", "1"], (1, 300), 0.2, False),
    "arch": (["--until", "1"], (60, 102), 0.5, False),
    "domino": (["--until", "0.3"], (100, 320), 0.008, False),
    "rag_dolls": (["--until", "1.5"], (1, 60), 0.08, False),
    # blocks meet at 16 m/s while they turn: at the scene's step of 4 ms the worst of a run overlap by 0.1 to 0.7 mm
    "rockfall": (["--until", "3", "--step", "0.001"], (1, 150), 0.3, False),
    "brick_wall": (["--until", "0.3", "--set", "courses=5", "--set", "bricks=4"], (20, 500), 0.05, False),
}


def rows(folder, name):
    lines = list(csv.reader(folder.read(name).splitlines()))
    return [dict(zip(lines[0], map(float, line))) for line in lines[1:]]


def check_rest(folder, scene, thinnest):
    """The top of a tower stays where it came down, and everything comes to rest."""
    sensors = rows(folder, f"out/{scene}/sensors.csv")
    energy = rows(folder, f"out/{scene}/energy.csv")
    for axis in "xy":
        column = f"top position {axis} [m]"
        drift = abs(sensors[-1][column] - sensors[0][column])
        check(drift < 0.01 * thinnest, f"{scene}: the top drifted {drift} m along {axis}")
    settled = sensors[len(sensors) // 5]["top position z [m]"]
    sunk = settled - sensors[-1]["top position z [m]"]
    check(sunk < 1e-3 * thinnest, f"{scene}: the top sank {sunk} m after it came down")
    most = max(row["kinetic [J]"] for row in energy)
    check(energy[-1]["kinetic [J]"] < 1e-6 * most, f"{scene}: it still moves")


def check_scene(folder, scene):
    options, contacts, thinnest, rests = SCENES[scene]
    done = folder.cairn("run", scene, *options, "--fclib", "problems/" + scene, "--fclib-every", "5",
                        "--paraview-every", "0", "--quiet")
    check_status(done, 0, scene)
    summary = json.loads(folder.read(f"out/{scene}/summary.json"))
    check(summary["steps_unsolved"] == 0, f"{scene}: {summary['steps_unsolved']} steps unsolved")
    check(summary["error_max"] <= 1e-6, f"{scene}: error {summary['error_max']}")
    check(summary["penetration_max"] < 1e-3 * thinnest,
          f"{scene}: penetration {summary['penetration_max']} m")
    counts = [int(re.search(r"-(\d+)\.hdf5$", name).group(1))
              for name in folder.list("problems/" + scene)]
    check(contacts[0] <= min(counts) and max(counts) <= contacts[1],
          f"{scene}: contacts from {min(counts)} to {max(counts)}")
    if rests:
        check_rest(folder, scene, thinnest)


def main():
    with Folder() as folder:
        for scene in SCENES:
            check_scene(folder, scene)
    finish()


if __name__ == "__main__":
    main()
