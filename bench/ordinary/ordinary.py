#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Ordinary situations with a known answer, in this engine and in the peers that can be had: what each leaves of it.
"""usage: ordinary.py CAIRN FOLDER [CASE...]

Runs near misses, seams, chains and a rotor with CAIRN, and with Bullet and MuJoCo where Debian's libbullet-dev and
libmujoco-dev are installed, Rapier and Jolt where npm installs `@dimforge/rapier3d-compat` and `jolt-physics` into FOLDER.
All get the same bodies, masses, inertias, joints and step, no damping, and no sleeping. Energies, speeds and gaps of joints are worked
out here from the states that they write. Writes a table in Markdown to the standard output.
"""
import json
import math
import os
import subprocess
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
GRAVITY = 9.81
STILL = [0.0, 0.0, 0.0]
PLAIN = [1.0, 0.0, 0.0, 0.0]


def body(shape, size, position, mass=0.0, turn=None, velocity=None, spin=None):
    """A body of the neutral scene: box by half sizes, sphere by [radius], capsule along z by [radius, half length]; mass 0 is fixed."""
    return {"shape": shape, "size": size, "position": position, "mass": mass, "turn": turn or PLAIN,
            "velocity": velocity or STILL, "spin": spin or STILL, "inertia": inertia(shape, size, mass)}


def inertia(shape, size, mass):
    """kg m2, about the axes of the body"""
    if shape == "box":
        square = [each ** 2 for each in size]
        return [mass / 3 * (sum(square) - each) for each in square]
    if shape == "sphere":
        return [0.4 * mass * size[0] ** 2] * 3
    radius, length = size[0], 2 * size[1]
    tube, ball = length, 4 / 3 * radius
    tube, ball = mass * tube / (tube + ball), mass * ball / (tube + ball)
    along = 0.5 * tube * radius ** 2 + 0.4 * ball * radius ** 2
    across = tube * (length ** 2 / 12 + radius ** 2 / 4) + \
        ball * (0.4 * radius ** 2 + 0.25 * length ** 2 + 0.375 * length * radius)
    return [across, across, along]


def scene(bodies, steps, joints=(), gravity=0.0, friction=0.0, step=1 / 200, collide=True):
    return {"bodies": bodies, "joints": list(joints), "gravity": gravity, "friction": friction, "step": step,
            "steps": steps, "collide": collide}


def joint(kind, first, second, at, axis=(0.0, 0.0, 1.0)):
    """Joint of two bodies, first = -1 for the world, at a place and about an axis of the world."""
    return {"kind": kind, "first": first, "second": second, "at": list(at), "axis": list(axis)}


def chain(links, load, spin=0.0, hang=False):
    """Links of 0.1 kg and 0.1 m on ball joints, from the horizontal or hanging, with a ball of `load` kg at the end."""
    turn = PLAIN if hang else [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0]

    def place(way):
        return [0.0, 0.0, -way] if hang else [way, 0.0, 0.0]

    bodies = [body("capsule", [0.005, 0.04], place(0.1 * (i + 0.5)), 0.1, turn) for i in range(links)]
    bodies[0]["velocity"] = [-0.05 * spin, 0.0, 0.0]
    bodies[0]["spin"] = [0.0, spin, 0.0]
    joints = [joint("ball", i - 1, i, place(0.1 * i)) for i in range(links)]
    if load > 0.0:
        bodies.append(body("sphere", [0.05], place(0.1 * links + 0.05), load))
        joints.append(joint("ball", links - 1, links, place(0.1 * links)))
    return scene(bodies, 600, joints, GRAVITY, collide=False)


def rotor(speed):
    bar = body("box", [0.25, 0.025, 0.025], [0.25, 0.0, 0.0], 1.0, velocity=[0.0, 0.0, -0.25 * speed],
               spin=[0.0, speed, 0.0])
    return scene([bar], 400, [joint("hinge", -1, 0, STILL, (0.0, 1.0, 0.0))])


def floor_of(tiles):
    return [body("box", [0.5, 0.5, 0.05], [i - 0.5, 0.0, -0.05]) for i in range(tiles)]


def sliding(tiles, mover, steps, friction=0.0):
    return scene(floor_of(tiles) + [mover], steps, gravity=GRAVITY, friction=friction)


BRICK = body("box", [0.06, 0.04, 0.03], [-0.2, 0.0, 0.03], 1.0, velocity=[1.0, 0.0, 0.0])
BALL = body("sphere", [0.05], [-0.2, 0.0, 0.05], 1.0, velocity=[1.0, 0.0, 0.0], spin=[0.0, 20.0, 0.0])
FIXED_CUBE = body("box", [0.1, 0.1, 0.1], STILL)


def passing(half, gap, speed, turn=None, shape="box"):
    size = [half] * (3 if shape == "box" else 1)
    mover = body(shape, size, [-0.25, 0.0, 0.1 + half + gap], 1.0, turn, [speed, 0.0, 0.0])
    return scene([FIXED_CUBE, mover], max(10, round(0.5 / speed * 200)))


def speed_kept(neutral, states):
    return numpy.linalg.norm(states[-1]["velocity"]) / numpy.linalg.norm(neutral["bodies"][-1]["velocity"])


def rotation(q):
    w, x, y, z = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def energy(neutral, states):
    total = 0.0
    for each, state in zip(neutral["bodies"], states):
        spin = rotation(state["turn"]).T @ numpy.array(state["spin"])
        total += 0.5 * each["mass"] * numpy.dot(state["velocity"], state["velocity"])
        total += 0.5 * numpy.dot(each["inertia"], spin ** 2)
        total += each["mass"] * neutral["gravity"] * state["position"][2]
    return total


def kinetic_kept(neutral, states):
    return energy(neutral, states) / energy(neutral, neutral["bodies"])


def energy_gained(neutral, states):
    """Of the energy that the chain has between hanging and its start, or m g l of a link for one that hangs at its start."""
    lever = sum(each["mass"] * (0.1 * (i + 0.5)) for i, each in enumerate(neutral["bodies"]))
    hangs = neutral["bodies"][0]["position"][2] < 0.0
    scale = GRAVITY * (0.1 * neutral["bodies"][0]["mass"] if hangs else lever)
    return (energy(neutral, states) - energy(neutral, neutral["bodies"])) / scale


def stretch(neutral, states):
    """m, the widest gap of a joint"""
    widest = 0.0
    for each in neutral["joints"]:
        places = []
        for index in (each["first"], each["second"]):
            if index < 0:
                places.append(numpy.array(each["at"]))
                continue
            start = neutral["bodies"][index]
            arm = rotation(start["turn"]).T @ (numpy.array(each["at"]) - start["position"])
            places.append(numpy.array(states[index]["position"]) + rotation(states[index]["turn"]) @ arm)
        widest = max(widest, float(numpy.linalg.norm(places[0] - places[1])))
    return widest


SPEED = ("speed kept, right: 1", speed_kept)
CHAIN = [("energy gained, right: 0", energy_gained), ("widest gap of a joint, m", stretch)]
# name: what it is, neutral scene, [(what is judged, function of scene and last states)]
CASES = {
    "miss_1mm": ("a cube flies 1 mm beside another at 1 m/s", passing(0.05, 0.001, 1.0), [SPEED]),
    "miss_10mm": ("the same 10 mm beside it at 10 m/s", passing(0.05, 0.01, 10.0), [SPEED]),
    "miss_ball": ("a ball flies 1 mm beside a cube at 2 m/s", passing(0.05, 0.001, 2.0, shape="sphere"), [SPEED]),
    "miss_turned": ("a cube on its edge flies 1 mm beside another",
                    passing(0.05, 0.05 * (math.sqrt(2) - 1) + 0.001, 1.0,
                            [math.cos(math.pi / 8), 0.0, math.sin(math.pi / 8), 0.0]), [SPEED]),
    "seam_brick": ("a brick slides from one box on to a flush one", sliding(2, BRICK, 80), [SPEED]),
    "seams_brick": ("a brick slides over six seams", sliding(7, BRICK, 1200), [SPEED]),
    "seams_ball": ("a ball rolls over six seams", sliding(7, BALL, 1200, 0.5), [SPEED]),
    "chain_10": ("ten links let go from the horizontal", chain(10, 0.0), CHAIN),
    "chain_ball": ("the same with a ball as heavy as a link", chain(10, 0.1), CHAIN),
    "chain_heavy": ("the same with a ball of 10 kg", chain(10, 10.0), CHAIN),
    "chain_tapped": ("12.5 kg hang on ten links, the first is tapped", chain(10, 12.5, 0.02, True), CHAIN),
    "rotor": ("a bar on a hinge at its end, 200 rad/s, 2 s", rotor(200.0), [("energy kept, right: 1", kinetic_kept)]),
}


def lua(neutral):
    lines = [f"simulation{{step={neutral['step']!r},end_time={neutral['step'] * neutral['steps']!r}}}",
             f"gravity{{0,0,{-neutral['gravity']!r}}}", f"pair{{friction={neutral['friction']!r}}}"]

    def numbers(values):
        return "{" + ",".join(repr(float(value)) for value in values) + "}"

    for i, each in enumerate(neutral["bodies"]):
        size = each["size"]
        shape = {"box": lambda: f"box{{size={numbers(2 * s for s in size)}}}",
                 "sphere": lambda: f"sphere{{radius={size[0]!r}}}",
                 "capsule": lambda: f"capsule{{radius={size[0]!r},length={2 * size[1]!r}}}"}[each["shape"]]()
        moving = f"mass={each['mass']!r},inertia={numbers(each['inertia'])},velocity={numbers(each['velocity'])}," \
            f"angular_velocity={numbers(each['spin'])}" if each["mass"] > 0 else 'kind="fixed"'
        apart = "" if neutral["collide"] else ",groups=2,mask=4"
        lines.append(f'body{{name="b{i}",shape={shape},position={numbers(each["position"])},'
                     f'orientation={numbers(each["turn"])},{moving}{apart}}}')
    for each in neutral["joints"]:
        names = ",".join(f'"b{index}"' for index in (each["first"], each["second"]) if index >= 0)
        lines.append(f'joint{{kind="{each["kind"]}",bodies={{{names}}},at={numbers(each["at"])},axis={numbers(each["axis"])}}}')
    return "\n".join(lines).replace("'", '"') + "\n"


def run(words, folder=None):
    return subprocess.run(words, capture_output=True, text=True, cwd=folder)


def with_cairn(program, folder, neutral):
    import csv

    path = os.path.join(folder, "scene.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(lua(neutral))
    out = os.path.join(folder, "run")
    done = run([program, "run", path, "--out", out, "--quiet", "--paraview", "none", "--trajectory-every", "0"])
    if done.returncode not in (0, 5):
        return "explodes" if "explosion" in done.stderr else done.stderr.strip().splitlines()[-1]
    with open(os.path.join(out, "bodies.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def read(row, name, axes="xyz"):
        return [float(value) for axis in axes for key, value in row.items() if key.startswith(f"{name} {axis}")]

    return [{"position": read(row, "position"), "turn": read(row, "orientation", "wxyz"),
             "velocity": read(row, "velocity"), "spin": read(row, "angular velocity")} for row in rows]


def with_peer(words, folder, neutral):
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(neutral, file)
    with open(os.path.join(folder, "scene.txt"), "w", encoding="utf-8") as file:
        file.write(plain(neutral))
    done = run([word.replace("SCENE", os.path.join(folder, "scene")) for word in words], folder)
    return json.loads(done.stdout) if done.returncode == 0 else "explodes" if done.returncode == 1 else "no result"


def plain(neutral):
    """The neutral scene as numbers alone, for the drivers in C++."""
    shapes, kinds = ("box", "sphere", "capsule"), ("ball", "hinge")
    lines = [f"{neutral['gravity']} {neutral['friction']} {neutral['step']} {neutral['steps']} "
             f"{int(neutral['collide'])} {len(neutral['bodies'])} {len(neutral['joints'])}"]
    for each in neutral["bodies"]:
        size = (each["size"] + [0.0, 0.0])[:3]
        lines.append(" ".join(repr(float(value)) for value in (
            shapes.index(each["shape"]), *size, each["mass"], *each["inertia"], *each["position"], *each["turn"],
            *each["velocity"], *each["spin"])))
    for each in neutral["joints"]:
        lines.append(" ".join(repr(float(value)) for value in (
            kinds.index(each["kind"]), each["first"], each["second"], *each["at"], *each["axis"])))
    return "\n".join(lines) + "\n"


def build(folder, source, *flags):
    """The program of a driver in C++, None where its library is not here."""
    program = os.path.join(folder, source.split(".")[0])
    done = run(["c++", "-O2", "-o", program, os.path.join(HERE, source), *flags])
    return program if done.returncode == 0 else None


def peers(folder):
    """{name: words that run it}"""
    found = {}
    flags = run(["pkg-config", "--cflags", "--libs", "bullet"]).stdout.split()
    bullet = build(folder, "peer_bullet.cpp", *flags)
    if bullet:
        found["Bullet"] = [bullet, "SCENE.txt"]
    mujoco = build(folder, "peer_mujoco.cpp", "-lmujoco")
    if mujoco:
        found["MuJoCo"] = [mujoco, "SCENE.txt", "Euler"]
        found["MuJoCo, RK4"] = [mujoco, "SCENE.txt", "RK4"]
    modules = os.path.join(folder, "node_modules")
    if not os.path.isdir(modules):
        run(["npm", "install", "--prefix", folder, "@dimforge/rapier3d-compat", "jolt-physics"])
    for name in ("rapier", "jolt"):
        driver = os.path.join(HERE, f"peer_{name}.mjs")
        if os.path.isdir(modules):
            found[name.capitalize()] = ["node", driver, modules, "SCENE.json"]
    return found


def judge(function, neutral, states):
    if isinstance(states, str):
        return states
    with numpy.errstate(all="ignore"):
        value = function(neutral, states)
    return f"{value:.4g}" if math.isfinite(value) else "not finite"


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    found = peers(folder)
    print("| case | judged | cairn | " + " | ".join(found) + " |")
    print("|---" * (3 + len(found)) + "|")
    for name in sys.argv[3:] or CASES:
        what, neutral, judged = CASES[name]
        states = [with_cairn(program, folder, neutral)] + [with_peer(words, folder, neutral) for words in found.values()]
        for quantity, function in judged:
            print(f"| {what} | {quantity} | " + " | ".join(judge(function, neutral, each) for each in states) + " |", flush=True)


if __name__ == "__main__":
    main()
