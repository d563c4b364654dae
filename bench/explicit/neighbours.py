#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What a settled bed of 1000 spheres costs alone, and beside something that is no sphere.
"""usage: neighbours.py PROGRAM [ROUNDS]   (CPU seconds in turns, the least of ROUNDS; default 5)

The own work of a neighbour is measured in a world without spheres and taken off."""
import json
import os
import resource
import subprocess
import sys
import tempfile

STEPS = 20000
HEAD = """
simulation{ step = 1e-5, end_time = %g }
output{ paraview = "none", energy_every = 5000 }
material{ name = "glass", density = 2500 }
material{ name = "wood", density = 600 }
""" % (STEPS * 1e-5)
PAIR = {
    "hooke": "normal_stiffness = 2e4, friction = 0.5, restitution = 0.5",
    "hertz_mindlin": "young_modulus = 5e7, friction = 0.5, restitution = 0.5",
    "spring_dashpot": "spring = 2e4, dashpot = 0.5, friction = 0.5",
    "incremental": "normal_stiffness = 2e4, shear_stiffness = 1e4, friction = 0.5",
    "exudyn_sphere": "contact_stiffness = 2e4, contact_damping = 0.5, dynamic_friction = 0.5",
}
BED = """
pair{ "glass", "glass", law = "%s", %s }
body{ kind = "fixed", shape = plane{}, material = "glass" }
local ball = sphere{ radius = 0.005 }
for k = 0, 9 do for i = 0, 9 do for j = 0, 9 do
  body{ shape = ball, material = "glass", position = { 0.01001 * i, 0.01001 * j, 0.005 + 0.00999 * k } }
end end end
"""
FAR = """
local brick = box{ size = {0.1, 0.1, 0.1} }
"""
NEIGHBOURS = {
    "alone": "",
    "ball joint": FAR + """
body{ name = "a", shape = brick, material = "wood", position = {5, 0, 1} }
joint{ kind = "ball", bodies = {"a"}, at = {5, 0, 1.2} }
""",
    "box that falls": FAR + """
body{ shape = brick, material = "wood", position = {5, 0, 100} }
""",
    "wall that follows a function": FAR + """
body{ name = "wall", kind = "moving", shape = brick, material = "wood", position = {5, 0, 1} }
motion{ body = "wall", position = function(t) return 5, 0, 1 + 0.1 * math.sin(t) end }
""",
    "implicit pair": FAR + """
pair{ "wood", "wood", law = "signorini_coulomb", friction = 0.5 }
body{ kind = "fixed", shape = brick, material = "wood", position = {5, 0, 0} }
body{ shape = brick, material = "wood", position = {5, 0, 0.1} }
""",
}


def seconds(program, folder, text):
    with open(os.path.join(folder, "scene.lua"), "w") as file:
        file.write(HEAD + text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # its threads turn in circles for a while before they sleep
    done = subprocess.run([program, "run", "scene.lua", "--out", "run", "--json"], cwd=folder, check=True,
                          capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert json.loads(done.stdout)["steps"] == STEPS
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if {"-h", "--help"} & set(sys.argv) or len(sys.argv) < 2:
        sys.exit(__doc__)
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    bed = BED % ("hooke", PAIR["hooke"])
    scenes = {name: bed + text for name, text in NEIGHBOURS.items()}
    scenes.update({name + ", without spheres": text for name, text in NEIGHBOURS.items() if text})
    scenes["nothing"] = "body{ kind = \"fixed\", shape = plane{}, material = \"glass\" }"
    scenes.update({law: BED % (law, words) for law, words in PAIR.items() if law != "hooke"})
    least = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, text in scenes.items():
                spent = seconds(program, folder, text)
                least[name] = min(spent, least.get(name, spent))
    alone = least["alone"] - least["nothing"]
    print(f"1000 spheres, {STEPS} steps: {alone:.3f} s of CPU, {STEPS / alone:.0f} steps a second")
    for name in list(NEIGHBOURS)[1:]:
        own = least[name + ", without spheres"] - least["nothing"]
        with_it = least[name] - least["nothing"]
        print(f"{name:30} {with_it / alone:6.3f} times, {(with_it - own) / alone:6.3f} without its own work")
    for law in list(PAIR)[1:]:
        print(f"{law:30} {(least[law] - least['nothing']) / alone:6.3f} times hooke")


main()
