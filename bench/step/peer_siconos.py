#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Steps a neutral scene with Siconos: Moreau-Jean scheme, NSGS to a given tolerance.
# usage: peer_siconos.py SCENE STEPS FINAL TOLERANCE SECONDS
# stops early after SECONDS of CPU time; the rate is that of the steps made
import math
import os
import sys
import tempfile
import time

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.io.mechanics_run import MechanicsHdf5Runner
from siconos.mechanics.collision.bullet import SiconosBulletOptions
from siconos.mechanics.collision.tools import Contactor

BOX, DENSITY, STEP = 0, 1000.0, 1.0 / 200.0


class Late(Exception):
    pass


def product(a, b):
    w, x, y, z = a
    s, u, v, t = b
    return [w * s - x * u - y * v - z * t, w * u + x * s + y * t - z * v,
            w * v - x * t + y * s + z * u, w * t + x * v - y * u + z * s]


def read_scene(path):
    with open(path) as file:
        name, count, walls, half_width, friction = file.readline().split()
        rows = [[float(x) for x in line.split()] for line in file if line.strip()]
    return name, int(count), int(walls), float(half_width), float(friction), rows


def mass_of(row):
    """Mass and inertia in the axes of Siconos, whose capsules lie along y."""
    a, b, c = row[1:4]
    if int(row[0]) == BOX:
        mass = 8.0 * DENSITY * a * b * c
        return mass, [mass / 3 * (b * b + c * c), mass / 3 * (a * a + c * c), mass / 3 * (a * a + b * b)]
    length = 2.0 * b
    tube, ball = DENSITY * math.pi * a * a * length, DENSITY * 4 / 3 * math.pi * a ** 3
    across = tube * (length ** 2 / 12 + a * a / 4) + ball * (
        0.4 * a * a + 0.25 * length ** 2 + 0.375 * length * a)
    return tube + ball, [across, 0.5 * tube * a * a + 0.4 * ball * a * a, across]


TO_Y = [math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]
FROM_Y = [math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0]


def write_input(io, scene):
    _, _, walls, width, friction, rows = scene
    box = int(rows[0][0]) == BOX
    a, b, c = rows[0][1:4]
    io.add_primitive_shape("body", "Box" if box else "Capsule",
                           [2 * a, 2 * b, 2 * c] if box else [a, 2 * b])
    for i, row in enumerate(rows):
        mass, inertia = mass_of(row)
        turn = row[7:11] if box else product(row[7:11], TO_Y)
        io.add_object("b%05d" % i, [Contactor("body")], translation=row[4:7], orientation=turn,
                      velocity=[0] * 6, mass=mass, inertia=np.diag(inertia))
    floor, height = (width + 5 if walls else 200), 40.0
    io.add_primitive_shape("floor", "Box", (2 * floor, 2 * floor, 2.0))
    io.add_object("floor", [Contactor("floor")], [0, 0, -1.0])
    if walls:
        io.add_primitive_shape("x", "Box", (2.0, 2 * width + 6, height))
        io.add_primitive_shape("y", "Box", (2 * width + 6, 2.0, height))
        for k, (shape, x, y) in enumerate([("x", 1, 0), ("x", -1, 0), ("y", 0, 1), ("y", 0, -1)]):
            io.add_object("wall%d" % k, [Contactor(shape)],
                          [x * (width + 1), y * (width + 1), height / 2])
    io.add_Newton_impact_friction_nsl("contact", mu=friction, e=0.0)


def write_final(io, path, scene):
    rows = scene[5]
    found = {int(p[0]): p for p in io._io.positions(io._nsds)}
    with open(path, "w") as file:
        file.write("%s %d %d %.17g %.17g\n" % scene[:5])
        for row, key in zip(rows, sorted(found)):
            p = found[key]
            turn = list(p[4:8])
            if int(row[0]) != BOX:
                turn = product(turn, FROM_Y)
            values = [*row[1:4], *p[1:4], *turn]
            file.write("%d " % int(row[0]) + " ".join("%.17g" % x for x in values) + "\n")


def main():
    scene = read_scene(sys.argv[1])
    steps, final, tolerance, seconds = int(sys.argv[2]), sys.argv[3], float(sys.argv[4]), float(sys.argv[5])
    smallest = min(min(r[1:4]) if int(r[0]) == BOX else r[1] for r in scene[5])
    bullet = SiconosBulletOptions()
    bullet.worldScale = 1.0
    bullet.contactBreakingThreshold = 0.04 if smallest >= 0.4 else 0.02 * min(1.0, 10 * smallest)
    bullet.perturbationIterations = 3
    bullet.minimumPointsPerturbationThreshold = 3
    options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 100000
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    done = {"steps": 0, "cpu": 0.0}

    def before(_):
        done.setdefault("start", (time.process_time(), time.time()))

    def after(_):
        done["steps"] += 1
        done["cpu"] = time.process_time() - done["start"][0]
        if done["cpu"] > seconds:
            raise Late()

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.hdf5")
        with MechanicsHdf5Runner(io_filename=path, mode="w") as io:
            write_input(io, scene)
        with MechanicsHdf5Runner(io_filename=path, mode="r+") as io:
            try:
                io.run(t0=0, T=steps * STEP, h=STEP, bullet_options=bullet, solver_options=options,
                       Newton_max_iter=1, Newton_options=kernel.SICONOS_TS_LINEAR, theta=0.50001,
                       verbose=False, verbose_progress=False, output_frequency=10 ** 9,
                       start_run_iteration_hook=before, end_run_iteration_hook=after)
            except Late:
                pass
            write_final(io, final, scene)
    print("RESULT siconos-nsgs-%.0e %s steps %d cpu %.4f wall %.4f rate %.4g" % (
        tolerance, scene[0], done["steps"], done["cpu"], time.time() - done["start"][1],
        done["steps"] / done["cpu"]), flush=True)


main()
