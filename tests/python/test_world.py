# SPDX-License-Identifier: Apache-2.0
# Worlds from Python: the same bits as the command, building, stepping, reading, files, threads.
import concurrent.futures
import json
import math
import os
import signal
import subprocess
import threading

import cairn
import numpy
import pytest


def command(*arguments):
    return subprocess.run([os.environ["CAIRN_COMMAND"], *arguments], check=True,
                          capture_output=True, text=True)


@pytest.mark.parametrize("scene, parameters, until", [
    ("kapla_tower", {"rings": 3}, 0.25),
    ("rag_dolls", {}, 0.05),
    ("mixer", {}, 0.02),
])
def test_hash_is_that_of_the_command(tmp_path, scene, parameters, until):
    words = [f"--set={name}={value}" for name, value in parameters.items()]
    said = command("run", scene, *words, "--until", str(until), "--json", "--quiet", "--out",
                   str(tmp_path / "out")).stdout
    world = cairn.load(scene, until=until, **parameters)
    world.run()
    summary = json.loads(said)
    assert world.step_count == summary["steps"]
    assert world.state_hash == summary["state_hash"]


def pile(**keys):
    world = cairn.World(step=1 / 200, **keys)
    world.material(name="wood", density=700)
    world.pair(friction=0.4, restitution=0.1)
    world.ground(material="wood")
    brick = cairn.box(size=(0.2, 0.1, 0.05))
    for i in range(4):
        world.body(name=f"brick {i}", shape=brick, material="wood",
                   position=(0.03 * i, 0, 0.03 + 0.06 * i))
    return world


def test_text_of_a_world_builds_it_again(tmp_path):
    world = pile()
    path = tmp_path / "again.lua"
    path.write_text(world.scene_text)
    again = cairn.load(path)
    world.step(40)
    again.step(40)
    assert world.hash == again.hash
    assert world.report["contacts"] > 4


def test_names_with_odd_letters():
    world = cairn.World()
    shape = cairn.sphere(radius=0.1)
    first = world.body(name='a "b" \\ \n ü', shape=shape)
    second = world.body(shape=shape, position=(0, 0, 1))
    joint = world.joint(kind="ball", bodies=[first, second], at=(0, 0, 0.5))
    assert joint.bodies == (first, second)
    assert world.find('a "b" \\ \n ü') == first


def test_a_body_falls_as_it_should():
    world = cairn.World(step=1e-3, gravity=(0, 0, -2.0))
    ball = world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 5), velocity=(1, 0, 0))
    world.run(until=1.0)
    assert world.step_count == 1000
    assert ball.position == pytest.approx([1.0, 0.0, 4.0], abs=1e-9)
    assert ball.velocity == pytest.approx([1.0, 0.0, -2.0], abs=1e-9)
    assert ball.mass == pytest.approx(1000.0 * 4 / 3 * math.pi * 1e-3)
    assert world.energy["kinetic"] == pytest.approx(0.5 * ball.mass * 5.0 + world.energy["kinetic"]
                                                    - ball.kinetic_energy)
    assert world.momentum[0] == pytest.approx(ball.mass * ball.velocity)


def test_bodies_can_be_set_and_pushed():
    world = cairn.World(step=1e-3, gravity=(0, 0, 0))
    ball = world.body(shape=cairn.sphere(radius=0.1))
    ball.position = (1, 2, 3)
    ball.velocity = (0, 1, 0)
    ball.push((ball.mass, 0, 0))
    world.step(100)
    assert ball.velocity == pytest.approx([0.1, 1.0, 0.0])
    assert ball.position[1] == pytest.approx(2.1)
    ball.remove()
    with pytest.raises(cairn.StaleError):
        ball.position


def test_motion_and_motor_follow_functions_of_python():
    world = cairn.World(step=1e-3, gravity=(0, 0, 0))
    table = world.body(kind="moving", shape=cairn.box(size=(1, 1, 0.1)))
    world.motion(body=table, position=lambda t: (math.sin(t), 0, 0),
                 rotation={"axis": (0, 0, 1), "angle": lambda t: 90 * t})
    arm = world.body(shape=cairn.box(size=(0.4, 0.1, 0.1)), position=(5, 0, 0))
    hinge = world.joint(kind="hinge", bodies=[arm], at=(5, 0, 0), axis=(0, 0, 1),
                        motor={"velocity": lambda t: 2.0 * t})
    world.step(500)
    assert table.position[0] == pytest.approx(math.sin(0.5), abs=1e-9)
    assert table.orientation[0] == pytest.approx(math.cos(math.radians(22.5)), abs=1e-6)
    assert hinge.speed == pytest.approx(1.0, abs=5e-3)


def test_an_exception_of_a_function_comes_out_of_the_step():
    world = cairn.World(step=1e-3)
    table = world.body(kind="moving", shape=cairn.box(size=(1, 1, 0.1)))

    def position(time):
        if time > 0.0055:
            raise KeyError("no way")
        return (time, 0, 0)

    world.motion(body=table, position=position)
    with pytest.raises(KeyError, match="no way"):
        world.step(100)
    assert world.step_count < 7
    world.close()


def test_checkpoint_goes_on_with_the_same_bits(tmp_path):
    world = pile()
    world.step(20)
    world.save(tmp_path / "here.h5", note="twenty")
    world.step(30)
    other = pile()
    other.restore(tmp_path / "here.h5")
    assert other.step_count == 20
    other.step(30)
    assert other.hash == world.hash


def test_sensors_and_parameters():
    world = cairn.load("kapla_tower", rings=2, friction=0.5)
    assert world.parameters["rings"] == 2 and world.parameters["friction"] == 0.5
    world.run(until=0.5)
    weight = 9.81 * sum(world.find(f"plank_{r}_{i}").mass for r in (1, 2) for i in range(1, 13))
    assert world.sensors["ground"][2] == pytest.approx(-weight, rel=1e-2)


def test_observers_see_a_world_at_rest_and_may_end_the_run():
    world = pile()
    seen = []

    def observer(given):
        seen.append((given.step_count, given.find("brick 0").position[2]))
        return len(seen) == 3

    world.run(until=1.0, observers=observer, every=5)
    assert [step for step, _ in seen] == [5, 10, 15]


def test_worlds_in_threads_have_the_bits_of_one_thread():
    expected = pile()
    expected.step(60)

    def one(_):
        world = pile()
        world.step(60)
        return world.hash

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(one, range(16))) == {expected.hash}


def test_other_threads_run_during_steps():
    world = cairn.load("kapla_tower", rings=8)
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    world.step(20)
    over.set()
    thread.join()
    assert counted[0] > 100


def test_ctrl_c_ends_the_steps_and_the_world_goes_on():
    world = cairn.load("kapla_tower", rings=6)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(100000)
    timer.join()
    reached = world.step_count
    assert 0 < reached < 100000
    world.validate()
    again = cairn.load("kapla_tower", rings=6)
    again.step(reached)
    assert again.hash == world.hash
    world.step()
    assert world.step_count == reached + 1


def test_values_of_numpy_are_taken():
    world = cairn.World(step=numpy.float32(0.005), threads=numpy.int64(1))
    points = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    body = world.body(shape=cairn.polyhedron(points=points), position=numpy.ones(3))
    assert body.mass == pytest.approx(1000 / 6)
    world.body(kind="fixed", shape=cairn.mesh(
        vertices=[(-1, -1, 0), (1, -1, 0), (1, 1, 0)], triangles=numpy.array([[0, 1, 2]])))
    assert world.time_step == pytest.approx(0.005)


def test_meshes_are_surfaces_or_solid():
    corners = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    sides = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7),
             (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]
    hits = []
    for solid in (False, True):
        world = cairn.World(step=0.01)
        world.body(kind="fixed", shape=cairn.mesh(vertices=corners, triangles=sides, solid=solid))
        ball = world.body(shape=cairn.sphere(radius=0.2))
        hits.append(world.query().nearest((0.5, 0.5, 0), (0, 0, 1))["distance"])
        for _ in range(100):
            world.step()
        assert solid or ball.position[2] == pytest.approx(-0.8)
    assert hits == [pytest.approx(1), 0]
    with pytest.raises(cairn.Error, match="a solid mesh must be closed"):
        world.body(kind="fixed", shape=cairn.mesh(vertices=corners, triangles=sides[1:], solid=True))
    with pytest.raises(cairn.Error, match="inertia = .1, 1, 3. is of no body"):
        world.body(shape=cairn.sphere(radius=0.1), mass=1, inertia=(1, 1, 3))
    vessel = world.body(shape=cairn.mesh(vertices=corners, triangles=sides), mass=3)
    assert vessel.mass == pytest.approx(3) and vessel.inertia == pytest.approx([2, 2, 2])


def test_rays_and_boxes():
    world = cairn.World()
    world.ground()
    far, near = (world.body(shape=cairn.sphere(radius=0.1), position=(x, 0, 0.1)) for x in (3, 1))
    query = world.query()
    first = query.nearest((0, 0, 0.1), (2, 0, 0))
    assert first["body"] == near and first["distance"] == pytest.approx(0.9)
    assert first["point"] == pytest.approx([0.9, 0, 0.1]) and first["normal"][0] == -1
    assert [hit["body"] for hit in query.ray((0, 0, 0.1), (1, 0, 0))] == [near, far]
    assert query.nearest((0, 0, 0.1), (1, 0, 0), length=0.5) is None
    assert query.nearest((0, 0, 0.1), (1, 0, 0), mask=2) is None
    assert query.box((3, 0, 0.15), (0.1, 0.1, 0.1)) == [far]
    near.remove()
    assert query.nearest((0, 0, 0.1), (1, 0, 0))["body"] == far
    other = world.body(shape=cairn.sphere(radius=0.1), position=(0.5, 0, 0.1))
    query.update()
    assert query.nearest((0, 0, 0.1), (1, 0, 0))["body"] == other
    with pytest.raises(cairn.ArgumentError):
        query.nearest((0, 0, 0), (0, 0, 0))
