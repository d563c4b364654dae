#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the bodies of the case "penetration" as a data file of LAMMPS.
"""usage: lammps_data.py penetration.csv OUT.data"""
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii") as lines:
        next(lines)
        grains = [line.split(", ") for line in lines]
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write(f"penetration\n\n{len(grains) + 1} atoms\n2 atom types\n\n"
                  "-0.06 0.06 xlo xhi\n-0.04 0.04 ylo yhi\n-0.1 0.2 zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, radius, _) in enumerate(grains, 1):
            out.write(f"{number} 1 {2 * float(radius):.9g} 2500 {x} {y} {z}\n")
        ball = len(grains) + 1
        out.write(f"{ball} 2 0.02 7200 0 0 0.06\n\nVelocities\n\n")
        out.writelines(f"{number} 0 0 {-5 if number == ball else 0} 0 0 0\n"
                       for number in range(1, ball + 1))


main()
