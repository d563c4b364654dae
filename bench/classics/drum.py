# SPDX-License-Identifier: Apache-2.0
# The scene drum with equal spheres, and the same bodies in LAMMPS: angle of the surface by the centre of mass.
"""usage: drum.py PROGRAM FOLDER LAMMPS"""
import csv
import math
import os
import subprocess
import sys

import study

if len(sys.argv) < 4:
    sys.exit(f"{__doc__}   (LAMMPS is its program, as /usr/bin/lmp)")
GRAIN, DENSITY, GRAVITY, FRICTION, RADIUS, LENGTH = 0.01, 2500.0, 9.81, 0.5, 12, 6
DRUM, HALF = RADIUS * GRAIN, 0.5 * LENGTH * GRAIN
MASS = DENSITY * math.pi / 6 * GRAIN ** 3
STIFFNESS = 100 * DENSITY * GRAVITY * DRUM * GRAIN
STEP = math.pi * math.sqrt(MASS / (2 * STIFFNESS)) / 16
# a dashpot that gives two grains the restitution of 0.5
LOG = -math.log(0.5)
DAMPING = 2 * LOG / math.sqrt(math.pi ** 2 + LOG ** 2) * math.sqrt(2 * STIFFNESS / MASS)


def angle(aside, places):
    """Degrees: the centre of mass, of mean way aside, as deep below the axis as it is at the end."""
    deep = math.hypot(*(sum(p[k] for p in places) / len(places) for k in (0, 2)))
    return math.degrees(math.asin(aside / deep))


def by_cairn(froude):
    folder = study.run(f"beside-{froude}", "drum", "--paraview", "none", froude=froude, spread=0)
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        rows = [(float(row["time [s]"]), float(row["drum torque y [N m]"])) for row in csv.DictReader(file)]
    late = [torque for time, torque in rows if time > 0.5 * rows[-1][0]]
    places = study.dynamic_bodies(folder)
    return angle(sum(late) / len(late) / (len(places) * MASS * GRAVITY), places), rows[-1][0]


def by_lammps(froude, end):
    first = study.run("beside-first", "drum", "--paraview", "none", "--until", repr(STEP), froude=0.003, spread=0)
    places = study.dynamic_bodies(first)
    folder = os.path.join(study.FOLDER, f"lammps-{froude}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "bed.data"), "w", encoding="ascii") as file:
        file.write(f"bed\n\n{len(places)} atoms\n1 atom types\n\n-0.2 0.2 xlo xhi\n-0.1 0.1 ylo yhi\n-0.2 0.2 zlo zhi\n\nAtoms\n\n")
        file.writelines(f"{number} 1 {GRAIN} {DENSITY} {x!r} {y!r} {z!r}\n" for number, (x, y, z) in enumerate(places, 1))
    law = f"{STIFFNESS} {2 / 7 * STIFFNESS} {DAMPING} {0.5 * DAMPING}"
    with open(os.path.join(folder, "in.drum"), "w", encoding="ascii") as file:
        file.write(f"""units si
atom_style sphere
boundary f f f
newton on
comm_modify vel yes
read_data bed.data
neighbor 0.003 bin
pair_style gran/hooke/history {law} {FRICTION} 1
pair_coeff * *
fix motion all nve/sphere
fix weight all gravity {GRAVITY} vector 0 0 -1
variable turned equal -time*{math.sqrt(froude * GRAVITY / DRUM)}
region drum cylinder y 0 0 {DRUM} {-2 * HALF} {2 * HALF} side in open 1 open 2 rotate v_turned 0 0 0 0 1 0
fix mantle all wall/gran/region hooke/history {law} {FRICTION} 1 region drum
fix ends all wall/gran hooke/history {law} 0 1 yplane {-HALF} {HALF}
timestep {STEP}
variable aside equal xcm(all,x)
fix mean all ave/time 1 {round(0.5 * end / STEP)} {round(0.5 * end / STEP)} v_aside file aside.txt
thermo 100000
run {2 * round(0.5 * end / STEP)}
write_dump all custom end.txt x y z
""")
    subprocess.run([sys.argv[3], "-in", "in.drum", "-log", "none"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "aside.txt"), encoding="ascii") as file:
        aside = float(file.read().split()[-1])
    with open(os.path.join(folder, "end.txt"), encoding="ascii") as file:
        rows = file.read().split("ITEM: ATOMS x y z\n")[1].splitlines()
    return angle(aside, [list(map(float, row.split())) for row in rows])


print("Froude number   cairn  LAMMPS   (degrees)")
for number in (0.003, 0.03, 0.1):
    mine, time = by_cairn(number)
    print(f"{number:13} {mine:7.2f} {by_lammps(number, time):7.2f}", flush=True)
