# SPDX-License-Identifier: Apache-2.0
# How worlds end, whatever holds them, and what they are not: copies and bags of attributes.
import copy
import gc
import pickle
import weakref

import cairn
import pytest


class Environment:
    """A world, what it has made, and functions that the engine calls: a ring of objects."""

    def __init__(self, kind):
        self.world = cairn.World(step=1e-3)
        self.world.ground()
        self.world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 0.1))
        if kind == "field":
            self.world.add_force_field(self.answer, "field")
        elif kind == "law":
            self.world.add_law(self.answer, "law")
        elif kind == "motion":
            lid = self.world.body(kind="moving", shape=cairn.box(size=(1, 1, 1)), position=(0, 0, 9))
            self.world.motion(body=lid, position=self.place)
        else:
            self.me = self
        self.world.step(2)
        self.query = self.world.query()
        self.snapshot = self.world.snapshot()
        self.view = self.world.bodies.velocity
        assert not self.view.flags.owndata

    def answer(self, batch):
        pass

    def place(self, time):
        return (0, 0, 9)


@pytest.mark.parametrize("kind", ["itself", "field", "law", "motion"])
def test_a_ring_of_objects_is_let_go(kind):
    owners = []
    for _ in range(10):
        environment = Environment(kind)
        owners.append(weakref.ref(environment.world._owner))
        del environment
    gc.collect()
    assert [owner() for owner in owners] == [None] * 10


def test_what_a_world_made_may_be_gone_after_it():
    world = Environment("itself").world
    view, query, snapshot = world.bodies.velocity, world.query(), world.snapshot()
    expected = view.copy()
    world.close()
    del world
    gc.collect()
    assert (view == expected).all()
    with pytest.raises(cairn.StateError, match="closed"):
        query.nearest((0, 0, 5), (0, 0, -1))
    del query, snapshot, view


def test_what_is_let_go_is_destroyed_at_once():
    world = Environment("itself").world
    gc.collect()
    kept = [world.query(), world.snapshot()]
    assert len(world._owner.made) == 2
    kept.clear()
    assert len(world._owner.made) == 0


def test_copies_are_refused():
    world = Environment("itself").world
    for each in (world, world.query(), world.snapshot(), world.problem()):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(cairn.UnsupportedError, match="neither be copied nor pickled"):
                way(each)
    with pytest.raises(cairn.UnsupportedError, match="World"):
        copy.deepcopy(world.bodies)
    with pytest.raises(cairn.UnsupportedError, match="World"):
        pickle.dumps(world.bodies[0])
    assert len(copy.copy(world.bodies)) == 2
    assert copy.copy(world.bodies[1]) == world.bodies[1]
    shape = pickle.loads(pickle.dumps(cairn.box(size=(1, 2, 3))))
    assert world.body(shape=shape, position=(0, 0, 5)).mass == pytest.approx(6000)


def test_a_misspelt_name_is_refused():
    world = cairn.World()
    with pytest.raises(AttributeError, match="gravty"):
        world.gravty = (0, 0, 0)


def test_an_interrupt_before_the_first_step():
    world = cairn.World()
    world.interrupt()
    with pytest.raises(cairn.Interrupted):
        world.step()
    world.step()
    assert world.step_count == 1
