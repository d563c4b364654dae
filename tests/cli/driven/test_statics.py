# SPDX-License-Identifier: Apache-2.0
# Machines and leaning bodies against statics in closed form, for steps, tolerances and solvers.
"""usage: test_statics.py PROGRAM ROOT [NAME]"""
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_status, finish, load

GRAVITY = 9.81


def column_name(words):
    """NAME.x of "NAME position x", NAME of "NAME effort"."""
    if words[-1] in ("x", "y", "z"):
        return " ".join(words[:-2]) + "." + words[-1]
    return " ".join(words[:-1]) or words[0]


def run(name, text, step, tolerance, solver, until, more=()):
    """Columns of sensors.csv by the names of their sensors, each a list over time."""
    with Folder() as folder:
        folder.write("a.lua", text)
        result = folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--json", "--step", str(step), "--tolerance",
                              str(tolerance), "--solver", solver, "--until", str(until), "--paraview", "none", *more)
        check_status(result, 0, name)
        if result.status != 0:
            return None
        said = load(result.out)
        check(said["error_max"] <= 10 * tolerance, f"{name}: residual {said['error_max']}")
        check(abs(said["energy_residual"]) < 1e-6, f"{name}: energy residual {said['energy_residual']}")
        lines = folder.read("r/sensors.csv").splitlines()
        names = [column_name(word.split(" [")[0].split(" ")) for word in lines[0].split(",")]
        return dict(zip(names, zip(*[[float(x) for x in line.split(",")] for line in lines[1:]])))


def close(got, expected, bound, what):
    check(abs(got - expected) <= bound * max(abs(expected), 1e-300), f"{what}: {got} instead of {expected}")


GRID = [(2e-3, 1e-6, "auto"), (5e-3, 1e-5, "auto"), (5e-4, 1e-8, "auto"), (2e-3, 1e-7, "nipm"),
        (2e-3, 1e-6, "gauss_seidel"), (5e-3, 1e-6, "newton_alart_curnier")]


def grid():
    for step, tolerance, solver in GRID:
        yield step, tolerance, solver, f"h = {step}, tolerance {tolerance}, {solver}"


# a plank leans against a wall: it slips below the friction at which both ends slide at once
def ladder():
    a, b, angle = 1.0, 0.01, math.radians(60)
    c, s = math.cos(angle), math.sin(angle)

    def excess(mu):
        return mu / (1 + mu * mu) * 2 * a * (s + mu * c) - (a * c - b * s)

    low, high = 0.0, 1.0
    while high - low > 1e-14:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    x, z = a * c + b * s, a * s + b * c
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = %.15g }}
        ground{{}}
        body{{ kind = "fixed", shape = plane{{}}, rotation = {{ axis = {{0, 1, 0}}, angle = 90 }} }}
        body{{ name = "plank", shape = box{{ size = {{{2 * a}, 0.3, {2 * b}}} }}, position = {{{x:.15g}, 0, {z:.15g}}},
              rotation = {{ axis = {{0, 1, 0}}, angle = 60 }} }}
        sensor{{ name = "p", body = "plank", quantity = "position" }}
    """
    for step, tolerance, solver, words in grid():
        for factor in 1.01, 0.99:
            got = run(f"ladder {words}", text % (factor * low), step, tolerance, solver, 0.5)
            way = max(abs(got["p.x"][-1] - x), abs(got["p.z"][-1] - z))
            check((way < 1e-6) if factor > 1 else (way > 1e-3), f"ladder at {factor} of its friction, {words}: way {way}")


# a ram pushes a wedge under a block between guides: it lifts above W tan(alpha + phi) + friction on the ground
def wedge():
    alpha, mu, ground = math.radians(15), 0.2, 0.1
    block, wedge_mass, t = 4.0, 1.0, math.tan(alpha)
    needed = block * GRAVITY * math.tan(alpha + math.atan(mu)) + ground * (block + wedge_mass) * GRAVITY
    text = f"""
        simulation{{ step = 1e-3 }}
        material{{ name = "steel" }} material{{ name = "floor" }} material{{ name = "wax" }}
        pair{{ friction = {mu} }}
        pair{{ "steel", "floor", friction = {ground} }}
        pair{{ "steel", "wax", friction = 0 }}
        ground{{ material = "floor" }}
        local t = {t:.17g}
        local function prism(z0, z1, z2)
            local points = {{}}
            for y = -0.05, 0.05, 0.1 do
                for _, p in ipairs{{ {{0, z0}}, {{0.2, z0}}, {{0, z1}}, {{0.2, z2}} }} do points[#points + 1] = {{p[1], y, p[2]}} end
            end
            return polyhedron{{ points = points }}
        end
        body{{ name = "wedge", material = "steel", mass = {wedge_mass}, shape = prism(0, 0.08, 0.08 - 0.2 * t) }}
        body{{ name = "block", material = "steel", mass = {block}, shape = prism(0.2, 0.08, 0.08 - 0.2 * t) }}
        body{{ name = "ram", material = "wax", mass = 0.1, shape = sphere{{ radius = 0.02 }}, position = {{-0.02, 0, 0.03}} }}
        joint{{ kind = "slider", bodies = {{"block"}}, at = {{0.1, 0, 0.2}} }}
        joint{{ name = "push", kind = "slider", bodies = {{"ram"}}, at = {{-0.02, 0, 0.03}}, axis = {{1, 0, 0}},
               motor = {{ velocity = 0.5, limit = %.15g }} }}
        sensor{{ name = "p", body = "block", quantity = "position" }}
        sensor{{ name = "force", joint = "push", quantity = "effort" }}
    """
    for step, tolerance, solver, words in grid():
        for factor in 1.01, 0.99:
            got = run(f"wedge {words}", text % (factor * needed), step, tolerance, solver, 0.3)
            rise = got["p.z"][-1] - got["p.z"][0]
            check(abs(rise) < 1e-6 if factor < 1 else rise > 1e-4, f"wedge at {factor} of its force, {words}: rise {rise}")
            close(got["force"][-1], factor * needed, 1e-9, f"wedge {words}: force of the ram")


# a crank with a motor presses a piston against a stop through a rod
def press():
    r, rod, torque, angle = 0.1, 0.25, 3.0, math.radians(50)
    c, s = math.cos(angle), math.sin(angle)
    root = math.sqrt(rod * rod - r * r * s * s)
    force = torque / (r * s + r * r * s * c / root)
    px, pz, end = r * c, r * s, r * c + root
    text = f"""
        simulation{{ step = 1e-3 }}
        gravity{{0, 0, 0}}
        pair{{ friction = 0.3 }}
        local dot = sphere{{ radius = 0.02 }}
        body{{ name = "crank", mass = 0.3, shape = dot, position = {{{px / 2:.15g}, 0, {pz / 2:.15g}}} }}
        body{{ name = "rod", mass = 0.2, shape = dot, position = {{{(px + end) / 2:.15g}, 0.1, {pz / 2:.15g}}} }}
        body{{ name = "piston", mass = 0.5, shape = dot, position = {{{end:.15g}, 0, 0}} }}
        body{{ name = "stop", kind = "fixed", shape = box{{ size = {{0.1, 0.1, 0.1}} }}, position = {{{end + 0.07:.15g}, 0, 0}} }}
        joint{{ name = "shaft", kind = "hinge", bodies = {{"crank"}}, at = {{0, 0, 0}}, axis = {{0, 1, 0}},
               motor = {{ velocity = 2, limit = {torque} }} }}
        joint{{ kind = "hinge", bodies = {{"crank", "rod"}}, at = {{{px:.15g}, 0, {pz:.15g}}}, axis = {{0, 1, 0}} }}
        joint{{ kind = "hinge", bodies = {{"rod", "piston"}}, at = {{{end:.15g}, 0, 0}}, axis = {{0, 1, 0}} }}
        joint{{ kind = "slider", bodies = {{"piston"}}, at = {{{end:.15g}, 0, 0}}, axis = {{1, 0, 0}} }}
        sensor{{ name = "shaft", joint = "shaft", quantity = "effort" }}
        sensor{{ name = "stop", body = "stop", quantity = "force" }}
    """
    for step, tolerance, solver, words in grid():
        got = run(f"press {words}", text, step, tolerance, solver, 0.2)
        close(got["shaft"][-1], torque, 1e-7, f"press {words}: torque")
        close(got["stop.x"][-1], force, 1e-4, f"press {words}: force on the stop")


# three fingers hold a drum against its weight and a torque about its axis
def fingers():
    radius, mass, grip, torque = 0.06, 1.2, 30.0, 0.5
    needed = math.hypot(mass * GRAVITY, torque / radius) / (3 * grip)
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = %.15g }}
        body{{ name = "drum", mass = {mass}, shape = cylinder{{ radius = {radius}, length = 0.2 }} }}
        load{{ body = "drum", torque = {{0, 0, {torque}}} }}
        for k = 0, 2 do
            local c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
            local name = "finger " .. k
            body{{ name = name, mass = 0.1, shape = sphere{{ radius = 0.015 }}, position = {{{radius + 0.015} * c, {radius + 0.015} * s, 0}} }}
            joint{{ name = name, kind = "slider", bodies = {{name}}, at = {{0.1 * c, 0.1 * s, 0}}, axis = {{-c, -s, 0}},
                   motor = {{ velocity = 0.1, limit = {grip} }} }}
        end
        sensor{{ name = "p", body = "drum", quantity = "position" }}
        sensor{{ name = "w", body = "drum", quantity = "angular_velocity" }}
        sensor{{ name = "grip", joint = "finger 1", quantity = "effort" }}
    """
    for step, tolerance, solver, words in grid():
        for factor in 1.01, 0.99:
            got = run(f"fingers {words}", text % (factor * needed), step, tolerance, solver, 0.2)
            drop, turn = -got["p.z"][-1], got["w.z"][-1]
            if factor > 1:
                check(abs(drop) < 1e-7 and abs(turn) < 1e-5, f"fingers above the threshold, {words}: drop {drop}, spin {turn}")
            else:
                check(drop > 5e-4, f"fingers below the threshold, {words}: drop {drop}")
            close(got["grip"][-1], grip, 1e-6, f"fingers {words}: grip")


# two hinged jaws hold a ball; friction bends the jaws by their thickness
def jaws():
    radius, arm, half, mass, mu = 0.04, 0.2, 0.01, 0.5, 0.4
    normal = mass * GRAVITY / (2 * mu)
    torque = normal * arm + 0.5 * mass * GRAVITY * half
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = {mu} }}
        body{{ name = "ball", mass = {mass}, shape = sphere{{ radius = {radius} }} }}
        for side = -1, 1, 2 do
            local name = side < 0 and "left" or "right"
            local x = side * {radius + half}
            body{{ name = name, mass = 0.2, shape = box{{ size = {{{2 * half}, 0.03, 0.3}} }}, position = {{x, 0, {arm / 2}}} }}
            joint{{ name = name, kind = "hinge", bodies = {{name}}, at = {{x, 0, {arm}}}, axis = {{0, side, 0}},
                   motor = {{ velocity = 0.5, limit = %.15g }} }}
        end
        sensor{{ name = "p", body = "ball", quantity = "position" }}
        sensor{{ name = "left", joint = "left", quantity = "effort" }}
    """
    for step, tolerance, solver, words in grid():
        for factor in 1.01, 0.99:
            got = run(f"jaws {words}", text % (factor * torque), step, tolerance, solver, 0.2)
            drop = -got["p.z"][-1]
            check(abs(drop) < 1e-6 if factor > 1 else drop > 5e-4, f"jaws at {factor} of their torque, {words}: drop {drop}")
            close(got["left"][-1], factor * torque, 1e-6, f"jaws {words}: torque")


# a wheel with a brake on its axle is pulled by a trailing arm: it rolls against the brake, or skids
def braked_wheel():
    r, arm, wheel, link, mu = 0.1, 0.4, 2.0, 0.5, 0.3
    load_ = (wheel + 0.5 * link) * GRAVITY
    skid = mu * load_ / (1 + mu * r / arm)
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = {mu} }}
        ground{{}}
        body{{ name = "car", kind = "moving", shape = sphere{{ radius = 0.02 }}, position = {{0, 0, {r}}}, velocity = {{0.5, 0, 0}} }}
        body{{ name = "arm", mass = {link}, shape = sphere{{ radius = 0.02 }}, position = {{{-arm / 2}, 0.1, {r}}}, velocity = {{0.5, 0, 0}} }}
        body{{ name = "wheel", mass = {wheel}, shape = cylinder{{ radius = {r}, length = 0.05 }}, position = {{{-arm}, 0, {r}}},
              rotation = {{ axis = {{1, 0, 0}}, angle = 90 }}, velocity = {{0.5, 0, 0}}, angular_velocity = {{0, {0.5 / r}, 0}} }}
        joint{{ kind = "hinge", bodies = {{"car", "arm"}}, at = {{0, 0, {r}}}, axis = {{0, 1, 0}} }}
        joint{{ name = "brake", kind = "hinge", bodies = {{"arm", "wheel"}}, at = {{{-arm}, 0, {r}}}, axis = {{0, 1, 0}}, friction = %.15g }}
        sensor{{ name = "ground", body = "ground", quantity = "force" }}
        sensor{{ name = "speed", joint = "brake", quantity = "speed" }}
    """
    for step, tolerance, solver, words in grid():
        for factor in 0.5, 0.99, 1.01, 2.0:
            got = run(f"wheel {words}", text % (factor * skid * r), step, tolerance, solver, 0.3)
            pull = got["ground.x"][-1]
            # what skids and still turns slows down, and its inertia takes load off the ground
            turns = 1 < factor < 1.5
            expected = mu * (load_ - factor * skid * r / arm) if turns else min(factor, 1) * skid
            close(pull, expected, 2e-4, f"wheel braked with {factor}, {words}: pull")
            if factor < 1:
                close(got["speed"][-1], 0.5 / r, 2e-4, f"wheel braked with {factor}, {words}: it rolls")
            if factor > 1.5:
                check(abs(got["speed"][-1]) < 1e-4 * 0.5 / r, f"wheel braked with {factor}, {words}: it is blocked, not {got['speed'][-1]}")


# a cylindrical joint presses two feet on a wall while it turns: dry friction brings it to rest
def drill():
    force, radius, mu, inertia, spin = 20.0, 0.05, 0.25, 2e-3, 12.0
    text = f"""
        simulation{{ step = 1e-3 }}
        gravity{{0, 0, 0}}
        pair{{ friction = {mu} }}
        body{{ name = "wall", kind = "fixed", shape = box{{ size = {{0.1, 0.4, 0.4}} }}, position = {{0.06, 0, 0}} }}
        local foot = sphere{{ radius = 0.01 }}
        body{{ name = "bit", mass = 0.7, inertia = {{{inertia}, 3e-3, 3e-3}}, angular_velocity = {{{spin}, 0, 0}},
              shape = compound{{ {{ shape = foot, position = {{0, {radius}, 0}} }}, {{ shape = foot, position = {{0, {-radius}, 0}} }} }} }}
        joint{{ name = "feed", kind = "cylindrical", bodies = {{"bit"}}, at = {{0, 0, 0}}, axis = {{1, 0, 0}},
               motor = {{ velocity = 0.1, limit = {force} }} }}
        sensor{{ name = "w", body = "bit", quantity = "angular_velocity" }}
        sensor{{ name = "feed", joint = "feed", quantity = "effort" }}
    """
    slowing = mu * force * radius / inertia
    for step, tolerance, solver, words in grid():
        got = run(f"drill {words}", text, step, tolerance, solver, 0.12)
        rates = [(w - v) / step for v, w in zip(got["w.x"][2:], got["w.x"][3:]) if w > 0.5]
        close(min(rates), -slowing, 1e-3, f"drill {words}: slowing")
        close(max(rates), -slowing, 1e-3, f"drill {words}: slowing")
        check(abs(got["w.x"][-1]) < 1e-6, f"drill {words}: it stands")
        close(got["feed"][-1], force, 1e-7, f"drill {words}: feed")


# an arm with weight presses a slope that has no friction
def arm_on_slope():
    length, mass, torque, angle, slope, ball = 0.5, 1.5, 4.0, 25.0, 35.0, 0.03
    a, b = math.radians(angle), math.radians(slope)
    tip = (length * math.cos(a), -length * math.sin(a))
    n = (-math.sin(b), math.cos(b))
    touch = (tip[0] - ball * n[0], tip[1] - ball * n[1])
    # moments about the hinge, of what turns the arm down
    normal = (torque + mass * GRAVITY * 0.5 * tip[0]) / (touch[0] * n[1] - touch[1] * n[0])
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = 0 }}
        body{{ name = "slope", kind = "fixed", shape = plane{{}}, position = {{{touch[0]:.15g}, 0, {touch[1]:.15g}}},
              rotation = {{ axis = {{0, -1, 0}}, angle = {slope} }} }}
        body{{ name = "arm", mass = {mass}, shape = compound{{ {{ shape = sphere{{ radius = {ball} }}, position = {{{length / 2}, 0, 0}} }},
              {{ shape = sphere{{ radius = {ball} }}, position = {{{-length / 2}, 0, 0}} }} }}, inertia = {{0.1, 0.1, 0.1}},
              position = {{{tip[0] / 2:.15g}, 0, {tip[1] / 2:.15g}}}, rotation = {{ axis = {{0, 1, 0}}, angle = {angle} }} }}
        joint{{ name = "shoulder", kind = "hinge", bodies = {{"arm"}}, at = {{0, 0, 0}}, axis = {{0, 1, 0}},
               motor = {{ velocity = 0.4, limit = {torque} }} }}
        sensor{{ name = "slope", body = "slope", quantity = "force" }}
        sensor{{ name = "shoulder", joint = "shoulder", quantity = "effort" }}
    """
    for step, tolerance, solver, words in grid():
        got = run(f"arm {words}", text, step, tolerance, solver, 0.3)
        close(math.hypot(got["slope.x"][-1], got["slope.z"][-1]), normal, 1e-4, f"arm {words}: force on the slope")
        close(got["shoulder"][-1], torque, 1e-7, f"arm {words}: torque")


# rams of unlike strength push a block from both sides: friction decides whether it moves
def rams():
    weak, strong, mass = 10.0, 14.0, 1.0
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = %.15g }}
        material{{ name = "block" }} material{{ name = "ram" }}
        pair{{ "block", "ram", friction = 0 }}
        ground{{ material = "block" }}
        body{{ name = "block", mass = {mass}, material = "block", shape = box{{ size = {{0.2, 0.2, 0.1}} }}, position = {{0, 0, 0.05}} }}
        for side = -1, 1, 2 do
            local name = side < 0 and "strong" or "weak"
            body{{ name = name, mass = 0.2, material = "ram", shape = sphere{{ radius = 0.02 }}, position = {{side * 0.12, 0, 0.01}} }}
            joint{{ name = name, kind = "slider", bodies = {{name}}, at = {{side * 0.12, 0, 0.01}}, axis = {{-side, 0, 0}},
                   motor = {{ velocity = 0.05, limit = side < 0 and {strong} or {weak} }} }}
            sensor{{ name = name, joint = name, quantity = "effort" }}
            sensor{{ name = name .. " speed", joint = name, quantity = "speed" }}
        end
    """
    for step, tolerance, solver, words in grid():
        for drag in 3.96, 4.04:
            got = run(f"rams {words}", text % (drag / (mass * GRAVITY)), step, tolerance, solver, 2.0)
            moves = drag < strong - weak
            what = f"rams with a drag of {drag}, {words}"
            close(got["weak"][-1], weak, 1e-5, f"{what}: weak")
            close(got["strong"][-1], weak + drag if moves else strong, 1e-4, f"{what}: strong")
            speed = got["strong speed"][-1]
            check(abs(speed - (0.05 if moves else 0.0)) < 1e-6, f"{what}: speed {speed}")


# a lift that is too weak sinks with its load onto a stop
def lift():
    platform, box_, limit = 2.0, 1.0, 20.0
    falling = GRAVITY - limit / (platform + box_)
    text = f"""
        simulation{{ step = 1e-3 }}
        pair{{ friction = 0.5 }}
        body{{ name = "platform", mass = {platform}, shape = box{{ size = {{0.4, 0.4, 0.05}} }}, position = {{0, 0, -0.025}} }}
        body{{ name = "box", mass = {box_}, shape = box{{ size = {{0.1, 0.1, 0.1}} }}, position = {{0.12, 0.08, 0.05}} }}
        joint{{ name = "lift", kind = "slider", bodies = {{"platform"}}, at = {{0, 0, 0}}, range = {{-0.1, 1}},
               motor = {{ velocity = 0.2, limit = {limit} }} }}
        sensor{{ name = "load", body = "box", quantity = "force" }}
        sensor{{ name = "way", joint = "lift", quantity = "coordinate" }}
        sensor{{ name = "effort", joint = "lift", quantity = "effort" }}
    """
    for step, tolerance, solver, words in grid():
        got = run(f"lift {words}", text, step, tolerance, solver, 0.6)
        at = max(k for k, t in enumerate(got["time"]) if t < 0.15)
        close(got["load.z"][at], box_ * (GRAVITY - falling), 1e-4, f"lift {words}: load while it sinks")
        close(got["effort"][at], limit, 1e-7, f"lift {words}: effort while it sinks")
        close(got["load.z"][-1], box_ * GRAVITY, 1e-4, f"lift {words}: load on the stop")
        close(got["effort"][-1], (platform + box_) * GRAVITY, 1e-4, f"lift {words}: motor and stop together")
        check(abs(got["way"][-1] + 0.1) < 1e-6, f"lift {words}: way {got['way'][-1]}")


# a bob is pulled against the cone that a ball or universal joint allows
def cone():
    length, mass, pull, most = 0.4, 1.0, 12.0, math.radians(30)
    expected = length * (pull * math.cos(most) - mass * GRAVITY * math.sin(most))
    for kind, step, tolerance in itertools.product(("ball", "universal"), (2e-3, 5e-4), (1e-6, 1e-8)):
        text = f"""
            simulation{{ step = 1e-3 }}
            body{{ name = "bob", mass = {mass}, inertia = {{0.01, 0.01, 0.01}}, shape = sphere{{ radius = 0.05 }}, position = {{0, 0, {-length}}} }}
            joint{{ name = "swing", kind = "{kind}", bodies = {{"bob"}}, at = {{0, 0, 0}}, axis = {{0, 0, 1}}, {"axis_b = {0, 1, 0}," if kind == "universal" else ""}
                   range = {{0, {most:.15g}}} }}
            load{{ body = "bob", force = {{{pull}, 0, 0}} }}
            sensor{{ name = "swing", joint = "swing", quantity = "torque" }}
            sensor{{ name = "angle", joint = "swing", quantity = "coordinate" }}
        """
        words = f"{kind} h = {step}, tolerance {tolerance}"
        got = run(f"cone {words}", text, step, tolerance, "auto", 1.0)
        close(abs(got["swing.y"][-1]), expected, 1e-4, f"cone of {words}: moment")
        close(got["angle"][-1], most, 1e-5, f"cone of {words}: angle")


# a row of balls on threads: as many leave as come in, and come back
def cradle():
    text = """
        simulation{ step = 2e-4, impact = "sequential" }
        pair{ friction = 0, restitution = 1 }
        local r, l = 0.02, 0.5
        for k = 1, 5 do
            local name, x = "ball " .. k, 2 * r * k
            body{ name = name, shape = sphere{ radius = r }, density = 7800, position = {x, 0, 0}, velocity = {k <= %d and 0.3 or 0, 0, 0} }
            for side = -1, 1, 2 do
                joint{ kind = "rod", bodies = {name}, at = {x, side * 0.2, l}, to = {x, 0, 0} }
            end
            sensor{ name = name, body = name, quantity = "velocity" }
        end
    """
    for many, step in itertools.product((1, 2, 3), (5e-4, 1e-4)):
        got = run(f"cradle of {many}", text % many, step, 1e-8, "auto", 0.2)
        at = max(k for k, t in enumerate(got["time"]) if t < 0.02)
        swing = 0.3 * math.cos(math.sqrt(GRAVITY / 0.5) * got["time"][at])
        for k in range(1, 6):
            check(abs(got[f"ball {k}.x"][at] - (swing if k > 5 - many else 0)) < 2e-3,
                  f"cradle of {many}, h = {step}: ball {k} has {got[f'ball {k}.x'][at]}")


# a rolling ball hits another one: 2/7 and 5/7 of its speed are left; with backspin it comes back
def billiards():
    r, v = 0.028, 1.0
    text = f"""
        simulation{{ step = 1e-4 }}
        material{{ name = "ball" }} material{{ name = "cloth" }}
        pair{{ "ball", "ball", friction = 0, restitution = 1 }}
        pair{{ "ball", "cloth", friction = 0.2 }}
        ground{{ material = "cloth" }}
        body{{ name = "cue", material = "ball", shape = sphere{{ radius = {r} }}, position = {{-0.058, 0, {r}}}, velocity = {{{v}, 0, 0}},
              angular_velocity = {{0, %.15g, 0}} }}
        body{{ name = "object", material = "ball", shape = sphere{{ radius = {r} }}, position = {{0, 0, {r}}} }}
        sensor{{ name = "cue", body = "cue", quantity = "velocity" }}
        sensor{{ name = "object", body = "object", quantity = "velocity" }}
    """
    for step, spin in itertools.product((5e-4, 1e-4), (1.0, -1.0)):
        got = run(f"billiards {spin}", text % (spin * v / r), step, 1e-8, "auto", 0.6)
        # where it does not roll it slides over the 2 mm before the impact
        slide = 0.0 if spin > 0 else 0.2 * GRAVITY * 0.002 / v
        speed = v - slide
        turn = spin * v + 2.5 * slide
        close(got["cue.x"][-1], 2 / 7 * turn, 20 * step, f"billiards with spin {spin}, h = {step}: cue ball")
        close(got["object.x"][-1], 5 / 7 * speed, 20 * step, f"billiards with spin {spin}, h = {step}: object ball")


CASES = [ladder, wedge, press, fingers, jaws, braked_wheel, drill, arm_on_slope, rams, lift, cone, cradle, billiards]
for case in CASES:
    if len(sys.argv) < 4 or case.__name__ == sys.argv[3]:
        case()
finish()
