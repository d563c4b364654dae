#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes the bins of the scene mesh_hopper: a cone with a hole of radius 1 at z = 0 under a cylinder of radius 2.5.
"""usage: hopper_mesh.py HALF_ANGLE > scenes/library/data/hopper_HALF_ANGLE.obj      (degrees, from the vertical)"""
import math
import sys

HOLE, BIN, STAVES, TOP = 1.0, 2.5, 48, 12.0


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    shoulder = (BIN - HOLE) / math.tan(math.radians(float(sys.argv[1])))
    print(f"# SPDX-License-Identifier: Apache-2.0\n# A bin whose cone leans by {sys.argv[1]} degrees from the vertical.")
    # corners lie outside of the circle, so that the area is that of the circle
    outward = math.sqrt(2 * math.pi / STAVES / math.sin(2 * math.pi / STAVES))
    for radius, z in ((HOLE, 0.0), (BIN, shoulder), (BIN, shoulder + TOP)):
        for i in range(STAVES):
            angle = 2 * math.pi * i / STAVES
            print(f"v {radius * outward * math.cos(angle):.6f} {radius * outward * math.sin(angle):.6f} {z:.6f}")
    for ring in range(2):
        for i in range(STAVES):
            a, b = ring * STAVES + i + 1, ring * STAVES + (i + 1) % STAVES + 1
            # seen from within counter-clockwise
            print(f"f {a} {a + STAVES} {b}\nf {b} {a + STAVES} {b + STAVES}")


main()
