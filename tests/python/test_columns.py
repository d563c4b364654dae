# SPDX-License-Identifier: Apache-2.0
# Columns: every one can be read, views copy nothing and never show foreign memory.
import gc

import cairn
import numpy
import pytest


def boxes(count=4):
    world = cairn.World(step=1 / 200)
    world.ground()
    shape = cairn.box(size=(0.1, 0.1, 0.1))
    for i in range(count):
        world.body(shape=shape, position=(0.5 * i, 0, 0.05 + 0.001 * i), velocity=(0, 0.1 * i, 0))
    return world


def jointed():
    world = boxes()
    world.joint(kind="hinge", bodies=[world.bodies[1], world.bodies[2]], at=(0.7, 0, 0.1))
    world.step(5)
    return world


def test_every_column_is_reachable():
    world = jointed()
    count = 0
    for name in ("bodies", "contacts", "joints", "connectors"):
        table = getattr(world, name)
        for column in table.columns.values():
            values = getattr(table, column.name)
            assert values.shape == column.shape(len(table)) and values.dtype == column.dtype
            assert not values.flags.writeable
            numpy.testing.assert_array_equal(values, table.read(column.name))
            count += 1
    assert count == cairn.lib.cairn_column_count() > 30
    assert len(world.contacts) > 0 and len(world.joints) == 1


def test_a_view_copies_nothing():
    world = boxes()
    shown = cairn.ffi.new("cairn_array *")
    assert cairn.lib.cairn_world_array(world._world, b"bodies.velocity", shown, cairn.ffi.NULL) == 0
    view = world.bodies.velocity
    assert view.ctypes.data == int(cairn.ffi.cast("uintptr_t", shown.segments[0].data))
    assert not view.flags.owndata
    before = view.copy()
    world.step(3)
    assert (view[1:, 2] != before[1:, 2]).any()
    numpy.testing.assert_array_equal(view, world.bodies.read("velocity"))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0


def test_positions_are_the_engines_own():
    world = boxes()
    for name, width in (("position", 3), ("orientation", 4), ("centre", 3)):
        view = getattr(world.bodies, name)
        assert not view.flags.owndata and view.shape == (5, width)
        numpy.testing.assert_array_equal(view, world.bodies.read(name))
        before = view.copy()
        world.step(4)
        numpy.testing.assert_array_equal(view, world.bodies.read(name))
        assert (view != before).any() or name == "orientation"
    assert world.bodies.position.ctypes.data == world.bodies.centre.ctypes.data

    # a body whose shape has its centre elsewhere: its place has to be worked out
    off = cairn.polyhedron(points=[(0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3)])
    world.body(shape=off, position=(3, 0, 1))
    assert world.bodies.position.flags.owndata and not world.bodies.centre.flags.owndata
    numpy.testing.assert_array_equal(world.bodies.position[5], world.bodies[5].position)


def test_columns_agree_with_bodies():
    world = jointed()
    for i, body in enumerate(world.bodies):
        numpy.testing.assert_array_equal(world.bodies.position[i], body.position)
        numpy.testing.assert_array_equal(world.bodies.velocity[i], body.velocity)
        numpy.testing.assert_allclose(world.bodies.contact_force[i], body.contact_force, atol=1e-12)
    assert world.joints.coordinate[0] == world.joints[0].coordinate
    table = world.contacts.table("gap", "normal")
    numpy.testing.assert_array_equal(table["normal"], world.contacts.normal)


def test_columns_are_set():
    world = boxes()
    velocity = world.bodies.read("velocity")
    velocity[1:] = [0.0, 0.0, 1.0]
    world.bodies.velocity = velocity
    numpy.testing.assert_array_equal(world.bodies[2].velocity, [0, 0, 1])
    for name, values in (("velocity", numpy.zeros((2, 3))), ("velocity", "fast"),
                         ("velocity", velocity * numpy.nan), ("mass", 1.0),
                         ("velocity", velocity + 1j)):
        with pytest.raises(cairn.Error):
            setattr(world.bodies, name, values)
    numpy.testing.assert_array_equal(world.bodies.velocity, velocity)
    with pytest.raises(AttributeError, match='did you mean "velocity"'):
        world.bodies.velocty


def test_old_views_show_old_numbers_and_never_crash():
    world = boxes()
    old = []
    for i in range(200):
        old.append(world.bodies.velocity)
        old.append(world.bodies.mass)
        world.body(shape=cairn.sphere(radius=0.01), position=(i, 5, 5))
        world.step()
        old += [world.contacts.view("gap")] if i % 20 == 0 else []
    assert all(numpy.isfinite(each.sum()) or each.ndim == 1 for each in old)
    world.close()
    del world
    gc.collect()
    assert old[0].shape == (5, 3) and numpy.isfinite(old[0]).all()
    old.clear()
    gc.collect()


def test_views_after_removal_are_copies_in_order():
    world = boxes()
    world.bodies[1].remove()
    assert len(world.bodies) == 4
    for i, body in enumerate(world.bodies):
        numpy.testing.assert_array_equal(world.bodies.velocity[i], body.velocity)
    with pytest.raises(cairn.UnsupportedError):
        world.bodies.view("velocity")


def test_spheres_of_explicit_laws_are_read():
    world = cairn.World(step=1e-4)
    world.pair(law="hooke", normal_stiffness=1e4)
    world.ground()
    for i in range(20):
        world.body(shape=cairn.sphere(radius=0.05), position=(0.2 * i, 0, 0.05))
    world.step(30)
    assert len(world.contacts) >= 20
    assert (world.contacts.gap < 0).any()
    for i, body in enumerate(world.bodies):
        numpy.testing.assert_array_equal(world.bodies.velocity[i], body.velocity)
    parts = world.bodies.segments("velocity")
    ids = world.bodies.id[:, 0]
    rows = numpy.full((ids.max() + 1, 3), numpy.nan)
    for values, at in parts:
        rows[numpy.arange(len(values)) if at is None else at] = values
    numpy.testing.assert_array_equal(rows[ids], world.bodies.velocity)


def test_whole_numbers_of_any_type_are_set():
    world = boxes()
    for values in (numpy.arange(5), numpy.arange(5, dtype=numpy.int8), numpy.arange(5.0).astype(">u2"),
                   [0, 1, 2, 3, 4], range(5)):
        world.bodies.user = values
        assert world.bodies.user.tolist() == [0, 1, 2, 3, 4]
    world.bodies.user = 2**64 - 1
    assert world.bodies.user.tolist() == [2**64 - 1] * 5
    world.bodies.collision = [[1, 3]] * 5
    assert world.bodies.collision.tolist() == [[1, 3]] * 5
    for wrong in (-1, numpy.arange(5) - 1, 1.5):
        with pytest.raises(cairn.ArgumentError, match="user"):
            world.bodies.user = wrong
    with pytest.raises(cairn.ArgumentError, match="4294967296 is out of range: 0 to 4294967295"):
        world.bodies.collision = [[1, 2**32]] * 5
    assert world.bodies.user.tolist() == [2**64 - 1] * 5


def test_triangles_of_small_types_count_on():
    points = numpy.random.default_rng(1).random((256, 3))
    for kind, last in ((numpy.uint8, 255), (numpy.int8, 127), (numpy.uint16, 255)):
        world = cairn.World()
        world.body(kind="fixed", shape=cairn.mesh(vertices=points,
                                                  triangles=numpy.array([[0, 1, last]], kind)))
        assert len(world.bodies) == 1
