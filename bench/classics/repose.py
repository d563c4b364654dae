# SPDX-License-Identifier: Apache-2.0
# Angle of repose of spheres without rolling resistance, and the same input in LAMMPS.
"""usage: repose.py PROGRAM FOLDER [LAMMPS]"""
import csv
import os
import shutil
import subprocess
import sys

import study

GRAIN, DENSITY, STIFFNESS, DAMPING, STEP, END = 0.01, 2500.0, 1e4, 600.0, 3e-5, 2.0
# in grains: plate, period, and the block on it
PLATE, ACROSS, LONG, HIGH = 60, 6, 44, 22
SEEDS, FRICTIONS = (1, 2, 3), (0.5, 0.3)


def by_cairn(folder, friction):
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "repose.lua"), folder)
    out = os.path.join(folder, f"cairn-{friction}")
    subprocess.run([study.PROGRAM, "run", os.path.join(folder, "repose.lua"), "--set", f"friction={friction}", "--until",
                    str(END), "--energy-every", "10000", "--paraview-every", "0", "--trajectory-every", "0",
                    "--quiet", "--out", out], check=True)
    with open(os.path.join(out, "bodies.csv")) as file:
        return study.slope([[float(row[f"position {axis} [m]"]) for axis in "xyz"]
                      for row in csv.DictReader(file) if row["kind"] == "dynamic"], GRAIN)


def by_lammps(program, folder, grains, plate, friction):
    with open(os.path.join(folder, "bed.data"), "w") as file:
        file.write(f"bed\n\n{len(grains) + len(plate)} atoms\n2 atom types\n\n-1 1 xlo xhi\n0 {ACROSS * GRAIN} ylo yhi\n"
                   "-1 1 zlo zhi\n\nAtoms\n\n")
        for number, (kind, row) in enumerate([(1, row) for row in grains] + [(2, row) for row in plate]):
            file.write(f"{number + 1} {kind} {2 * row[3]!r} {DENSITY} {row[0]!r} {row[1]!r} {row[2]!r}\n")
    dump = os.path.join(folder, f"lammps-{friction}.txt")
    with open(os.path.join(folder, "in.repose"), "w") as file:
        file.write(f"""units si
atom_style sphere
boundary f p f
newton on
comm_modify vel yes
read_data bed.data
neighbor 0.003 bin
pair_style gran/hooke/history {STIFFNESS} {2 / 7 * STIFFNESS} {DAMPING} {0.5 * DAMPING} {friction} 1
pair_coeff * *
group plate type 2
group grains type 1
fix motion grains nve/sphere
fix weight grains gravity 9.81 vector 0 0 -1
fix still plate freeze
neigh_modify exclude group plate plate
timestep {STEP}
thermo 100000
thermo_modify lost ignore
run {round(END / STEP)}
write_dump grains custom {dump} x y z
""")
    subprocess.run([program, "-in", "in.repose", "-log", "none"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(dump) as file:
        rows = file.read().split("ITEM: ATOMS x y z\n")[1].splitlines()
    return study.slope([list(map(float, row.split())) for row in rows], GRAIN)


print("friction  seed   cairn  LAMMPS   (degrees)", flush=True)
for friction in FRICTIONS:
    sums = [0.0, 0.0]
    for seed in SEEDS:
        folder = os.path.join(study.FOLDER, f"repose-{seed}")
        grains, plate = study.block_on_plate(folder, seed, GRAIN, PLATE, ACROSS, LONG, HIGH)
        angles = [by_cairn(folder, friction)]
        if len(sys.argv) > 3:
            angles.append(by_lammps(sys.argv[3], folder, grains, plate, friction))
        sums = [a + b for a, b in zip(sums, angles)]
        print(f"{friction:8}  {seed:4}  " + "  ".join(f"{angle:6.2f}" for angle in angles), flush=True)
    print(f"{friction:8}  mean  " + "  ".join(f"{s / len(SEEDS):6.2f}" for s in sums), flush=True)
