# SPDX-License-Identifier: Apache-2.0
# A body or grain that names no material has the surface and the density of the first one.
import math
import warnings

import cairn
import numpy
import pytest

BALL = 4 / 3 * math.pi * 0.1**3
REGION = "region = { min = {10, 0, 0}, max = {10.5, 0.5, 0.5} }"

# a call, the masses of what it makes in kg/m3 times their volumes
CALLS = [
    ("body{ shape = sphere{ radius = 0.1 } }", 7850 * BALL),
    ("body{ shape = box{ size = {0.2, 0.2, 0.2} } }", 7850 * 0.008),
    ("body{ shape = capsule{ radius = 0.1, length = 0.2 } }",
     7850 * (BALL + math.pi * 0.01 * 0.2)),
    ("body{ shape = compound{ { shape = sphere{ radius = 0.1 } } } }", 7850 * BALL),
    ('body{ shape = sphere{ radius = 0.1 }, material = "wood" }', 500 * BALL),
    ('body{ shape = sphere{ radius = 0.1 }, material = "plain" }', 1000 * BALL),
    ("body{ shape = sphere{ radius = 0.1 }, density = 2 }", 2 * BALL),
    ("body{ shape = sphere{ radius = 0.1 }, mass = 3 }", 3),
    ('bodies_from_csv{ file = "plain.csv" }', 7850 * BALL),
    ('bodies_from_csv{ file = "plain.csv", material = "wood" }', 500 * BALL),
    ('bodies_from_csv{ file = "plain.csv", material = "wood", density = 3 }', 3 * BALL),
    ('bodies_from_csv{ file = "named.csv" }', 500 * BALL),
    ('bodies_from_csv{ file = "named.csv", density = 3 }', 3 * BALL),
    ('bodies_from_csv{ file = "dense.csv", density = 3 }', 4 * BALL),
    *((f'packing{{ {REGION}, size = 0.2, count = 1, method = "{method}" }}', 7850 * BALL)
      for method in ("random", "lattice", "growth", "deposition")),
    (f'packing{{ {REGION}, count = 1, method = "random", grains = {{ {{ size = 0.2 }} }} }}',
     7850 * BALL),
    (f'packing{{ {REGION}, size = 0.2, count = 1, method = "random", density = 5 }}', 5 * BALL),
    (f'packing{{ {REGION}, size = 0.2, count = 1, method = "random", material = "wood" }}',
     500 * BALL),
    (f"emitter{{ {REGION}, size = 0.2, count = 1 }}", 7850 * BALL),
    (f"emitter{{ {REGION}, size = 0.2, mass = 40 }}", 7850 * BALL),
    (f'emitter{{ {REGION}, count = 1, grains = {{ {{ size = 0.2, material = "wood" }} }} }}',
     500 * BALL),
]
HEAD = """
simulation{ step = 1e-4 }
gravity{ 0, 0, -1 }
material{ name = "steel", density = 7850 }
material{ name = "wood", density = 500 }
material{ name = "plain" }
pair{ law = "hooke" }
"""


@pytest.mark.parametrize("call, mass", CALLS)
def test_the_density_of_calls(tmp_path, call, mass):
    (tmp_path / "plain.csv").write_text("x,y,z,radius\n0,0,0,0.1 # one, of no material\n")
    (tmp_path / "named.csv").write_text("x,y,z,radius,material\n0,0,0,0.1,wood\n")
    (tmp_path / "dense.csv").write_text("x,y,z,radius,density\n0,0,0,0.1,4\n")
    (tmp_path / "scene.lua").write_text(HEAD + call)
    world = cairn.load(tmp_path / "scene.lua")
    world.step()
    assert world.bodies.mass == pytest.approx([mass])


def test_the_density_of_python_calls(tmp_path):
    (tmp_path / "spheres.txt").write_text("0 0 0 0.1\n")
    world = cairn.World()
    world.material(name="steel", density=7850)
    world.material(name="wood", density=500)
    world.body(shape=cairn.sphere(radius=0.1))
    world.body(shape=cairn.sphere(radius=0.1), position=(1, 0, 0), material="wood")
    assert cairn.read_packing(tmp_path / "spheres.txt").add_to(world) == 1
    assert world.bodies.mass == pytest.approx(numpy.array([7850, 500, 7850]) * BALL)


# what comes before the first material; None where it is refused
EARLY = [
    ("ground{}", True),
    ('body{ kind = "fixed", shape = sphere{ radius = 0.1 } }', True),
    ("body{ shape = sphere{ radius = 0.1 }, mass = 1 }", True),
    ("body{ shape = sphere{ radius = 0.1 }, density = 1 }", True),
    ("body{ shape = sphere{ radius = 0.1 } }", False),
    (f'packing{{ {REGION}, size = 0.2, count = 1, method = "random" }}', False),
    (f'packing{{ {REGION}, size = 0.2, count = 1, method = "random", density = 1 }}', True),
    (f"emitter{{ {REGION}, size = 0.2, count = 1 }}", False),
]


@pytest.mark.parametrize("early, taken", EARLY)
def test_a_material_after_the_first_body(tmp_path, early, taken):
    """The first material is also that of bodies before it: friction 0.7 of its pair shows it."""
    path = tmp_path / "scene.lua"
    path.write_text('simulation{ step = 1e-3, end_time = 0.2 }\n' + early +
                    '\nmaterial{ name = "steel", density = 7850 }\n'
                    'pair{ "steel", "steel", law = "signorini_coulomb", friction = 0.7 }\n'
                    'body{ name = "last", shape = box{ size = {0.1, 0.1, 0.1} }, '
                    'position = {3, 0, 0.05}, velocity = {1, 0, 0} }')
    if not taken:
        with pytest.raises(cairn.SceneError, match='scene.lua:3: material "steel" comes too late'):
            cairn.load(path)
        return
    world = cairn.load(path)
    assert world.bodies.mass[-1] == pytest.approx(7.85)
    if early == "ground{}":
        world.run(until=0.1)
        assert world.bodies.velocity[-1][0] == pytest.approx(1 - 0.7 * 9.81 * 0.1, rel=1e-6)


def test_the_name_of_the_material_that_a_body_called_for(tmp_path):
    (tmp_path / "scene.lua").write_text('ground{}\nmaterial{ name = "default", density = 3 }\n'
                                        'body{ shape = sphere{ radius = 0.1 } }')
    assert cairn.load(tmp_path / "scene.lua").bodies.mass[-1] == pytest.approx(3 * BALL)
    (tmp_path / "scene.lua").write_text('ground{}\nmaterial{ name = "a" }\nground{ name = "b", '
                                        'material = "default" }')
    with pytest.raises(cairn.SceneError, match='material "default"'):
        cairn.load(tmp_path / "scene.lua")


@pytest.mark.parametrize("words, refused", [
    ("velocity = {0, 0, 0}", False), ("angular_velocity = {0, 0, 0}", False),
    ("velocity = {0, 0, -0.0}, angular_velocity = {0, 0, 0}", False),
    ("velocity = {0, 1e-30, 0}", True), ("angular_velocity = {1, 0, 0}", True)])
def test_a_fixed_body_of_no_velocity(tmp_path, words, refused):
    (tmp_path / "scene.lua").write_text(
        f'body{{ kind = "fixed", shape = sphere{{ radius = 1 }}, {words} }}')
    if refused:
        with pytest.raises(cairn.SceneError, match="a fixed body has no velocity"):
            cairn.load(tmp_path / "scene.lua")
    else:
        assert len(cairn.load(tmp_path / "scene.lua").bodies) == 1


@pytest.mark.parametrize("keys, message", [
    ({"density": 1e-300}, r"the body's mass is 4\.18879e-303 kg: give a size and a density or mass with which it is "
                          r"1e-60 to 1e\+60 kg"),
    ({"mass": 1e100}, r"the body's mass is 1e\+100 kg"),
    ({"mass": 1.0, "inertia": (1e-200, 1e-200, 1e-200)}, r"moments of inertia are 1e-200 to 1e-200 kg m2: give sizes"),
])
def test_masses_whose_squares_are_no_numbers(keys, message):
    with pytest.raises(cairn.SceneError, match=message):
        cairn.World().body(shape=cairn.sphere(radius=0.1), **keys)


def test_a_modulus_whose_square_is_no_number():
    """The mean of two moduli was made of their product: beyond the numbers, contacts had the law's default."""
    with pytest.raises(cairn.SceneError, match=r"young_modulus = 1e\+200 must lie between 1e-100 and 1e100 \(Pa\)"):
        cairn.World().material(name="a", young_modulus=1e200)


PAIRS = [
    ('pair{ "steel", "steel", law = "hertz_mindlin" }', True),
    ('pair{ friction = 0.3 }\npair{ "steel", "steel", law = "hertz_mindlin" }', False),
    ('pair{ law = "hertz_mindlin" }\npair{ "steel", "steel", law = "signorini_coulomb" }', False),
    ('pair{ "steel", "steel", law = "signorini_coulomb" }', False),
    ('pair{ "steel", "steel", law = "hooke" }\npair{ "steel", "wood", law = "hooke" }', False),
]


@pytest.mark.parametrize("pairs, warns", PAIRS)
def test_a_pair_that_follows_the_rigid_default_beside_springs(tmp_path, pairs, warns):
    (tmp_path / "scene.lua").write_text('simulation{ step = 1e-5 }\n'
                                        'material{ name = "steel", density = 7800, young_modulus = 1e8 }\n'
                                        'material{ name = "wood", density = 700 }\n'
                                        'material{ name = "of nobody", density = 700 }\n' + pairs +
                                        '\nground{ material = "steel" }\nbody{ shape = sphere{ radius = 0.01 }, '
                                        'material = "wood", position = {0, 0, 0.02} }')
    world = cairn.load(tmp_path / "scene.lua")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        world.step(2)
    texts = [str(each.message) for each in found]
    assert [text for text in texts if "have no pair" in text] == (
        ['materials "steel" and "wood" have no pair: their contacts follow the default law signorini_coulomb '
         'beside hertz_mindlin of other pairs; give this pair a law, or all pairs one by a pair without materials']
        if warns else [])


@pytest.mark.parametrize("members, keys, warns", [
    ([cairn.box(size=(0.1, 0.02, 0.02)), cairn.box(size=(0.02, 0.1, 0.02))], {}, True),
    ([cairn.capsule(radius=0.02, length=0.1), cairn.sphere(radius=0.03)], {}, True),
    ([cairn.sphere(radius=0.02), cairn.sphere(radius=0.03)], {}, False),
    ([cairn.box(size=(0.1, 0.02, 0.02)), (cairn.box(size=(0.1, 0.02, 0.02)), (0, 0.02, 0))], {}, False),
    ([cairn.box(size=(0.1, 0.02, 0.02)), cairn.box(size=(0.02, 0.1, 0.02))],
     {"mass": 1, "inertia": (1, 1, 1)}, False),
])
def test_overlaps_of_members_that_count_twice_are_said_once(members, keys, warns):
    parts = [each if isinstance(each, tuple) else (each, (0, 0, 0)) for each in members]
    shape = cairn.compound(*({"shape": each, "position": place} for each, place in parts))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        world = cairn.World()
        for i in range(3):
            world.body(shape=shape, position=(i, 0, 1), **keys)
    texts = [str(each.message) for each in found if "counts twice" in str(each.message)]
    assert len(texts) == warns
    assert not warns or "members 1 and 2 of a compound overlap by" in texts[0]
