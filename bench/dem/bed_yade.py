# SPDX-License-Identifier: Apache-2.0
# The bed of bench_dem for Yade.
"""Prints processor seconds of the steps, contacts a grain (of walls, too), fastest grain and stiffness of a contact.

usage: yade -j1 -n -x bed_yade.py BED SIDE hooke|hertz WARM STEPS SLOPE CLUMP HULL
CLUMP is the number of spheres of a grain, 0 for spheres; HULL is - or octahedron.
"""
import math
import sys
import time

from yade import *  # noqa: F403
from yade import utils

BED, SIDE, LAW, WARM, STEPS, SLOPE, CLUMP, HULL = sys.argv[1:9]
SIDE, WARM, STEPS, SLOPE, CLUMP = float(SIDE), int(WARM), int(STEPS), float(SLOPE), int(CLUMP)
STEP, DENSITY = 2e-5, 2500.0


def material():
    if HULL != "-":
        return PolyhedraMat(young=1e7, poisson=0.3, density=DENSITY, frictionAngle=math.atan(0.5))
    if LAW == "hooke":  # springs of two bodies in a row; the dashpot of a contact is that of the mean mass of 1 g
        return ViscElMat(kn=2e4, ks=2 * 2857.0, cn=2 * 0.44, cs=2 * 0.22, density=DENSITY, frictionAngle=math.atan(0.5))
    return FrictMat(young=1e7, poisson=0.3, density=DENSITY, frictionAngle=math.atan(0.5))


def add_bed():
    stuff = O.materials.append(material())
    from yade import polyhedra_utils
    for row in (list(map(float, line.split())) for line in open(BED, encoding="ascii")):
        place, radius = row[:3], row[3]
        if HULL != "-":
            corners = [(s * radius * (k == 0), s * radius * (k == 1), s * radius * (k == 2)) for k in range(3) for s in (1, -1)]
            turn = Quaternion(*row[4:8])
            body = polyhedra_utils.polyhedra(O.materials[stuff], v=[tuple(turn * Vector3(c) + Vector3(place)) for c in corners])
            O.bodies.append(body)
        elif CLUMP:
            small, turn = 0.6 * radius, Quaternion(*row[4:8])
            O.bodies.appendClumped([utils.sphere(
                Vector3(place) + turn * Vector3(0.4 * radius * math.cos(2 * math.pi * k / CLUMP),
                                                0.4 * radius * math.sin(2 * math.pi * k / CLUMP), 0), small, material=stuff)
                for k in range(CLUMP)])
        else:
            O.bodies.append(utils.sphere(place, radius, material=stuff))
    if HULL != "-":
        walls = [((0, SIDE / 2, 0), 0, 1), ((SIDE, SIDE / 2, 0), 0, -1), ((SIDE / 2, 0, 0), 1, 1), ((SIDE / 2, SIDE, 0), 1, -1), ((SIDE / 2, SIDE / 2, 0), 2, 1)]
    else:
        walls = [((0, 0, 0), 0, 1), ((SIDE, 0, 0), 0, -1), ((0, 0, 0), 1, 1), ((0, SIDE, 0), 1, -1), ((0, 0, 0), 2, 1)]
    for place, axis, sense in walls:
        O.bodies.append(utils.wall(place, axis=axis, sense=sense, material=stuff))


def engines():
    if HULL != "-":
        loop = InteractionLoop([Ig2_Wall_Polyhedra_PolyhedraGeom(), Ig2_Polyhedra_Polyhedra_PolyhedraGeom()],
                               [Ip2_PolyhedraMat_PolyhedraMat_PolyhedraPhys()], [Law2_PolyhedraGeom_PolyhedraPhys_Volumetric()])
        bounds = [Bo1_Polyhedra_Aabb(), Bo1_Wall_Aabb()]
    else:
        laws = {"hooke": ([Ip2_ViscElMat_ViscElMat_ViscElPhys()], [Law2_ScGeom_ViscElPhys_Basic()]),
                "hertz": ([Ip2_FrictMat_FrictMat_MindlinPhys(en=0.7)], [Law2_ScGeom_MindlinPhys_Mindlin()])}
        loop = InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()], *laws[LAW])
        bounds = [Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]
    length = math.hypot(SLOPE, 1.0)
    weight = (9.81 * SLOPE / length, 0, -9.81 / length)
    return [ForceResetter(), InsertionSortCollider(bounds, verletDist=-0.3), loop, NewtonIntegrator(gravity=weight, damping=0.0)]


add_bed()
O.engines = engines()
O.dt = STEP
if WARM > 0:  # 0 steps would be as many as one likes
    O.run(WARM, True)
begin = time.process_time()
O.run(STEPS, True)
seconds = time.process_time() - begin
real = sum(1 for i in O.interactions if i.isReal)
grains = sum(1 for line in open(BED, encoding="ascii"))
fastest = max(b.state.vel.norm() for b in O.bodies)
print(f"yade seconds {seconds:.6g} contacts {2 * real / grains:.3f} fastest {fastest:.3g} "
      f"stiffness {O.interactions.nth(0).phys.dict().get('kn', 0):.4g}")
sys.exit(0)
