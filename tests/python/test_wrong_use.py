# SPDX-License-Identifier: Apache-2.0
# Wrong use raises with a sentence, and never crashes.
import gc
import inspect
import threading
import warnings

import cairn
import numpy
import pytest


def world_of_balls(count=3):
    world = cairn.World(step=1e-3)
    world.ground()
    for i in range(count):
        world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 0.1 + 0.3 * i))
    return world


@pytest.mark.parametrize("keys, words", [
    ({"shap": 1}, 'unknown key "shap" (did you mean "shape"?)'),
    ({}, "shape"),
    ({"shape": 3}, "shape"),
    ({"shape": cairn.sphere(radius=-1)}, "radius"),
    ({"shape": cairn.sphere(radius=float("nan"))}, "NaN"),
    ({"shape": cairn.sphere(radius=1), "position": (0, 0)}, "position"),
    ({"shape": cairn.sphere(radius=1), "position": (0, 0, float("inf"))}, "position"),
    ({"shape": cairn.sphere(radius=1), "position": numpy.zeros((2, 3))}, "position"),
    ({"shape": cairn.sphere(radius=1), "position": (0, 0, 10**400)}, "position"),
    ({"shape": cairn.sphere(radius=1), "name": object()}, "name"),
    ({"shape": cairn.sphere(radius=1), "name": "a\0b"}, "zero byte"),
    ({"shape": cairn.sphere(radius=1), "name": "\ud800"}, "Unicode"),
    ({"shape": cairn.sphere(radius=1), "material": "nothing"}, "nothing"),
    ({"shape": cairn.mesh(vertices=[[0, 0, 0]], triangles=[[0, 0, 5]]), "kind": "fixed"}, "vertices"),
])
def test_wrong_keys_of_a_body(keys, words):
    world = cairn.World()
    with pytest.raises(cairn.Error) as caught:
        world.body(**keys)
    assert words in str(caught.value)
    assert caught.value.status in ("ERROR_SCENE", "ERROR_ARGUMENT")
    assert caught.value.exit_status in (2, 3)


def test_wrong_scenes_and_parameters(tmp_path):
    with pytest.raises(cairn.FileError):
        cairn.load(tmp_path / "missing.lua")
    path = tmp_path / "wrong.lua"
    path.write_text("ground{}\nbdy{}\n")
    with pytest.raises(cairn.SceneError, match=r"wrong.lua:2: unknown call 'bdy'"):
        cairn.load(path)
    with pytest.raises(cairn.ArgumentError, match="rings"):
        cairn.load("kapla_tower", ring=3)
    with pytest.raises(cairn.ArgumentError):
        cairn.load("kapla_tower", threads=0)
    for name, value in (("tolerance", "x"), ("tolerance", float("nan")), ("step", [1]), ("until", float("nan")),
                        ("threads", 1.7), ("seed", -1), ("seed", 2**31), ("seed", 1.5), ("simulation", 3),
                        ("solver_settings", [1])):
        with pytest.raises(cairn.ArgumentError, match=name.split("_")[0]):
            cairn.load("kapla_tower", **{name: value})
    with pytest.raises(cairn.ArgumentError, match="gravity"):
        cairn.World(gravity=5)
    with pytest.raises(cairn.Error):
        cairn.load("kapla_tower", solver="no_such")
    with pytest.raises(cairn.ArgumentError, match="zero byte"):
        cairn.load("a\0b")
    with pytest.raises(cairn.Error):
        cairn.load(7)
    with pytest.raises(cairn.SceneError):
        cairn.World(stp=0.1)


def test_a_failed_call_leaves_the_world_as_it_was():
    world = world_of_balls()
    before = world.hash
    for _ in range(3):
        with pytest.raises(cairn.SceneError):
            world.body(shape=cairn.sphere(radius=0.1), position="here")
    assert world.hash == before
    world.step()


def test_a_closed_world():
    world = world_of_balls()
    ball = world.body(shape=cairn.sphere(radius=0.1), position=(3, 0, 3))
    world.close()
    for call in (world.step, lambda: world.time, lambda: ball.position, world.close,
                 lambda: world.body(shape=cairn.sphere(radius=1))):
        with pytest.raises(cairn.StateError, match="closed"):
            call()
    assert "closed" in repr(world)


def test_bodies_of_another_world():
    one, other = world_of_balls(), world_of_balls()
    ball = one.body(shape=cairn.sphere(radius=0.1), position=(1, 1, 1))
    with pytest.raises(cairn.StaleError):
        other.joint(kind="ball", bodies=[ball], at=(0, 0, 0))
    assert len(other.joints) == 0


def test_a_step_inside_a_callback_is_refused():
    world = world_of_balls()
    table = world.body(kind="moving", shape=cairn.box(size=(1, 1, 1)), position=(9, 0, 0))
    seen = []

    def position(time):
        for call in (world.step, lambda: world.time, world.close,
                     lambda: world.body(shape=cairn.sphere(radius=1))):
            with pytest.raises(cairn.StateError, match="in a step") as caught:
                call()
            seen.append(caught)
        return (9, 0, 0)

    world.motion(body=table, position=position)
    world.step()
    assert seen


def test_a_world_in_a_step_of_another_thread():
    world = cairn.load("kapla_tower", rings=12)
    started = threading.Event()

    def run():
        started.set()
        world.step(30)

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    refused = 0
    while thread.is_alive():
        try:
            world.time
        except cairn.StateError as error:
            assert "another thread" in str(error)
            refused += 1
    thread.join()
    assert refused > 0
    assert world.step_count == 30


@pytest.mark.parametrize("count", [-1, 1.5, "two", None, 2**70])
def test_wrong_counts_of_steps(count):
    world = world_of_balls()
    with pytest.raises(cairn.ArgumentError):
        world.step(count)
    assert world.step_count == 0


def test_wrong_values_of_bodies():
    world = world_of_balls()
    ball = world.body(name="ball", shape=cairn.sphere(radius=0.1), position=(2, 0, 0.5))
    for value in ((1, 2), "up", None, numpy.zeros((3, 1))):
        with pytest.raises(cairn.ArgumentError):
            ball.position = value
    with pytest.raises(cairn.Error):
        ball.position = (float("nan"), 0, 0)
    with pytest.raises(cairn.Error):
        ball.place((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(cairn.Error):
        world.time_step = -1
    with pytest.raises(cairn.ArgumentError):
        world.gravity = (0, 0)
    for call in ("body", "ground", "joint", "material"):
        with pytest.raises(cairn.SceneError, match=f"{call}: .* at place 1; write {call}{{ "):
            getattr(world, call)(cairn.box(size=(1, 1, 1)))
    with pytest.raises(cairn.NotFoundError, match="bal"):
        world.find("bal")
    assert ball.position.tolist() == [2, 0, 0.5]


def test_handles_outlive_their_world_variable():
    ball = world_of_balls().body(shape=cairn.sphere(radius=0.1), position=(3, 0, 3))
    gc.collect()
    assert ball.position.tolist() == [3, 0, 3]
    ball.world.step()


def test_complex_numbers_are_refused():
    world = world_of_balls()
    ball = world.bodies[1]
    problem = cairn.Problem(W=numpy.eye(3), q=[-1.0, 0, 0], mu=[0.3])
    wrong = numpy.array([0, 0, 1j])

    def field(batch):
        batch.force = numpy.zeros((batch.count, 3), complex)

    world.add_force_field(field)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (lambda: setattr(ball, "velocity", wrong), lambda: ball.push(wrong),
                     lambda: setattr(world, "gravity", wrong), world.step,
                     lambda: world.bodies.write("velocity", wrong),
                     lambda: world.query().nearest(wrong, (0, 0, 1)),
                     lambda: problem.judge(wrong), lambda: cairn.project([wrong], 0.3),
                     lambda: cairn.Problem(W=numpy.eye(3), q=wrong, mu=[0.3]),
                     lambda: cairn.Problem(W=1j * numpy.eye(3), q=[-1.0, 0, 0], mu=[0.3])):
            with pytest.raises(cairn.ArgumentError):
                call()


def test_wrong_arguments_of_queries_solves_and_runs():
    world = world_of_balls()
    query = world.query()
    up, down = (0, 0, 9), (0, 0, -1)
    problem = cairn.Problem(W=numpy.eye(3), q=[-1.0, 0, 0], mu=[0.3])
    for call in (lambda: query.nearest((0, 0), down), lambda: query.nearest((0, 0, 0, 0), down),
                 lambda: query.nearest("up", down), lambda: query.nearest(up, down, length="x"),
                 lambda: query.nearest(up, down, mask=-1), lambda: query.ray(up, down, groups=1.5),
                 lambda: query.box(up, 1.0), lambda: query.box(up, (1, 1)),
                 lambda: problem.solve(max_iterations=1.5), lambda: problem.solve(max_iterations=-1),
                 lambda: problem.solve(threads=0), lambda: problem.solve(tolerance="x"),
                 lambda: problem.solve(time_limit=None), lambda: cairn.project(numpy.eye(3), numpy.inf),
                 lambda: world.run(until=1, every=float("nan")), lambda: world.run(until=1, every=None),
                 lambda: world.run(until=1, observers=[3]), lambda: world.run(until=1, observers=3),
                 lambda: world.run(until=1, observers=numpy.zeros(2)), lambda: world.run(until=1, stop=3),
                 lambda: world.run(until=1, stop=numpy.zeros(2)), lambda: world.run(until=1, stop={"a": 3}), lambda: world.step(numpy.array([2])),
                 lambda: world.bodies[numpy.array([1])],
                 lambda: cairn.load("kapla_tower", rings=numpy.array([1, 2])),
                 lambda: world.add_law(print, "law", parameters={"stiffness": "soft"})):
        with pytest.raises(cairn.ArgumentError):
            call()
    assert world.run(until=2e-3, observers=None).step_count == 2
    assert query.nearest(up, down)["body"] == world.bodies[3]


WRONG = [None, -1, float("nan"), [], {}, (1, 2), object(), numpy.zeros((3, 2)), b"y", 2**70, 1 + 2j, "\0"]


@pytest.mark.parametrize("call", [
    lambda bad: cairn.plugins(bad), lambda bad: cairn.Run(bad),
    lambda bad: cairn.read_packing(bad), lambda bad: cairn.render(bad), lambda bad: cairn.to_html(bad),
    lambda bad: cairn.load(bad),
    lambda bad: world_of_balls().problem(bad),
    lambda bad: world_of_balls().bodies.read(bad), lambda bad: world_of_balls().contacts.view(bad),
    lambda bad: world_of_balls().bodies.write(bad, 0), lambda bad: world_of_balls().bodies.segments(bad),
    lambda bad: world_of_balls().solver(bad), lambda bad: world_of_balls().solver(lambda problem: 0, form=1 if bad is None else bad),
    lambda bad: world_of_balls().add_law(lambda batch: None, "" if bad is None else bad),
    lambda bad: world_of_balls().add_force_field(lambda batch: None, "" if bad is None else bad),
])
def test_arguments_of_other_types(call):
    """Python's own TypeError told of what is inside the package, not of what is wrong."""
    for bad in WRONG:
        with pytest.raises(cairn.Error) as caught:
            call(bad)
        assert str(caught.value) != "", bad


def test_a_number_of_steps_that_is_an_array():
    with pytest.raises(cairn.ArgumentError, match="the number of steps must be whole"):
        world_of_balls().step(numpy.zeros((3, 2)))


def things(folder):
    """{name: a function that makes one} of what has public calls."""
    (folder / "spheres.csv").write_text("x,y,z,radius\n0,0,1,0.1\n1,0,1,0.1\n")
    world = world_of_balls()
    world.joint(kind="hinge", name="pin", bodies=["#1"], at=(0, 0, 0.1), motor={"velocity": 0.0})
    world.record(folder / "trajectory.h5", until=2e-3)
    return {"World": world_of_balls, "Body": lambda: world.bodies[1], "Joint": lambda: world.find_joint("pin"),
            "Table": lambda: world.bodies, "Query": world.query, "Run": lambda: cairn.Run(folder),
            "Trajectory": lambda: cairn.Run(folder).trajectory, "Snapshot": world.snapshot,
            "Problem": lambda: cairn.Problem(W=numpy.eye(3), q=[-1.0, 0, 0], mu=[0.3]),
            "Packing": lambda: cairn.read_packing(folder / "spheres.csv"), "cairn": lambda: cairn}


ODD = [*WRONG, numpy.ma.masked_array([1.0, 2, 3], [0, 1, 0]), numpy.array("s"), iter([1]), range(2), "x" * 3000, int]
CALLED_ELSEWHERE = {"cairn": ("Film", "Error", "errors", "guard"), "World": ("film", "record"), "Table": ()}


@pytest.mark.parametrize("kind", ["World", "Body", "Joint", "Table", "Query", "Run", "Trajectory", "Snapshot", "Problem",
                                  "Packing", "cairn"])
def test_every_call_with_what_does_not_fit(kind, tmp_path):
    """Whatever a call is given, what it raises is an Error with a sentence."""
    make, calls = things(tmp_path)[kind], 0
    for name in dir(make()):
        one = getattr(type(make()) if kind != "cairn" else cairn, name, None)
        if name.startswith("_") or isinstance(one, type) or not callable(one) or \
                getattr(one, "__module__", "cairn").split(".")[0] != "cairn" or name in CALLED_ELSEWHERE.get(kind, ()):
            continue
        calls += 1
        named = [each for each in inspect.signature(one).parameters if each not in ("self", "keys", "settings")]
        tries = [((), {"no_such_word": 1}), ((None,) * 12, {})]
        tries += [((bad,), {}) for bad in ODD] + [((), {each: bad}) for each in named for bad in ODD]
        for arguments, keys in tries:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    getattr(make(), name)(*arguments, **keys)
            except cairn.Error as error:
                assert len(str(error).split()) > 2, (name, arguments, keys)
    assert calls > 0 or kind == "Snapshot"


@pytest.mark.parametrize("call, words", [
    (lambda world: world.run(untill=1), 'World.run has no argument "untill" (did you mean "until"?); it takes until, obs'),
    (lambda world: world.find(), "World.find wants name"),
    (lambda world: world.find("a", "b"), "World.find was given 2 arguments without a name, and takes at most 1, name"),
    (lambda world: world.bodies[1].push((0, 0, 1), force=(0, 0, 1)), "Body.push was given force twice"),
    (lambda world: world.velocitys, 'a World has no "velocitys"'),
    (lambda world: world.bodies[1].positon, 'a Body has no "positon" (did you mean "position"?)'),
    (lambda world: setattr(world, "toleranse", 1), 'a World has no "toleranse" that may be set (did you mean "tolerance"?)'),
    (lambda world: setattr(world.bodies[1], "mass", 2), "Body.mass is read, and cannot be set"),
    (lambda world: setattr(world, "step", 2), "World.step is called, and cannot be set"),
    (lambda world: world.bodies.__setitem__(0, 1), "bodies are set by columns"),
    (lambda world: world.servo(force=lambda time: 1), "cannot be a function of Python: motion, load and the motor"),
    (lambda world: setattr(world.bodies, "velocity", numpy.ma.masked_array([1.0, 2, 3], [0, 1, 0])), "masked"),
    (lambda world: cairn.Body(world, 3), "Body cannot use"), (lambda world: cairn.Report("float"), "a report is what"),
])
def test_what_is_said_of_calls(call, words):
    with pytest.raises(cairn.Error) as caught:
        call(world_of_balls())
    assert words in str(caught.value)


def test_exceptions_of_functions_come_out_as_they_are():
    world = world_of_balls()
    with pytest.raises(KeyError, match="mine"):
        world.run(until=1, observers=lambda world: {}["mine"])
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        world.run(until=1, stop=lambda world: 1 + "a")
    assert not isinstance(caught.value, cairn.Error)


def test_arrays_of_packings(tmp_path):
    (tmp_path / "spheres.csv").write_text("x,y,z,radius\n0,0,1,0.1\n1,0,1,0.1\n")
    for name, bad in (("radius", [0.1, "x"]), ("position", numpy.zeros((2, 2))), ("velocity", 3), ("clump", [0.5, 1]),
                      ("mass", [1, 2, 3]), ("density", numpy.ma.masked_array([1, 2], [0, 1]))):
        packing = cairn.read_packing(tmp_path / "spheres.csv")
        setattr(packing, name, bad)
        with pytest.raises(cairn.ArgumentError, match=f"packing.{name}"):
            packing.add_to(cairn.World())
    with pytest.raises(cairn.MissingAttributeError, match='did you mean "position"'):
        packing.positions = numpy.zeros((2, 3))
    packing = cairn.read_packing(tmp_path / "spheres.csv")
    packing.position, packing.clump = [[0, 0, 2], [0, 0, 3]], [-1, -1]
    world = cairn.World()
    assert packing.add_to(world) == 2 and world.bodies.position[:, 2].tolist() == [2, 3]


def test_long_paths_leave_the_reason():
    for name in ("x" * 3000, "ä" * 2000, "/" + "y" * 250 + "/z" * 300):
        with pytest.raises(cairn.FileError) as caught:
            world_of_balls().restore(name)
        said = str(caught.value)
        assert said.endswith(("File name too long", "No such file or directory")) and " ... " in said
