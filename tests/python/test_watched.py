# SPDX-License-Identifier: Apache-2.0
# What the command says of a run Python says, too: warnings, explosions, jams, unsolved steps; and calls
# that would be taken for others are refused by name.
import gc
import json
import os
import shutil
import socket
import subprocess
import sys
import warnings

import cairn
import numpy
import pytest


def said(function):
    """The texts of the warnings, and the exception or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            function()
            failure = None
        except cairn.Error as error:
            failure = error
    assert all(issubclass(each.category, cairn.CairnWarning) for each in caught)
    assert all(each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught], failure


def spheres(step=1e-3, law="hertz_mindlin", second=0.25, **keys):
    world = cairn.World(step=step)
    world.pair(law=law, **keys)
    world.ground()
    world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 0.2))
    world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, second))
    return world


@pytest.mark.parametrize("built", [True, False])
def test_explosion(built, tmp_path):
    world = spheres(young_modulus=70e9)
    if not built:
        (tmp_path / "s.lua").write_text(world.scene_text.replace("simulation{", "simulation{end_time = 0.5, "))
        world = None

    def run():
        made = world or cairn.load(tmp_path / "s.lua")
        made.run(until=0.5)
    texts, failure = said(run)
    assert isinstance(failure, cairn.NumericalError) and "energy grew without a source" in str(failure)
    assert sum("exceeds the stable step" in text for text in texts) == 1
    assert sum("overlap by 0.15 m at the start" in text for text in texts) == 1


def test_explosions_can_be_watched_for_or_not():
    world = spheres(young_modulus=70e9)
    world.watched = False
    texts, failure = said(lambda: world.run(until=0.5))
    # the engine itself tells of the first sphere that goes too far for its law
    assert failure is None and len(texts) < 2 and not world.watched
    assert all("of its size in a step" in text for text in texts)
    assert world.bodies.position[:, 2].max() > 1e3


def test_a_sound_world_says_nothing():
    for law, step in (("signorini_coulomb", 1e-3), ("hooke", 1e-4)):
        world = spheres(step, law, 0.45)
        texts, failure = said(lambda: world.run(until=0.3))
        assert (texts, failure) == ([], None)


def test_warnings_can_be_errors():
    world = spheres(young_modulus=70e9)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cairn.CairnWarning)
        with pytest.raises(cairn.CairnWarning, match="stable step"):
            world.step()


def test_jam():
    world = cairn.World(step=1e-3)
    world.ground()
    for side in (-1, 1):
        world.body(kind="moving", name=f"jaw {side}", shape=cairn.box(size=(0.1, 1, 1)), position=(side * 0.15, 0, 0.5),
                   velocity=(-side * 0.1, 0, 0))
    world.body(shape=cairn.box(size=(0.2, 0.2, 0.2)), position=(0, 0, 0.1), name="nut")
    texts, failure = said(lambda: world.run(until=0.05))
    assert any("are jammed" in text and '"jaw -1"' in text for text in texts)


def test_unsolved():
    world = cairn.World(step=1e-3, max_iterations=1, step_halvings=0, tolerance=1e-12)
    world.solver("gauss_seidel")
    world.ground()
    for i in range(4):
        world.body(shape=cairn.box(size=(0.2, 0.2, 0.1)), position=(0.02 * i, 0, 0.05 + 0.1 * i))
    texts, failure = said(lambda: world.run(until=0.02))
    assert failure is None and any("above the tolerance" in text for text in texts)
    assert any("steps with contacts ended above" in text for text in texts)


def test_stable_step_and_validate():
    world = spheres(young_modulus=70e9)
    assert world.stable_step == world.step_limit["step"] == pytest.approx(3.31e-5, rel=0.01)
    assert world.step_limit["law"] == "hertz_mindlin" and world.step_limit["accurate"] < world.stable_step
    doubts = world.validate()
    assert "stable step" in doubts[0] and "overlap" in doubts[1]
    world.time_step = 1e-6
    assert "overlap" in world.validate()[0]
    assert spheres(1e-3, "signorini_coulomb", 0.45).stable_step == numpy.inf
    assert spheres(1e-3, "signorini_coulomb", 0.45).validate() == []
    # a frozen body may be released: it counts as if it were free
    free = spheres(1e-6, second=2.0).step_limit
    world = spheres(1e-6, second=2.0)
    world.freeze(region={"min": (-9, -9, -9), "max": (9, 9, 9)}, at=0)
    world.step()
    assert world.step_limit["step"] == free["step"] and world.step_limit["mass"] == free["mass"]


def scene(tmp_path, text):
    (tmp_path / "scene.lua").write_text(text)
    return tmp_path / "scene.lua"


@pytest.mark.parametrize("name, value", [("law", "bouncy"), ("step", 0.25), ("seed", 3), ("threads", 2), ("until", 4.0), ("solver", "mine"),
                                         ("tolerance", 1e-3), ("local", "x"), ("parameters", "p")])
def test_parameters_with_names_of_arguments(name, value, tmp_path):
    path = scene(tmp_path, f'simulation{{step = 1e-3, end_time = 1}} local p = param("{name}", {json.dumps(value)}, "of the scene") ground{{}}')
    # what the argument takes, too
    changed = {"law": "hooke", "solver": "nipm", "local": "secular", "tolerance": 1e-4}.get(name, value * 2)
    if name != "parameters":
        with pytest.raises(cairn.ArgumentError, match=f"parameters=.*{name}"):
            cairn.load(path, **{name: changed})
    if isinstance(value, str) and name != "parameters":
        with pytest.raises(cairn.Error, match=f"no_such.*parameters=.*{name}"):
            cairn.load(path, **{name: "no_such"})
    world = cairn.load(path, parameters={name: changed})
    assert world.parameters[name] == changed
    with pytest.raises(cairn.ArgumentError, match="twice"):
        cairn.load(path, other=1, parameters={"other": 2})
    both = cairn.load(path, step=2e-3, parameters={name: changed}) if name != "step" else world
    assert both.parameters[name] == changed


def test_step_auto(tmp_path):
    path = scene(tmp_path, 'simulation{step = 1e-3, end_time = 1} pair{law = "hooke", normal_stiffness = 1e4} ground{} body{shape = sphere{radius = 0.1}, position = {0, 0, 1}}')
    world = cairn.load(path, step="auto")
    assert world.time_step == world.step_limit["accurate"]


def test_calls_of_the_language(tmp_path, monkeypatch):
    world = cairn.World(step=1e-3, gravity=(0, 0, 0))
    world.body(name="ball", shape=cairn.sphere(radius=0.1), mass=2.0)
    world.load(body="ball", force=(1.0, 0, 0))
    world.step(1000)
    assert world.bodies.velocity[0, 0] == pytest.approx(0.5, rel=1e-6)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text("t,f\n0,1\n1,3\n")
    world = cairn.World(step=1e-3, gravity=(0, 0, 0))
    world.body(name="ball", shape=cairn.sphere(radius=0.1), mass=2.0)
    world.load(body="ball", force=(cairn.table("f.csv", "f", scale=2.0), 0, 0))
    world.step(1000)
    assert world.bodies.velocity[0, 0] == pytest.approx(2.0, rel=1e-3)
    for call in ("load", "freeze", "release", "remove", "servo", "measure", "fields", "outlet", "emitter", "cell", "connector"):
        assert callable(getattr(world, call))


def arm():
    world = cairn.World(step=1e-3)
    bar = world.body(shape=cairn.box(size=(0.5, 0.02, 0.02)), mass=1.0, position=(0.25, 0, 1))
    joint = world.joint(kind="hinge", bodies=[bar], at=(0, 0, 1), axis=(0, -1, 0),
                        motor={"position": 0.0, "stiffness": 5.0, "damping": 1.0})
    return world, joint


def test_motor_gains():
    world, joint = arm()
    world.step(4000)
    soft = joint.coordinate
    # the torque of gravity is that of the spring: k phi = m g l cos(phi)
    assert 5.0 * soft == pytest.approx(-9.81 * 0.25 * numpy.cos(soft), rel=1e-3)
    kept = world.snapshot()
    joint.motor(stiffness=500.0, damping=20.0)
    world.step(4000)
    hard = joint.coordinate
    assert 500.0 * hard == pytest.approx(-9.81 * 0.25 * numpy.cos(hard), rel=1e-3)
    assert joint.effort == pytest.approx(9.81 * 0.25 * numpy.cos(hard), rel=1e-3)
    world.revert(kept)
    world.step(10)
    assert joint.coordinate == pytest.approx(soft, rel=1e-6)
    with pytest.raises(cairn.ArgumentError, match="is called"):
        joint.motor = {"velocity": 1.0}
    with pytest.raises(cairn.ArgumentError, match='no "torque".*joint.drive'):
        joint.motor(torque=1.0)
    with pytest.raises(cairn.ArgumentError, match="not both|above it"):
        joint.motor(stiffness=0.0, damping=0.0)
    with pytest.raises(cairn.ArgumentError):
        joint.motor(stiffness=-1.0)


def test_gains_are_kept_in_files(tmp_path):
    world, joint = arm()
    world.step(10)
    joint.motor(stiffness=80.0)
    world.step(10)
    world.save(tmp_path / "a.h5")
    world.step(100)
    other, its = arm()
    other.restore(tmp_path / "a.h5")
    other.step(100)
    assert other.state_hash == world.state_hash and its.coordinate == joint.coordinate


def test_reaction_drive_and_effort():
    world, joint = arm()
    joint.motor()
    joint.drive = 9.81 * 0.25
    assert joint.drive == 9.81 * 0.25
    world.step()
    assert joint.coordinate == pytest.approx(0.0, abs=1e-9)
    assert joint.reaction == pytest.approx((0, 0, 9.81), abs=1e-6)
    for name in ("force", "torque"):
        with pytest.raises(cairn.Error, match="reaction.*drive"):
            getattr(joint, name)
        with pytest.raises(cairn.Error, match="drive"):
            setattr(joint, name, 1.0)


def test_views_stay_read_only():
    world = spheres(1e-3, "signorini_coulomb", 0.45)
    world.step()
    for view in (world.bodies.position, world.bodies.velocity, world.bodies.view("velocity"), world.bodies.segments("velocity")[0][0],
                 world.bodies.view("velocity")[1:, 0]):
        if view.flags.owndata:
            continue  # a copy
        with pytest.raises(ValueError):
            view.setflags(write=True)
        with pytest.raises(ValueError):
            view[...] = numpy.nan
    world.step()


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("kind", ["law", "field", "solver", "motion"])
def test_exceptions_leave_nothing_behind(kind, steps):
    world, fail = cairn.World(step=1e-3), [False]

    def answer(batch):
        if fail[0]:
            raise ValueError("mine")
        if kind == "law":
            batch.impulse[:, 0] = batch.step * numpy.maximum(-1e4 * batch.gap, 0)
        return numpy.zeros((len(batch.mu), 3)) if kind == "solver" else None

    def place(time):
        if fail[0]:
            raise ValueError("mine")
        return (0, 0, 1)
    if kind == "law":
        world.add_law(answer, name="spring")
        world.pair(law="spring")
    world.ground()
    world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 0.095))
    if kind == "field":
        world.add_force_field(answer, "field")
    if kind == "solver":
        world.solver(answer)
    if kind == "motion":
        lid = world.body(kind="moving", shape=cairn.sphere(radius=0.1), position=(0, 0, 1))
        world.motion(body=lid, position=place)
    world.watched = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world.step(steps)
        for bad in (True, False, False, True, True, False):
            fail[0] = bad
            if bad:
                with pytest.raises(ValueError, match="mine"):
                    world.step(steps)
            else:
                world.step(steps)


def test_a_law_that_returns_is_told_so():
    world = cairn.World(step=1e-3)
    world.add_law(lambda batch: numpy.zeros((len(batch), 3)), name="mine")
    world.pair(law="mine")
    world.ground()
    world.body(shape=cairn.sphere(radius=0.1), position=(0, 0, 0.095))
    world.watched = False
    with pytest.raises(cairn.ArgumentError, match="batch.impulse"):
        world.step()


def test_every_exception_is_an_error(tmp_path):
    world = spheres(second=0.45)
    ring, deep = [], []
    ring.append(ring)
    for _ in range(100000):
        deep = [deep]
    for wrong in (lambda: world.body(shape=ring), lambda: world.body(shape=cairn.sphere(radius=ring), position=deep),
                  lambda: world.bodies[99], lambda: world.bodies["x"], lambda: world.bodies.colour, lambda: iter(world.contacts),
                  lambda: world.contacts[0], lambda: world.find("x"), lambda: world.motion(body="x", position=1),
                  lambda: setattr(world.bodies, "velocity", [[1j]]), lambda: setattr(world.bodies, "velocity", "x")):
        with pytest.raises(cairn.Error):
            wrong()
    assert not hasattr(world.bodies, "colour") and len(list(world.bodies)) == 3
    (tmp_path / "summary.json").write_text("[" * 100000)
    with pytest.raises(cairn.FormatError):
        cairn.Run(tmp_path).summary
    # a list that is let go of all at once would be too deep for the interpreter
    while deep:
        deep = deep[0]


@pytest.mark.parametrize("made", ["fifo", "device", "folder", "link"])
def test_runs_read_regular_files(made, tmp_path):
    for name in ("summary.json", "energy.csv"):
        path = tmp_path / name
        if made == "fifo":
            os.mkfifo(path)
        elif made == "folder":
            path.mkdir()
        else:
            os.symlink("/dev/zero" if made == "device" else "/dev/tty" if os.path.exists("/dev/tty") else "/dev/null", path)
    run = cairn.Run(tmp_path)
    for read in (lambda: run.summary, lambda: run.energy):
        with pytest.raises(cairn.FileError):
            read()


@pytest.mark.parametrize("made", ["fifo", "device", "folder", "socket"])
def test_nothing_takes_the_place_of_what_is_no_file(made, tmp_path):
    """A checkpoint under the name of a device was in its place, for whoever may rename in that folder."""
    world = spheres(law="signorini_coulomb", second=0.4)
    world.run(until=0.2)
    path = tmp_path / "there.html"
    if made == "fifo":
        os.mkfifo(path)
    elif made == "folder":
        path.mkdir()
    elif made == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    else:
        os.symlink("/dev/null", path)
    before = os.lstat(path)
    problem = cairn.Problem(W=numpy.eye(3), q=[-1.0, 0, 0], mu=[0.3])
    for write in (world.save, lambda path: world.write_fclib(path, "global"), problem.write,
                  cairn.picture.Film(b"film").save, lambda path: cairn.picture.record(world, path, until=world.time + 1e-3)):
        with pytest.raises(cairn.FileError, match="not a (regular )?file|Is a directory"):
            write(path)
        after = os.lstat(path)
        assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert os.listdir(tmp_path) == ["there.html"]
    # a file, and a link that leads nowhere, are replaced as before
    os.symlink("nowhere", tmp_path / "link")
    for name in ("link", "new", "new"):
        world.save(tmp_path / name)
        assert os.path.isfile(tmp_path / name)
    for data in (b"longer", b"film"):
        cairn.picture.Film(data).save(tmp_path / "film.mp4")
    assert (tmp_path / "film.mp4").read_bytes() == b"film"


FORKED = """
import cairn, os, sys
world = cairn.World(step=1e-3, threads=int(sys.argv[1]))
world.watched = False
world.ground()
for i in range(300):
    world.body(shape=cairn.box(size=(.1, .1, .1)), position=(0.11 * (i % 10), 0.2 * (i // 30), 0.05 + .1 * (i // 10 % 3)))
world.step(2)
ends = []
for work in ("exit", "step", "close"):
    child = os.fork()
    if child == 0:
        if work != "exit":
            world.step(1)
            print(world.state_hash, flush=True)
        if work == "close":
            world.close()
            os._exit(0)
        sys.exit(0)
    ends.append(os.waitpid(child, 0)[1])
world.step(1)
print(world.state_hash, ends)
"""


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_fork(threads):
    done = subprocess.run([sys.executable, "-c", FORKED, str(threads)], capture_output=True, text=True, timeout=100)
    lines = done.stdout.split("\n")
    assert done.returncode == 0 and lines[2].endswith("[0, 0, 0]"), done.stderr
    assert len({line[:16] for line in lines[:3]}) == 1


@pytest.fixture(scope="module")
def comma(tmp_path_factory):
    """A locale whose decimal point is a comma, made where the system has none."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("there is no localedef")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")], capture_output=True)
    if not (folder / "de_DE.UTF-8").exists():
        pytest.skip("the system has no sources of locales")
    return folder


LOCAL = """
import ctypes, os, sys, warnings
import cairn
libc = ctypes.CDLL(None)
if len(sys.argv) > 1:
    libc.setlocale.restype = ctypes.c_char_p
    assert libc.setlocale(6, b"de_DE.UTF-8"), "no locale"
    buffer = ctypes.create_string_buffer(20)
    libc.snprintf(buffer, 20, b"%g", ctypes.c_double(0.5))
    assert buffer.value == b"0,5"
warnings.simplefilter("ignore")
open("q.csv", "w").write("t [s], x\\n0, 0.5\\n1.5, 2.25\\n")
open("g.csv", "w").write("x,y,z,radius\\n5.5,0.25,1.5,0.125\\n")
open("m.obj", "w").write("v 0.5 0 0\\nv 0 0.25 0\\nv 0 0 0.125\\nv 0 0 0\\nf 1 2 3\\n")
open("a.stl", "w").write("solid a\\n" + "".join(f"facet normal 0 0 0\\nouter loop\\nvertex {a}\\nvertex {b}\\nvertex {c}\\nendloop\\nendfacet\\n"
    for a, b, c in [("0.5 0 0", "0 0.5 0", "0 0 0.5"), ("0 0 0", "0.5 0 0", "0 0 0.5"), ("0 0 0", "0 0.5 0", "0.5 0 0"), ("0 0 0", "0 0 0.5", "0 0.5 0")]) + "endsolid\\n")
SCENES = ['body{shape=sphere{radius=0.125},position={0.5,0,1.25}}', 'body{shape=sphere{radius=0.125},position={tonumber("0.5"),"0.25"+0,1.25}}',
          'body{shape=sphere{radius=table("q.csv","x")(0.75)},position={0,0,5}}', 'bodies_from_csv{file="g.csv"}',
          'body{shape=polyhedron{file="m.obj",scale=1.5},position={0,0,1}}', 'body{shape=polyhedron{file="a.stl"},position={0,0,1}}',
          'body{shape=sphere{radius=tonumber(string.format("%.3f",0.125))},position={0,0,tonumber(tostring(1.5))}}',
          'body{kind="moving",name="m",shape=sphere{radius=0.5},position={0,0,9}} motion{body="m",position=function(t) return 0,0,9+tonumber("0.5")*t end}',
          'body{mass=-1.5,shape=sphere{radius=1}}', 'x = 1.5 body{mass=1.5e-3}', 'local p = param("p", 0.5, "of it", {min=0.25}) body{shape=sphere{radius=p},position={0,0,2.5}}']
for i, text in enumerate(SCENES):
    open("s.lua", "w").write("simulation{step=1.5e-3,end_time=0.5} ground{} " + text)
    for more in ({}, {"tolerance": 2.5e-7}, {"parameters": {"p": 0.75}} if "param" in text else {"step": 2.5e-3}):
        try:
            world = cairn.load("s.lua", **more)
            world.run(until=0.02)
            world.save(f"{i}.h5")
            world.restore(f"{i}.h5")
            world.write_fclib(f"{i}.hdf5") if world.report["contacts"] else None
            print(i, world.state_hash, world.bodies.position.tolist(), world.settings, world.parameters, world.lua("title(tostring(0.5))"), repr(world))
        except cairn.Error as error:
            print(i, type(error).__name__, error)
    try:
        world.body(shape=cairn.sphere(radius=0.5), mass=-1.5)
    except cairn.Error as error:
        print(error)
# what the library writes for programs in C
from cairn.library import ffi, lib
grid, error = ffi.new("cairn_grid *"), ffi.new("cairn_error *")
grid.low, grid.high, grid.cells, grid.width = [0.5, 0, 0], [1.75, 1, 1], [2, 2, 2], 0.25
assert lib.cairn_fields_write(world._world, grid, b"fields.vti", error) == 0, ffi.string(error.message)
print(open("fields.vti", "rb").read().split(b"<AppendedData")[0])
"""


def test_locales_with_a_comma(comma, tmp_path):
    outputs = []
    for more in ([], ["comma"]):
        done = subprocess.run([sys.executable, "-c", LOCAL, *more], capture_output=True, text=True, cwd=tmp_path, timeout=100,
                              env={**os.environ, "LOCPATH": str(comma)})
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]


STOPS = """
simulation{ step = 1e-4, end_time = 0.5 }
pair{ law = "hooke", normal_stiffness = 1e4, restitution = 0.3, friction = 0.4 }
ground{}
for i = 0, 26 do
  body{ shape = sphere{ radius = 0.01 }, position = { (i % 3) * 0.021, (i // 3 % 3) * 0.021, 0.02 + (i // 9) * 0.021 } }
end
sensor{ name = "floor", body = "ground", quantity = "force" }
sensor{ name = "balance", quantity = "unbalanced_force" }
sensor{ name = "moves", quantity = "kinetic_energy" }
"""
CONDITIONS = {
    "a force": 'function(t, sensor) local x, y, z = sensor("floor") return z < -2.4 end',
    "balance": 'function(t, sensor) return t > 0.06 and sensor("balance") < 0.05 end',
    "energy": 'function(t, sensor) return t > 0.06 and sensor("moves") < 1e-4 end',
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_stops_of_scenes(name, tmp_path):
    """The run ends in the step that ends `cairn run`, with its reason; the next one goes on to its time."""
    path = tmp_path / "scene.lua"
    path.write_text(STOPS + f'stop{{ name = "{name}", every = 1e-3, when = {CONDITIONS[name]} }}\n')
    subprocess.run([os.environ["CAIRN_COMMAND"], "run", path, "--quiet", "--out", tmp_path / "run"], check=True)
    summary = cairn.Run(tmp_path / "run").summary
    assert summary["stop"] == name and 0.0 < summary["time"] < 0.5
    for more in ({}, {"observers": [lambda world: None], "every": 7}):
        world = cairn.load(path)
        assert world.stopped is None
        world.run(**more)
        assert world.stopped == name and world.step_count == summary["steps"]
        assert world.state_hash == summary["state_hash"]
        world.run(until=world.time + 0.01)
        assert world.stopped is None and world.step_count == summary["steps"] + 100
    # plain steps do not look at it
    world = cairn.load(path)
    world.step(summary["steps"] + 10)
    assert world.step_count == summary["steps"] + 10


def test_stops_as_an_argument(tmp_path):
    path = tmp_path / "scene.lua"
    path.write_text(STOPS)
    world = cairn.load(path)
    world.run(stop={"late": lambda world: world.time > 0.2, "rest": lambda world: world.time > 0.06 and world.unbalanced_force < 0.05},
              every=10)
    assert world.stopped == "rest" and world.step_count % 10 == 0
    assert world.unbalanced_force == world.sensors["balance"] < 0.05
    world.run(until=world.time + 0.01, stop=lambda world: numpy.bool_(world.energy["kinetic"] < 0))
    assert world.stopped is None
    world.run(stop=lambda world: world.sensors["moves"] >= 0)
    assert world.stopped == "stop"
    with pytest.raises(cairn.ArgumentError, match="must return True or False"):
        world.run(stop=lambda world: 1)
    with pytest.raises(cairn.ArgumentError, match="must be a function"):
        world.run(stop={"x": 3})


def test_loads_and_gravity_by_functions(tmp_path):
    """Functions of Python push as those of a scene do, to the same bits, through a snapshot too."""
    (tmp_path / "pushed.lua").write_text("""simulation{ step = 1e-3 } gravity{ 0, 0, -2 }
        body{ name = "a", shape = box{ size = {0.1, 0.2, 0.1} } } body{ shape = sphere{ radius = 0.1 }, position = {1, 0, 0} }
        load{ body = "a", force = function(t) return 3 * t, 0.5, 1 end, torque = { 0, function(t) return t * t end, 0.1 } }
        load{ bodies = { "#1" }, force = { 0, 0, function(t) return 2 * t end } }""")
    scene = cairn.load(tmp_path / "pushed.lua")
    world = cairn.World(step=1e-3)
    world.gravity(0, 0, -2)
    body = world.body(name="a", shape=cairn.box(size=(0.1, 0.2, 0.1)))
    world.body(shape=cairn.sphere(radius=0.1), position=(1, 0, 0))
    world.load(body=body, force=lambda time: (3 * time, 0.5, 1), torque=(0, lambda time: time * time, 0.1))
    world.load(bodies=["#1"], force=[0, 0, lambda time: numpy.float64(2 * time)])
    world.step(20)
    state = world.snapshot()
    for _ in range(2):
        world.step(30)
        assert world.step_count == 50 and abs(world.bodies.velocity[0, 1] - 0.5 * 0.05 / world.bodies.mass[0]) < 1e-12
        end = world.state_hash
        world.revert(state)
    scene.step(50)
    assert scene.state_hash == end
    with pytest.raises(ZeroDivisionError):
        world.load(body="a", force=lambda time: (0, 0, 1 / 0))
        world.step()
    for keys, words in (({"body": "a", "force": lambda time: 3}, "load: force must give 3 numbers"),
                        ({"body": "a", "force": (0, lambda time: "x", 0)}, "load: force must give a number, not 'x'"),
                        ({"body": "a", "force": (0, lambda time: 0)}, "three numbers"),
                        ({"body": "b", "force": lambda time: (0, 0, 0)}, "no body named"),
                        ({"force": lambda time: (0, 0, 0)}, "give body=")):
        with pytest.raises(cairn.Error, match=words):
            world.load(**keys)
            world.step()
