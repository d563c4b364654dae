# SPDX-License-Identifier: Apache-2.0
# Whether the builds of several folders take every step to the same bits: asserts on or off,
# optimised or not, with sanitizers or without, by one compiler or another.
"""usage: same_hashes.py BUILD BUILD..."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENES = {"arch": 20, "billiards": 300, "box_stack": 40, "brick_wall": 6, "capsules": 60, "chain": 80,
          "chain_with_ball": 40, "domino": 40, "four_bar": 60, "granular_column": 20, "hopper": 20,
          "kapla_tower": 8, "mixer": 200, "newton_cradle": 60, "pendulum": 60, "rag_dolls": 210,
          "rockfall": 220, "slider_crank": 60, "sphere_heap": 280, "drum": 300, "lifted_cylinder": 200,
          "shaken_wall": 100, "ball_mill": 2000, "simple_shear": 300, "triaxial": 300, "triaxial_box": 200}


def cairn(build, folder, *words):
    environment = dict(os.environ, CAIRN_SCENES=os.path.join(ROOT, "scenes/library"))
    done = subprocess.run([os.path.join(build, "cairn"), *words], cwd=folder, env=environment, timeout=600,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{build}: cairn {' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def names(build, kind):
    return [json.loads(line)["name"] for line in cairn(build, ".", "list", kind, "--json").splitlines()]


def runs(build):
    """Name and words of each."""
    for scene, steps in SCENES.items():
        step = json.loads(cairn(build, ".", "info", scene, "--json"))["step"]
        yield scene, [scene, "--until", repr(steps * step)]
    few = ["sphere_heap", "--set", "spheres=40", "--until", "0.056"]
    for law in names(build, "laws"):
        yield f"law {law}", [*few, "--law", law]
    stack = ["box_stack", "--set", "boxes=3", "--until", "0.02"]
    for solver in names(build, "solvers"):
        yield f"solver {solver}", [*stack, "--solver", solver]
    for local in names(build, "locals"):
        yield f"local {local}", [*stack, "--solver", "gauss_seidel", "--local", local]


def hashes(build, words):
    with tempfile.TemporaryDirectory(prefix="cairn-hashes-") as folder:
        cairn(build, folder, "run", *words, "--accept-unsolved", "--out", "r", "--hash", "h.csv", "--quiet",
              "--paraview-every", "0", "--trajectory-every", "0", "--checkpoint-every", "0",
              "--scene-time-limit", "500")
        with open(os.path.join(folder, "h.csv")) as file:
            return file.read()


def main():
    first, *others = [os.path.abspath(word) for word in sys.argv[1:]]
    compared = failed = 0
    for name, words in runs(first):
        expected = hashes(first, words)
        for other in others:
            compared += 1
            if hashes(other, words) != expected:
                failed += 1
                print(f"{name}: {os.path.basename(other)} and {os.path.basename(first)} differ")
    print(f"{compared} comparisons, {failed} differ")
    sys.exit(1 if failed or not compared else 0)


main()
