# SPDX-License-Identifier: Apache-2.0
# Laws and force fields of Python give what those of the library give; snapshots and interruption.
import ctypes
import threading

import cairn
import numpy
import pytest


def spring(batch):
    """Linear spring and dashpot in the normal direction, which never pulls."""
    stiffness, damping = batch.parameters["stiffness"], batch.parameters["damping"]
    force = -stiffness * batch.gap - damping * batch.velocity[:, 0]
    batch.impulse[:, 0] = batch.step * numpy.maximum(force, 0.0)


PARAMETERS = {"stiffness": {"default": 1e4, "minimum": 0.0, "unit": "N/m"}, "damping": 0.0}


def dropping(law=spring, **parameters):
    world = cairn.World(step=1e-4)
    if callable(law):
        world.add_law(law, parameters=PARAMETERS)
    world.pair(law="spring", **parameters)
    world.ground()
    for i in range(5):
        world.body(shape=cairn.sphere(radius=0.05), position=(0.3 * i, 0, 0.06 + 0.01 * i))
    return world


def test_a_law_of_python_bounces_as_mechanics_says():
    world = dropping()
    ball = world.bodies[1]
    height = [ball.position[2]]
    world.run(until=0.4, observers=lambda w: height.append(ball.position[2]) or None)
    bottom = numpy.argmin(height)
    # m g (0.01 + d) = k d^2 / 2
    weight = 9.81 * ball.mass
    deepest = (weight + (weight**2 + 2e4 * weight * 0.01) ** 0.5) / 1e4
    assert 0.05 - min(height) == pytest.approx(deepest, rel=1e-3)
    assert max(height[bottom:]) == pytest.approx(0.06, rel=1e-2)


def test_parameters_and_history():
    world = cairn.World(step=1e-4)
    seen = []

    def spring(batch):
        batch.history[:, 0] += 1.0
        seen.append((batch.fresh.copy(), batch.history[:, 0].copy(), dict(batch.parameters)))
        batch.impulse[:, 0] = numpy.maximum(-1e4 * batch.gap * batch.step, 0.0)

    world.add_law(spring, parameters=PARAMETERS, history=["steps"])
    world.pair(law="spring", damping=3.0)
    world.ground()
    world.body(shape=cairn.sphere(radius=0.05), position=(0, 0, 0.0499))
    world.step(10)
    counts = [each[1][0] for each in seen if len(each[1])]
    assert counts == list(range(1, 11))
    assert seen[-1][2] == {"stiffness": 1e4, "damping": 3.0}


def test_a_law_that_raises_ends_the_steps():
    world = cairn.World(step=1e-4)

    def spring(batch):
        raise RuntimeError("no law today")

    world.add_law(spring, parameters=PARAMETERS)
    world.pair(law="spring")
    world.ground()
    world.body(shape=cairn.sphere(radius=0.05), position=(0, 0, 0.04))
    with pytest.raises(RuntimeError, match="no law today"):
        world.step(1000)
    assert world.step_count < 5
    world.close()


@pytest.mark.parametrize("keys, words", [
    ({"parameters": {"k": "high"}}, "high"),
    ({"parameters": {"k": {"value": 1}}}, "parameter k"),
    ({"name": "hooke"}, "hooke"),
    ({"history": ["a", "a"]}, "twice"),
])
def test_wrong_laws(keys, words):
    with pytest.raises((cairn.Error, ValueError)) as caught:
        cairn.World().add_law(spring, **keys)
    assert words in str(caught.value)


def test_arrays_of_a_batch_outlive_it_and_wrong_shapes_are_refused():
    kept = []
    world = cairn.World(step=1e-3)
    world.body(shape=cairn.sphere(radius=0.1))

    def field(batch):
        kept.append((batch, batch.centre))
        with pytest.raises(cairn.ArgumentError):
            batch.force = numpy.zeros((7, 2))
        with pytest.raises(cairn.ArgumentError, match="cannot be set"):
            batch.mass = 1
        with pytest.raises(AttributeError):
            batch.masses
        return numpy.zeros((1, 3))

    world.add_force_field(field)
    world.step(2)
    world.close()
    assert kept[0][1].shape == (1, 3) and numpy.isfinite(kept[0][1]).all()
    with pytest.raises(cairn.StateError, match="is over"):
        kept[0][0].velocity


def test_a_force_field_is_a_force():
    world = cairn.World(step=1e-3, gravity=(0, 0, 0))
    body = world.body(shape=cairn.sphere(radius=0.1), position=(1, 0, 0), velocity=(0, 1, 0))

    def centre(batch):
        return -batch.mass[:, None] * batch.centre

    world.add_force_field(centre)
    world.run(until=numpy.pi)
    assert body.position == pytest.approx([-1, 0, 0], abs=2e-3)
    world.remove_force_field("centre")
    velocity = body.velocity
    world.step()
    numpy.testing.assert_array_equal(body.velocity, velocity)
    with pytest.raises(cairn.NotFoundError):
        world.remove_force_field("centre")

    def bad(batch):
        raise KeyError("field")
    world.add_force_field(bad)
    with pytest.raises(KeyError):
        world.step()


def test_a_c_function_is_taken_as_it_is():
    calls = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    function = kind(lambda *_: calls.append(1) or 0)
    world = cairn.World(step=1e-3)
    world.body(shape=cairn.sphere(radius=0.1))
    world.add_force_field(function, name="c")
    world.step(3)
    assert len(calls) == 3
    with pytest.raises(cairn.ArgumentError):
        world.add_force_field("c", name="d")


def test_snapshots():
    world = dropping()
    world.step(500)
    snapshot = world.snapshot()
    world.step(300)
    there = world.hash
    world.revert(snapshot)
    assert world.step_count == 500
    world.step(300)
    assert world.hash == there
    with pytest.raises(cairn.Error):
        dropping().revert(snapshot)
    with pytest.raises(cairn.ArgumentError):
        world.revert("there")
    world.close()


def test_another_thread_ends_the_steps():
    world = cairn.load("kapla_tower", rings=6)
    timer = threading.Timer(0.2, world.interrupt)
    timer.start()
    with pytest.raises(cairn.Interrupted):
        world.step(100000)
    timer.join()
    reached = world.step_count
    world.step(2)
    assert world.step_count == reached + 2
