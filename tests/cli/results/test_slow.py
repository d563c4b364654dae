# SPDX-License-Identifier: Apache-2.0
# What leaves the kernels is said in one plain sentence when the run starts, with a factor; what stays in them is not.
"""usage: test_slow.py PROGRAM ROOT"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish, load

SCENE = """simulation{ step = 1e-6, end_time = 3e-6 }
%s
pair{ law = "%s"%s }
ground{}
local shape = %s
for i = 0, %d do body{ shape = shape, density = 2500, position = {(i %% 6) * 0.02, (i // 6 %% 6) * 0.02, 0.02 + (i // 36) * 0.02} } end
"""
BALL, BOX = "sphere{ radius = 0.005 }", "box{ size = {0.01, 0.01, 0.01} }"
CLUMP = "compound{ { shape = sphere{ radius = 0.004 } }, { shape = sphere{ radius = 0.004 }, position = {0.005, 0, 0} } }"
CELL = "gravity{ 0, 0, 0 } cell{ size = {0.2, 0.2, 0.2} }"
SLOW = {
    "adhesive": ("", "adhesive", ", young_modulus = 1e7", BALL, r"180 spheres, some (\d+) times slower .* no kernel"),
    "parallel_bond": ("", "parallel_bond", "", BALL, r"180 spheres, some (\d+) times slower .* no kernel"),
    "mindlin_deresiewicz": ("", "mindlin_deresiewicz", "", BALL, r"180 spheres, some (\d+) times slower .* no kernel"),
    "hertz_mindlin": ("", "hertz_mindlin", ", stiffness_by_shape = true", BALL, r"180 spheres, some (\d+) times slower .*default of stiffness_by_shape"),
    "spring_dashpot": ("", "spring_dashpot", ", cohesion = 1", BALL, r"180 spheres, some (\d+) times slower .*default of cohesion"),
    "incremental": ("", "incremental", ', displacement = "rotation"', BALL, r"180 spheres, some (\d+) times slower .*default of displacement"),
    "clumps": ("", "hooke", ", rolling_friction = 0.1", CLUMP, r"180 clumps, some (\d+) times slower .*default of rolling_friction"),
    "cell": (CELL, "hooke", "", CLUMP, r"180 clumps, some (\d+) times slower .*no clumps in a periodic cell"),
    "boxes": ("", "hooke", "", BOX, r"180 bodies, some (\d+) times slower .*spheres and clumps of spheres alone"),
}
FAST = {
    "hooke": ("", "hooke", "", BALL), "hertz_mindlin": ("", "hertz_mindlin", ", rolling_friction = 0.1", BALL), "incremental": ("", "incremental", "", BALL),
    "spring_dashpot": ("", "spring_dashpot", "", BALL), "exudyn_sphere": ("", "exudyn_sphere", ", contact_stiffness = 1e4", BALL),
    "clumps": ("", "hooke", "", CLUMP), "rigid": ("", "signorini_coulomb", "", BALL), "cell": (CELL, "hooke", "", BALL),
}


def run(head, law, settings, shape, bodies=180):
    with Folder() as folder:
        # the ground is no body of a periodic cell
        text = SCENE % (head, law, settings, shape, bodies - 1)
        folder.write("a.lua", text.replace("ground{}", "") if "cell" in head else text)
        done = folder.cairn("run", "a.lua", "--out", "r", "--paraview", "none")
        check_status(done, 0, f"{law} {settings}")
        return [line for line in done.err.splitlines() if "slow path" in line]


for name, (head, law, settings, shape, pattern) in SLOW.items():
    said = run(head, law, settings, shape)
    found = re.search(pattern, said[0]) if said else None
    check(len(said) == 1 and said[0].startswith(f"cairn: Law '{law}' runs on the slow path for") and found is not None, f"{name}: {said}")
    check(found is None or int(found[1]) >= 2, f"{name}: the factor {said}")
for name, (head, law, settings, shape) in FAST.items():
    check(run(head, law, settings, shape) == [], f"{name} is said to be slow")
# few bodies are fast enough anywhere
check(run("", "adhesive", ", young_modulus = 1e7", BALL, 20) == [], "few bodies")
with Folder() as folder:
    done = folder.cairn("list", "laws")
    for law, words in (("adhesive", r"no kernel: spheres some \d+ times slower"), ("hooke", "with a kernel for spheres")):
        check(re.search(rf"^{law} \(impulse, {words}", done.out, re.M), f"list laws: {law}", done)
    for line in folder.cairn("list", "laws", "--json").out.splitlines():
        law = load(line)
        check(law["kernel"] or law["kind"] == "cone" or law["slower"] > 2, f"list laws: {law['name']}")
finish()
