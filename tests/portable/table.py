# SPDX-License-Identifier: Apache-2.0
# The scenes of the library take every step to the same bits on every kind of machine, under both families of laws.
"""usage: table.py [--scenes A,B] [--laws A,B] [--out FILE.md] NAME=PROGRAM...

NAME=PROGRAM: a kind of machine and its build of hashes.c; the first one is compared with. Prints a row a run, and
ends with status 1 where hashes differ.
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# scenes of at most 2000 bodies, and steps in which bodies meet; fewer by the implicit law where they are many
SCENES = {"arch": 20, "ball_mill": 2000, "billiards": 300, "box_stack": 40, "brick_wall": 6, "capsules": 60,
          "chain": 80, "chain_with_ball": 40, "domino": 40, "drum": 300, "four_bar": 60, "granular_column": 20,
          "kapla_tower": 40, "mixer": 200, "newton_cradle": 60, "pendulum": 60, "rag_dolls": 210, "rockfall": 220,
          "shaken_wall": 100, "simple_shear": 300, "slider_crank": 60, "sphere_heap": 280, "triaxial": 300,
          "triaxial_box": 200}
FEWER = {"ball_mill": 100, "drum": 20, "granular_column": 10, "mixer": 100, "simple_shear": 40, "triaxial": 30,
         "triaxial_box": 20}
EXPLICIT_LEAST = 1000  # steps in which bodies fall on each other
LAWS = {"scene": [], "implicit": ["--law", "signorini_coulomb"], "explicit": ["--law", "hooke", "--step", "2e-5"]}
# what emscripten 3.1 writes takes a fetch that node has for that of a browser
RUNNERS = {".js": ["node", "--no-experimental-fetch"]}


def runner(program):
    with open(program, "rb") as file:
        head = file.read(20)
    # what is compiled for 64-bit ARM says so in its head
    if head[:4] == b"\x7fELF" and head[18:20] == b"\xb7\x00":
        return ["qemu-aarch64-static"]
    return RUNNERS.get(os.path.splitext(program)[1], [])


def hash_of(program, scene, steps, words):
    path = os.path.join(ROOT, "scenes/library", scene + ".lua")
    done = subprocess.run([*runner(program), program, path, str(steps), *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return "failed: " + done.stderr.strip()[-200:].replace("\n", " ")
    return done.stdout.strip()


def steps_of(scene, law):
    steps = SCENES[scene]
    return FEWER.get(scene, steps) if law == "implicit" else max(steps, EXPLICIT_LEAST) if law == "explicit" else steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes")
    parser.add_argument("--laws", default=",".join(LAWS))
    parser.add_argument("--out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("programs", nargs="+")
    asked = parser.parse_args()
    programs = dict(word.split("=", 1) for word in asked.programs)
    scenes = asked.scenes.split(",") if asked.scenes else list(SCENES)
    runs = [(scene, law) for scene in scenes for law in asked.laws.split(",")]
    lines = ["| scene | law | " + " | ".join(programs) + " |", "|---" * (2 + len(programs)) + "|"]
    differ = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        said = {(run, name): pool.submit(hash_of, program, run[0], steps_of(*run), LAWS[run[1]])
                for run in runs for name, program in programs.items()}
        for run in runs:
            found = [said[run, name].result() for name in programs]
            first = found[0]
            same = all(each == first for each in found) and not first.startswith("failed")
            differ += not same
            shown = [first] + ["the same" if each == first else each for each in found[1:]]
            lines.append(f"| {run[0]} | {run[1]} | " + " | ".join(shown) + " |")
            print(lines[-1] + ("" if same else "  <-- DIFFERS"), flush=True)
    if asked.out:
        with open(asked.out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print(f"{len(runs)} runs, {differ} differ")
    return 1 if differ or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
