# SPDX-License-Identifier: Apache-2.0
# States kept in memory and in files, with every action, law, shape and generator of scenes: a world that
# goes back to one has the bits that a world has which never left.
import itertools
import re

import cairn
import numpy
import pytest
from cairn._cairn import lib

HEAD = """
simulation{{ step = {step}, end_time = 9 }}
gravity{{ 0, 0, -9.81 }}
material{{ name = "stone", density = 2000, young_modulus = 2e7, poisson_ratio = 0.3 }}
material{{ name = "glass", density = 2500, young_modulus = 1e7, poisson_ratio = 0.2 }}
{pairs}
ground{{ material = "stone" }}
"""
POUR = """emitter{{ name = "pour", region = {{ min = {{0, 0, 0.02}}, max = {{0.1, 0.1, 0.08}} }}, rate = 900, every = {every},
  velocity = {{0, 0, -1}}, {grain} }}
"""
BODIES = """
body{ name = "crate", shape = box{ size = {0.05, 0.05, 0.03} }, material = "stone", position = {0.3, 0, 0.0151} }
body{ name = "ball", shape = sphere{ radius = 0.02 }, material = "glass", position = {0.3, 0, 0.051} }
body{ name = "other", shape = sphere{ radius = 0.02 }, material = "glass", position = {0.41, 0, 0.02} }
body{ name = "lid", kind = "moving", shape = box{ size = {0.2, 0.2, 0.02} }, material = "stone", position = {0.05, 0.05, 0.2} }
"""

SHAPES = {
    "sphere": "size = 0.012", "sizes": 'size = sizes{ "uniform", min = 0.008, max = 0.014 }',
    "box": "shape = box{ size = {0.01, 0.012, 0.008} }", "rounded box": "shape = box{ size = {0.01, 0.01, 0.01}, rounding = 0.002 }",
    "capsule": 'shape = capsule{ radius = 0.004, length = 0.006 }, size = sizes{ "uniform", min = 0.01, max = 0.014 }',
    "cylinder": "shape = cylinder{ radius = 0.005, length = 0.01 }",
    "polyhedron": 'shape = polyhedron{ points = { {0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01} } }, size = sizes{ "uniform", min = 0.006, max = 0.01 }',
    "clump": """shape = compound{ { shape = sphere{ radius = 0.004 } }, { shape = sphere{ radius = 0.004 }, position = {0.005, 0, 0} } },
                size = sizes{ "uniform", min = 0.008, max = 0.011 }""",
    "compound": "shape = compound{ { shape = box{ size = {0.01, 0.01, 0.01} } }, { shape = sphere{ radius = 0.005 }, position = {0.006, 0, 0} } }",
    "mixture": """grains = { { size = 0.012, material = "glass" }, { shape = box{ size = {0.01, 0.01, 0.008} }, material = "stone" },
                  { shape = capsule{ radius = 0.003, length = 0.006 }, share = 2, material = "glass" } }""",
}

ACTIONS = {
    "load": 'load{ body = "ball", force = { function(t) return math.sin(90 * t) end, 0, 0.01 }, torque = {0, 0, 1e-4} }',
    "motion": 'motion{ body = "lid", position = function(t) return 0.05, 0.05, 0.2 - t * t end }',
    "gravity": "gravity{ 0, 0, function(t) return -9.81 - 40 * t end }",
    "servo": 'servo{ body = "lid", axis = {0, 0, -1}, force = 2, speed = 1, reach = 9 }',
    "dynamic servo": """body{ name = "press", shape = box{ size = {0.05, 0.05, 0.02} }, material = "stone", position = {0.6, 0, 0.0101} }
                        servo{ body = "press", axis = {0, 0, -1}, force = 20 }""",
    "outlet": 'outlet{ region = { min = {0, 0, 0}, max = {0.1, 0.06, 0.02} }, every = EVERY }',
    "remove": 'remove{ body = "crate", at = 20 * STEP }', "freeze": 'freeze{ body = "other", at = 8 * STEP } release{ body = "other", at = 33 * STEP }',
    "remove when": """sensor{ name = "floor", body = "ground", quantity = "force", window = 7 * STEP }
                      remove{ body = "ball", every = 3 * STEP, when = function(t, sensor) local x, y, z = sensor("floor") return t > 24 * STEP end }""",
    "remove region": 'remove{ region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.03} }, at = 22 * STEP }',
    "measure": """measure{ name = "mean", region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.05} }, window = 11 * STEP, every = 2 }
                  sensor{ name = "mean", region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.05} }, quantity = "stress", window = 9 * STEP }""",
    "joints": """joint{ name = "hinge", kind = "hinge", bodies = {"ball", "other"}, at = {0.35, 0, 0.03}, axis = {0, 1, 0},
                        motor = { position = function(t) return 9 * t end, stiffness = 3, damping = 0.01, limit = 1 }, friction = 1e-4 }
                 joint{ name = "rail", kind = "slider", bodies = {"crate"}, at = {0.3, 0, 0}, axis = {1, 0, 0}, range = {-0.01, 0.01},
                        motor = { velocity = 0.3, limit = 4 }, spring = { stiffness = 9, damping = 0.1 } }""",
    "connector": """connector{ name = "link", bodies = {"ball", "other"}, radii = {0.06, 0.055}, contact_stiffness = 1e3, impact_model = 1,
                               restitution_coefficient = 0.5 }""",
    "pair": """change{ pair = {"glass", "stone"}, friction = 0.05, at = 12 * STEP }
               change{ pair = {}, friction = 0.9, restitution = 0.1, at = 20 * STEP }
               change{ pair = {"glass", "stone"}, friction = 0.7, rolling_friction = 0.3, every = 2 * STEP,
                       when = function(t, sensor) return t > 15 * STEP end }""",
    "packing": """packing{ region = { min = {0.2, 0.2, 0}, max = {0.25, 0.25, 0.05} }, size = sizes{ "uniform", min = 0.008, max = 0.012 },
                           count = 12, method = "random", material = "glass" }""",
    "change": """change{ body = "lid", velocity = {0, 0, -1}, angular_velocity = {0, 0, 3}, at = 9 * STEP }
                 change{ body = "ball", velocity = {0, 0, 1}, every = 2 * STEP, when = function(t, sensor) return t > 15 * STEP end }""",
    "stop": """stop{ name = "first", every = 2 * STEP, when = function(t, sensor) return t > 20 * STEP end }
               stop{ name = "never", when = function(t, sensor) return false end }""",
    "fields": 'fields{ min = {0, 0, 0}, max = {0.1, 0.1, 0.1}, cells = {3, 4, 5}, width = 0.02, window = 9 * STEP, every = 2 }',
    "frame": 'gravity{ 0, 0, -9.81, frame = { function(t) return 30 * math.sin(200 * t) end, 0, 1 } }',
    "rotation": 'motion{ body = "lid", rotation = { axis = {1, 1, 0}, angle = function(t) return 900 * t end }, velocity = { 0.1, 0, function(t) return t end } }',
    "angular": 'motion{ body = "lid", angular_velocity = function(t) return 3, t, 9 * t end, position = { 0.05, 0.05, function(t) return 0.2 - t end } }',
    "all joints": """for i, kind in ipairs{ "ball", "cylindrical", "universal", "fixed", "rod", "hinge", "slider" } do
                       local y, sprung = 0.5 + 0.2 * i, { stiffness = 3, damping = kind ~= "ball" and 0.01 or nil }
                       if kind == "universal" or kind == "fixed" or kind == "rod" then sprung = nil end
                       body{ name = "p" .. i, shape = box{ size = {0.02, 0.03, 0.04} }, position = {0, y, 0.3}, angular_velocity = {i, 1, 2} }
                       body{ name = "q" .. i, shape = capsule{ radius = 0.01, length = 0.03 }, position = {0.06, y, 0.3}, velocity = {0, 0, 1} }
                       for _, bodies in ipairs{ {"p" .. i}, {"p" .. i, "q" .. i} } do
                         joint{ kind = kind, bodies = bodies, at = {0, y, 0.33}, axis = {0, 1, 0}, axis_b = kind == "universal" and {1, 0, 0} or nil,
                                to = kind == "rod" and {0, y, 0.3} or nil, spring = sprung }
                       end
                     end
                     remove{ body = "q1", at = 12 * STEP } remove{ body = "p5", at = 14 * STEP }""",
    "meshes": """local tetrahedron = { vertices = { {0, 0, 0}, {0.06, 0, 0}, {0, 0.06, 0}, {0, 0, 0.06} }, triangles = { {1, 3, 2}, {1, 2, 4}, {2, 3, 4}, {3, 1, 4} } }
                 body{ name = "hollow", shape = mesh(tetrahedron), position = {0.6, 0.3, 0.001}, material = "stone" }
                 body{ kind = "moving", shape = mesh(tetrahedron), position = {0.6, 0.6, 0}, angular_velocity = {0, 0, 50}, material = "stone" }
                 tetrahedron.solid = true
                 body{ shape = mesh(tetrahedron), position = {0.6, 0.9, 0.001}, velocity = {1, 0, 0}, material = "stone" }
                 for i = 1, 3 do
                   body{ shape = sphere{ radius = 0.02 }, position = {0.61, 0.3 * i + 0.01, 0.09}, velocity = {0, 0, -1}, material = "glass" }
                 end
                 body{ kind = "moving", shape = plane{}, position = {0, 0, -0.1}, velocity = {0, 0, 3}, angular_velocity = {0.5, 0, 0} }
                 remove{ body = "hollow", at = 25 * STEP }""",
    "regions": """local corner = polyhedron{ points = { {0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1} } }
                  emitter{ name = "hull", region = { hull = corner, position = {0.5, 0.5, 0} }, size = sizes{ "lognormal", median = 0.01, deviation = 0.2 },
                           mass_rate = 1, every = EVERY, spread = 0.5, material = "stone", to = 25 * STEP }
                  emitter{ name = "late", region = { centre = {0.8, 0.5, 0.1}, radius = 0.05 }, count = 8, size = 0.01, from = 10 * STEP, material = "stone",
                           shape = polyhedron{ points = { {0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01} }, rounding = 0.001 } }
                  outlet{ region = { centre = {0.05, 0.05, 0}, radius = 0.06 }, every = EVERY, from = 7 * STEP }
                  freeze{ region = { min = {0.4, 0.4, 0}, max = {0.9, 0.9, 0.2} }, at = 15 * STEP }
                  release{ region = { min = {0.4, 0.4, 0}, max = {0.9, 0.9, 0.2} }, every = 2 * STEP, when = function(t, sensor) return t > 21 * STEP end }""",
    "follow": """measure{ name = "under", region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.2}, follow = { zmax = "lid" } }, window = 5 * STEP }
                 sensor{ name = "drum", region = { centre = {0.3, 0, 0.05}, radius = 0.1, follow = "lid" }, quantity = "void_ratio", window = 6 * STEP, every = 2 }
                 sensor{ name = "rest", quantity = "unbalanced_force", window = 4 * STEP }
                 change{ body = "lid", velocity = {0, 0, -1}, at = 3 * STEP }""",
    "servo of sensors": """body{ name = "other lid", kind = "moving", shape = box{ size = {0.1, 0.1, 0.02} }, position = {0.3, 0, 0.1} }
                           sensor{ name = "floor", body = "ground" }
                           servo{ bodies = {"lid", "other lid"}, axis = {0, 0, -1}, speed = 1, reach = 9, to = 24 * STEP,
                                  force = function(t, sensor) local x, y, z = sensor("floor") return 2 + 0.01 * z end }""",
    "groups": 'body{ shape = sphere{ radius = 0.01 }, position = {0.05, 0.05, 0.011}, groups = 2, mask = 1, material = "glass" }',
}

CELL = """
simulation{{ step = {step}, end_time = 9 }}
gravity{{ 0, 0, 0 }}
material{{ name = "stone", density = 2000, young_modulus = 2e7, poisson_ratio = 0.3 }}
{pairs}
{cell}
packing{{ region = {{ min = {{0, 0, 0}}, max = {{0.1, 0.1, 0.1}} }}, size = 0.022, porosity = 0.6, method = "growth", material = "stone" }}
emitter{{ region = {{ min = {{0, 0, 0}}, max = {{0.1, 0.1, 0.1}} }}, size = 0.006, rate = {rate}, every = {every}, material = "stone", velocity = {{1, 0, 0}} }}
{more}
"""
CELLS = {
    "still": ("cell{ size = {0.1, 0.1, 0.1} }", ""), "straining": ("cell{ size = {0.1, 0.1, 0.1}, rate = { yz = 2e-3 / STEP, xx = -3e-4 / STEP } }", ""),
    "servo": ("cell{ size = {0.1, 0.1, 0.1} }", 'servo{ cell = "x", stress = 900, speed = 9 } servo{ cell = "xy", rate = 3 }'),
    "measure": ("cell{ size = {0.1, 0.1, 0.1}, rate = { xx = -9e-4 / STEP } }", 'measure{ name = "m", region = "cell", window = 8 * STEP, every = 3 }'),
}

EXPLICIT = sorted(name for name, law in cairn.plugins("laws").items() if law["kind"] != "implicit" and name != "signorini_coulomb")
RIGID = "signorini_coulomb"
MORE = {"signorini_coulomb": "friction = 0.4, restitution = 0.2"}


def pairs(law, other=None):
    """The law of all pairs, or one of stone and another of what has glass."""
    text = f'pair{{ law = "{law}", {MORE.get(law, "")} }}\n'
    return text + (f'pair{{ "glass", "glass", law = "{other}" }}\n' if other else "")


def scene(law, pieces, shape="sphere", other=None):
    step = 1e-3 if RIGID == law else 1e-4
    every = 3 * step
    text = HEAD.format(step=step, pairs=pairs(law, other)) + BODIES + POUR.format(every=every, grain=SHAPES[shape] + ("" if shape == "mixture" else ', material = "glass"'))
    return (text + "\n".join(ACTIONS[piece] for piece in pieces)).replace("STEP", repr(step)).replace("EVERY", repr(every))


def cell(law, name):
    step = 1e-3 if RIGID == law else 1e-4
    made, more = CELLS[name]
    return CELL.format(step=step, pairs=pairs(law), cell=made, more=more, every=4 * step, rate=2 / step).replace("STEP", repr(step))


SETTINGS = ('impact = "poisson"', 'impact = "sequential"', 'impact = "energetic"', 'rotation = "rig_neg"', 'rotation = "rig_exact"',
            "contact_motion = true", "margin = false", "correction = false", "step_halvings = 0", "threads = 3", "audit_every = 3")

CASES = {}
for law, action in itertools.product(("hooke", "hertz_mindlin", RIGID), ACTIONS):
    # a moving wall is a servo by its contacts' stiffness alone; joints have no law
    if not (law == RIGID and "servo" in action and action != "dynamic servo") and not (law == "hertz_mindlin" and action == "all joints"):
        CASES[f"{law}, {action}"] = scene(law, [action])
for law, shape in itertools.product(("hooke", RIGID), SHAPES):
    CASES[f"{law}, {shape}, outlet"] = scene(law, ["outlet"], shape)
for setting in SETTINGS:
    CASES[f"{RIGID}, {setting}"] = scene(RIGID, ["outlet", "joints", "gravity"], "mixture").replace("end_time = 9", f"end_time = 9, {setting}")
for law in EXPLICIT:
    stiff = ", contact_stiffness = 1e3" if law == "exudyn_sphere" else ""
    CASES[f"{law} of a connector"] = scene("hooke", []) + f'connector{{ bodies = {{"ball", "other"}}, radii = {{0.06, 0.055}}, law = "{law}"{stiff} }}\n'
    CASES[f"{law} of all"] = scene(law, ["outlet", "remove"], "mixture")
    CASES[f"{law} beside the rigid one"] = scene(RIGID, ["outlet", "remove"], "sphere", law)
for law, name in itertools.product(("hooke", RIGID), CELLS):
    CASES[f"{law}, cell {name}"] = cell(law, name)


# calls that leave nothing in a world, or that read a file into one of the others
NO_STATE = {"title", "output", "param", "print", "require", "camera", "light", "solver", "local_solver", "bodies_from_csv", "import", "table", "table_from_csv"}


def test_the_matrix_has_every_call_and_law():
    """Of the language and the program as they are: what comes to them is missed here."""
    texts = "\n".join(CASES.values())
    calls = {cairn.errors.text_of(lib.cairn_scene_call_name(i)) for i in range(lib.cairn_scene_call_count())}
    assert len(calls) > 30
    assert {call for call in calls - NO_STATE if not re.search(rf"\b{call}[{{(]", texts)} == set()
    assert {law for law in cairn.plugins("laws") if f'"{law}"' not in texts} == set()


def load(text, folder):
    path = folder / "scene.lua"
    path.write_text(text, encoding="utf-8")
    world = cairn.load(path)
    world.watched = False
    return world


def look(world):
    """All that is read of a world, as bits."""
    read = [world.state_hash, world.step_count, world.bodies.position.tobytes(), world.bodies.velocity.tobytes(), world.bodies.id[:, :2].tobytes()]
    read += [world.contacts.force.tobytes(), repr(world.energy), [numpy.asarray(value).tobytes() for value in world.sensors.values()],
             world.broken_bonds.tobytes()]
    return read


def disturb(world):
    """What a program may do between steps: other bodies in the rows and slots that come next."""
    world.body(shape=cairn.capsule(radius=0.003, length=0.004), position=(2, 2, 2), material="stone")
    world.body(shape=cairn.sphere(radius=0.005), position=(2.04, 3.05, 2.06), name="new")
    moving = world.body(kind="moving", shape=cairn.box(size=(0.01, 0.02, 0.03)), position=(3, 3.02, 3))
    world.motion(body=moving, velocity=lambda t: (0, 0, 1))
    ball = world.bodies[len(world.bodies) - 2]
    ball.push((0.1, 0, 0))
    ball.velocity = (1, 2, 3)
    if len(world.joints):
        joint = world.joints[0]
        joint.motor(position=0.2, stiffness=7.0) if joint.kind == "hinge" else None
        if joint.kind in ("hinge", "slider"):
            joint.drive = 0.01
    gone = len(world.bodies) // 2
    world.bodies[gone + (world.bodies[gone].name == "lid")].remove()  # which regions follow


@pytest.mark.filterwarnings("ignore::cairn.CairnWarning")
@pytest.mark.parametrize("name", CASES)
def test_matrix(name, tmp_path):
    a, b, c, d = 7, 16, 11, 12
    straight = load(CASES[name], tmp_path)
    first = look(straight)
    seen = []
    for steps in (a, c, d):
        straight.step(steps)
        seen.append(look(straight))
    world = load(CASES[name], tmp_path)
    start = world.snapshot()
    world.step(a)
    kept = world.snapshot()
    world.step(b)
    later, there = world.snapshot(), look(world)
    for round in range(2):
        world.revert(kept)
        world.validate()
        assert look(world) == seen[0]
        world.step(c)
        assert look(world) == seen[1], f"round {round}: after going back"
        world.save(tmp_path / f"back{round}.h5")
        disturb(world)
        world.step(5)
    # a state of a branch that another branch has put other things in the place of
    world.revert(later)
    assert look(world) == there
    world.step(a + c + d - a - b)
    assert look(world) == seen[2], "a state of another branch"
    # a file of a world that went back, in a new world and in one that has gone on
    other = load(CASES[name], tmp_path)
    for round in range(2):
        other.restore(tmp_path / f"back{round}.h5")
        assert look(other) == seen[1]
        other.step(d)
        assert look(other) == seen[2], f"file {round}"
    world.revert(start)
    assert look(world) == first
    world.step(a)
    assert look(world) == seen[0], "from the start"


@pytest.mark.parametrize("seed", [13, 53])
def test_spheres_of_the_executor_that_others_meet_go_back_whole(seed, tmp_path):
    """What bore on a sphere while it took part in the general passes was no part of its state, and
    said all the same where fast ones would meet: other bits after a revert and after a restart."""
    def column():
        random = numpy.random.default_rng(seed)
        world = cairn.World(step=1e-5)
        world.material(name="a", density=2500)
        world.material(name="b", density=3800)
        world.pair(law="hooke", normal_stiffness=1e5)
        world.pair("a", "b", law="signorini_coulomb", friction=0.5)
        for i in range(8):
            world.body(shape=cairn.sphere(radius=0.005 * (0.7 + 0.3 * random.random())),
                       position=(1e-4 * random.random(), 1e-4 * random.random(), 0.008 * i),
                       material="ab"[random.integers(2)],
                       velocity=tuple(random.uniform(-1, 1, 3) * (3, 3, 150)),
                       angular_velocity=tuple(random.uniform(-300, 300, 3)))
        world.watched = False
        return world
    world = column()
    world.step(3)
    snapshot = world.snapshot()
    world.save(tmp_path / "at.h5")
    world.step(12)
    first = world.state_hash
    world.revert(snapshot)
    world.step(12)
    assert world.state_hash == first
    again = column()
    again.restore(tmp_path / "at.h5")
    again.step(12)
    assert again.state_hash == first
