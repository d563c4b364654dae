#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time a contact over friction and size: the table of docs/notes/solver_experiments.md, "Any friction".
"""usage: bench/fclib/frictions.py [BUILD_DIR]   (default build; run from the top folder)

Towers, walls, pyramids, vaults, capsules that have come to rest and columns of grains under the law
signorini_coulomb, those of CASES (environment; all unless set), at the frictions FRICTIONS (default
0.01 0.05 0.3 1 2) and sizes SIZES (small, middle or large; default small). Each is run for STEPS steps (default 20). For the problem of the first step: CPU time of
`auto` from zero, within LIMIT seconds (default 30); for the run: CPU time a step and contact, each
step from the guess that the one before leaves, and the steps that ended above the tolerance. TOLERANCE
is 1e-8 unless set, in the measure (4.18). Capsules first fall into their box at friction 0.3 and 1e-3, which is not timed."""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# name, scene, parameters by size, step (s), time (s) after which it is looked at
CASES = [
    ("tower", "kapla_tower", {"small": {"rings": 12, "drop": 0.0}, "middle": {"rings": 60, "drop": 0.0},
                              "large": {"rings": 140, "planks_per_ring": 24, "drop": 0.0}}, 0.005, 0),
    ("wall", "brick_wall", {"small": {"courses": 12}, "middle": {"courses": 20, "bricks": 24},
                            "large": {"courses": 40, "bricks": 80}}, 0.005, 0),
    ("pyramid", HERE + "/pyramid.lua", {"small": {"rows": 12}, "middle": {"rows": 30}, "large": {"rows": 80}},
     0.005, 0),
    ("vault", HERE + "/vault.lua", {"small": {"courses": 15, "blocks": 10}, "middle": {"courses": 31, "blocks": 23},
                                    "large": {"courses": 61, "blocks": 61}}, 0.005, 0),
    ("capsules", "capsules", {"small": {"capsules": 300, "across": 5}, "middle": {"capsules": 2000, "across": 10},
                              "large": {"capsules": 6000, "across": 20}}, 0.0025, 2),
    ("column", "granular_column", {"small": {"length": 10, "aspect": 2}, "middle": {"length": 20, "aspect": 3},
                                   "large": {"length": 50, "aspect": 4}}, 0.0025, 0),
]


# what lies in a box after a fall: walls around it, and the capsules of bodies.csv
BED = """
pair{{ friction = param("friction", 0.3, "Coulomb friction"), restitution = 0 }}
material{{ name = "plastic", density = 1000 }}
ground{{ material = "plastic" }}
for side = 0, 3 do
  local angle = 90 * side
  local x, y = math.cos(math.rad(angle)), math.sin(math.rad(angle))
  body{{ kind = "fixed", material = "plastic", shape = plane{{}}, position = {{ {half} * x, {half} * y, 0 }},
        rotation = {{ axis = {{ y, -x, 0 }}, angle = 90 }} }}
end
local shape = capsule{{ radius = 0.1, length = 0.3 }}
local function put(x, y, z, w, i, j, k, u, v, s, a, b, c)
  body{{ shape = shape, material = "plastic", position = {{ x, y, z }}, orientation = {{ w, i, j, k }},
        velocity = {{ u, v, s }}, angular_velocity = {{ a, b, c }} }}
end
"""


def fallen(cairn, case, size, folder):
    """Scene file of the bodies of a case after the time at which it is looked at."""
    _, scene, sizes, step, time = case
    command = [cairn, "run", scene, "--step", str(step), "--tolerance", "1e-3", "--set", "friction=0.3",
               "--until", str(time), "--quiet", "--accept-unsolved", "--out", folder + "/fall", "--paraview", "none",
               "--trajectory-every", "0"]
    for key, value in sizes[size].items():
        command += ["--set", f"{key}={value}"]
    run(command)
    half = 0.265 * sizes[size]["across"]
    made = folder + "/fallen.lua"
    with open(folder + "/fall/bodies.csv", encoding="utf-8") as rows, open(made, "w", encoding="utf-8") as text:
        text.write(BED.format(half=half))
        for row in csv.reader(rows):
            if row[2] == "dynamic":
                text.write(f"put({', '.join(row[3:16])})\n")
    return made


def run(command):
    """Standard output and CPU seconds of a command that may end above its tolerance (status 5)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_problem(cairn, scene, folder):
    """Contacts, CPU seconds from zero (None where unsolved) and error of the problem of the first step."""
    kept = f"{folder}/first"
    run(scene + ["--until", scene[scene.index("--step") + 1], "--fclib", kept, "--fclib-form", "global",
                 "--accept-unsolved", "--solver", "gauss_seidel",
                 "--simulation-set", "max_iterations=1"])
    files = os.listdir(kept) if os.path.isdir(kept) else []
    if not files:
        return None
    table = folder + "/first.csv"
    tolerance, limit = os.environ.get("TOLERANCE", "1e-8"), os.environ.get("LIMIT", "30")
    run([cairn, "bench", f"{kept}/{files[0]}", "--solvers", "auto", "--tolerance", tolerance, "--time-limit", limit,
         "--quiet", "--csv", table])
    contacts = json.loads(run([cairn, "info", f"{kept}/{files[0]}", "--json"])[0])["contacts"]
    with open(table, encoding="utf-8") as rows:
        row = next(csv.DictReader(rows))
    return contacts, float(row["time_s"]) if row["success"] == "1" else None, row["error"]


def row_of(cairn, case, scene, size, friction, folder):
    name, _, sizes, step, time = case
    steps, tolerance = int(os.environ.get("STEPS", "20")), os.environ.get("TOLERANCE", "1e-8")
    command = [cairn, "run", scene, "--law", "signorini_coulomb", "--step", str(step), "--tolerance", tolerance,
               "--set", f"friction={friction}", "--threads", "1", "--json", "--quiet", "--out", folder + "/run",
               "--paraview-every", "0", "--trajectory-every", "0"]
    for key, value in sizes[size].items() if time == 0 else ():
        command += ["--set", f"{key}={value}"]
    first = first_problem(cairn, command, folder)
    zero = "no contact | "
    if first is not None:
        contacts, seconds, error = first
        cost = f"{1e6 * seconds / contacts:.0f}" if seconds is not None else f"open, {float(error):.1e}"
        zero = f"{contacts} | {cost}"
    text, seconds = run(command + ["--until", str(steps * step), "--accept-unsolved"])
    done = json.loads(text)
    cost = 1e6 * seconds / done["steps"] / max(done["contacts_max"], 1)
    print(f"| {name} | {friction} | {zero} | {done['contacts_max']} | {cost:.0f} | {done['steps_unsolved']} |",
          flush=True)


def main():
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    print("| problem | friction | contacts of the first step | us a contact from zero | contacts of the run "
          "| us a step and contact | steps unsolved |")
    print("|---|---|---|---|---|---|---|")
    for size in os.environ.get("SIZES", "small").split():
        for case in CASES:
            if case[0] not in os.environ.get("CASES", case[0]).split():
                continue
            with tempfile.TemporaryDirectory() as kept:
                scene = case[1] if case[4] == 0 else fallen(f"{build}/cairn", case, size, kept)
                for friction in os.environ.get("FRICTIONS", "0.01 0.05 0.3 1 2").split():
                    with tempfile.TemporaryDirectory() as folder:
                        row_of(f"{build}/cairn", case, scene, size, friction, folder)


main()
