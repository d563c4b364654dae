# SPDX-License-Identifier: Apache-2.0
# Runs are read, packings of other programs too, and pictures are drawn where there is a viewer.
import base64
import json
import os
import re
import shutil
import subprocess
import zlib

import cairn
import numpy
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "tower"
    subprocess.run([os.environ["CAIRN_COMMAND"], "run", "kapla_tower", "--set", "rings=2", "--until",
                    "0.1", "--quiet", "--out", out], check=True)
    return out


def test_a_run_is_read(folder):
    run = cairn.Run(folder)
    assert run.summary["steps"] == 20 and run.resolved
    world = cairn.load("kapla_tower", rings=2)
    rows = []
    world.run(until=0.1, observers=lambda given: rows.append(
        (given.energy["kinetic"], given.sensors["ground"][2])) or None)
    assert run.summary["state_hash"] == world.state_hash
    energy, sensors = run.energy, run.sensors
    assert energy.units["kinetic"] == "J" and energy["step"].dtype.kind == "i"
    numpy.testing.assert_allclose(energy["kinetic"][1:], [row[0] for row in rows], rtol=1e-12)
    numpy.testing.assert_allclose(sensors["ground_force_z"][1:], [row[1] for row in rows])
    assert run.bodies["name"][0] == "ground" and run.table("energy").shape == energy.shape
    trajectory = run.trajectory
    assert len(trajectory) == len(trajectory.times) == len(trajectory.contacts) > 1
    earlier = cairn.load("kapla_tower", rings=2)
    earlier.run(until=trajectory.times[-1])
    numpy.testing.assert_array_equal(trajectory.position(-1), earlier.bodies.position)
    assert trajectory.positions.shape == (len(trajectory), 25, 3)
    assert trajectory.orientations.shape[2] == 4 and trajectory.velocities.shape[1] == 25
    with pytest.raises(IndexError):
        trajectory.position(999)


def test_bodies_say_what_they_are(folder, tmp_path):
    """Material, kind and shape of every body, where bodies stay and where they come and go."""
    trajectory = cairn.Run(folder).trajectory
    bodies = cairn.Run(folder).bodies
    assert not trajectory.varies and trajectory.bodies == len(bodies) == 25
    assert list(trajectory.materials(-1)) == list(bodies["material"])
    for number, name in enumerate(bodies["shape"]):
        body = trajectory.body(number)
        assert body["shape"] == name and body["material"] == bodies["material"][number]
        assert body["kind"] == bodies["kind"][number] and body["mass"] == bodies["mass"][number]
    with pytest.raises(IndexError):
        trajectory.body(25)
    (tmp_path / "pour.lua").write_text("""
simulation{ step = 1e-4, end_time = 0.05 }
material{ name = "steel", density = 7800 } material{ name = "glass", density = 2500 } material{ name = "Stärke", density = 1500 }
pair{ law = "hooke", normal_stiffness = 1e3 }
ground{ material = "steel" }
emitter{ region = { min = {0, 0, 0.1}, max = {0.2, 0.2, 0.3} }, rate = 900, velocity = {0, 0, -1},
         grains = { { size = 0.01, material = "Stärke" }, { shape = box{ size = {0.01, 0.01, 0.01} }, material = "glass" } } }
outlet{ region = { min = {0, 0, 0}, max = {0.1, 0.2, 0.2} } }
""", encoding="utf-8")
    subprocess.run([os.environ["CAIRN_COMMAND"], "run", tmp_path / "pour.lua", "--quiet", "--trajectory-every", "100",
                    "--out", tmp_path / "pour"], check=True)
    run = cairn.Run(tmp_path / "pour")
    trajectory = run.trajectory
    assert trajectory.varies
    last = list(trajectory.materials(-1))
    assert last == list(run.bodies["material"]) and set(last) == {"steel", "glass", "Stärke"}
    shapes = {trajectory.body(int(number))["shape"] for number in trajectory.numbers(-1)}
    assert shapes == set(run.bodies["shape"]) and len(shapes) == 3
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "pour/trajectory.h5") as file:
        names = [name.decode() for name in file["material_names"][:]]
        assert names == ["steel", "glass", "Stärke"]
        kinds = [name.decode() for name in file["shape_kind_names"][:]]
        first, count = file["body_first"][-1], file["body_count"][-1]
        rows = file["body"][first:first + count]
        assert [names[i] for i in file["body_material"][:][rows]] == last
        assert [kinds[i] for i in file["body_shape_kind"][:][rows]] == list(run.bodies["shape"])


def test_broken_bonds(tmp_path):
    """By name, in the world and in the folder of a run."""
    text = """
simulation{ step = 1e-5, end_time = 0.02 }
gravity{ 0, 0, 0 }
pair{ law = "parallel_bond", bond_radius_ratio = 0.01, tensile_strength = 1e3, shear_strength = 1e20 }
body{ name = "low", mass = 1e9, shape = sphere{ radius = 0.05 } }
body{ kind = "moving", shape = sphere{ radius = 0.05 }, position = {0, 0, 0.1}, velocity = {0, 0, 1e-4} }
"""
    (tmp_path / "a.lua").write_text(text)
    world = cairn.load(tmp_path / "a.lua")
    assert len(world.broken_bonds) == 0
    before = world.snapshot()
    world.run()
    bonds = world.broken_bonds
    assert len(bonds) == 1 and {bonds["a"][0], bonds["b"][0]} == {"low", "body 1"} and bonds["cause"][0] == "tension"
    assert bonds["time"][0] == pytest.approx(0.01, abs=2.1e-5)
    numpy.testing.assert_allclose(bonds["point"][0], (0, 0, 0.05), atol=1e-5)
    world.revert(before)
    assert len(world.broken_bonds) == 0
    world.find("low").remove()
    subprocess.run([os.environ["CAIRN_COMMAND"], "run", tmp_path / "a.lua", "--quiet", "--out", tmp_path / "r"], check=True)
    listed = cairn.Run(tmp_path / "r").broken_bonds
    assert listed["time"] == bonds["time"] and listed["cause"] == ["tension"] and "low" in (listed["name_a"][0], listed["name_b"][0])


def test_a_trajectory_that_is_open_twice(folder):
    first, second = cairn.Run(folder).trajectory, cairn.Run(folder).trajectory
    whole = [cairn.Run(folder).bodies[f"position_{axis}"] for axis in "xyz"]
    for _ in range(2):
        for each in (second, first):
            each.refresh()
            assert each.times[-1] == pytest.approx(0.1)
            numpy.testing.assert_allclose(each.position(-1), numpy.transpose(whole), rtol=1e-12)


def test_columns_that_are_one_to_python(tmp_path):
    (tmp_path / "sensors.csv").write_text("step,time [s],a b [m],a_b [N]\n0,0,1,2\n")
    sensors = cairn.Run(tmp_path).sensors
    assert sensors.dtype.names == ("step", "time", "a_b", "a_b_")
    assert sensors.units["a_b"] == "m" and sensors.units["a_b_"] == "N"


def test_a_record_that_begins_without_a_body(tmp_path):
    world = cairn.World(step=1e-3)
    world.emitter(region={"min": (0, 0, 0), "max": (1, 1, 1)}, size=0.1, rate=100)
    world.record(tmp_path / "rain.h5", until=0.05, interval=0.01)
    assert len(cairn.Trajectory(tmp_path / "rain.h5").numbers(-1)) == 4
    done = subprocess.run([os.environ["CAIRN_COMMAND"], "render", tmp_path / "rain.h5", "--size", "64x48",
                           "-o", tmp_path / "rain.png"], capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr
    with pytest.raises(cairn.ArgumentError, match="interval"):
        world.record(tmp_path / "rain.h5", until=0.06, interval=float("nan"))
    with pytest.raises(cairn.ArgumentError, match="no body to draw"):
        cairn.World().render()


def test_packings_with_a_byte_order_mark(tmp_path):
    (tmp_path / "grains.csv").write_text("x,y,z,radius\n0,0,1,0.1\n", encoding="utf-8-sig")
    assert len(cairn.read_packing(tmp_path / "grains.csv")) == 1


POUR = """
simulation{ step = 1e-3, end_time = 0.6 }
material{ name = "sand", density = 2500 }
pair{ law = "hooke", normal_stiffness = 1e4, friction = 0.4 }
ground{ material = "sand" }
emitter{ region = { min = {0, 0, 0.4}, max = {0.2, 0.2, 0.5} }, rate = 100, every = 0.05,
         grains = { { size = sizes{ "uniform", min = 0.02, max = 0.03 }, material = "sand" } } }
outlet{ region = { min = {-1, -1, -1}, max = {1, 1, 0.2} } }
output{ paraview = "none", contacts_every = 100 }
"""


def test_bodies_that_come_and_go(tmp_path):
    (tmp_path / "pour.lua").write_text(POUR)
    subprocess.run([os.environ["CAIRN_COMMAND"], "run", tmp_path / "pour.lua", "--quiet",
                    "--trajectory-every", "50", "--out", tmp_path / "out"], check=True)
    trajectory = cairn.Run(tmp_path / "out").trajectory
    assert trajectory.varies and trajectory.keeps_contacts and len(trajectory) == 13
    world = cairn.load(tmp_path / "pour.lua")
    known = {}
    for i, time in enumerate(trajectory.times):
        if i > 0:
            world.run(until=time)
        numbers = trajectory.numbers(i)
        assert len(numbers) == len(world.bodies) == len(set(numbers))
        numpy.testing.assert_array_equal(trajectory.position(i), world.bodies.position)
        # a number is that of one body for ever
        for number, key in zip(numbers, map(tuple, world.bodies.id)):
            assert known.setdefault(number, key) == key
            assert trajectory.body(int(number))["mass"] == world.bodies.mass[
                list(numbers).index(number)]
        kept = trajectory.contacts_of(i)
        assert (kept is None) == (round(time / world.time_step) % 100 != 0)
        if kept is not None and i > 0:
            numpy.testing.assert_array_equal(kept["point"], world.contacts.point)
            numpy.testing.assert_array_equal(kept["force"], world.contacts.force)
    assert len(known) == trajectory.bodies > len(world.bodies)
    assert trajectory.body(1)["shape"] == "sphere" and 0.01 <= trajectory.body(1)["size"][0] <= 0.015
    with pytest.raises(cairn.UnsupportedError):
        trajectory.positions
    with pytest.raises(IndexError):
        trajectory.body(trajectory.bodies)


def test_wrong_folders_and_tables(tmp_path, folder):
    with pytest.raises(cairn.FileError):
        cairn.Run(tmp_path / "none")
    run = cairn.Run(tmp_path)
    for read in (lambda: run.summary, lambda: run.energy, lambda: run.trajectory):
        with pytest.raises(cairn.FileError):
            read()
    (tmp_path / "energy.csv").write_text("step,time [s]\n0,0\n1\n2,")
    with pytest.raises(cairn.FormatError, match="energy.csv:3: 1 values, not 2"):
        run.energy
    (tmp_path / "energy.csv").write_text("step,time [s]\n0,0.5\n1,")
    assert run.energy["time"].tolist() == [0.5]
    (tmp_path / "trajectory.h5").write_bytes(b"nothing")
    with pytest.raises(cairn.Error):
        run.trajectory
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(cairn.FormatError):
        run.summary


def can_draw():
    try:
        small().render(size=(64, 64))
        return True
    except cairn.UnsupportedError:
        return False


def small():
    world = cairn.World()
    world.ground()
    shapes = [cairn.sphere(radius=0.2), cairn.box(size=(0.3, 0.3, 0.3)),
              cairn.capsule(radius=0.1, length=0.2), cairn.cylinder(radius=0.1, length=0.2),
              cairn.polyhedron(points=[(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)]),
              cairn.compound({"shape": cairn.sphere(radius=0.1)},
                             {"shape": cairn.box(size=(0.1, 0.1, 0.1)), "position": (0.15, 0, 0)})]
    for i, shape in enumerate(shapes):
        world.body(shape=shape, position=(0.5 * i, 0, 0.5))
    world.body(kind="fixed", position=(0, 2, 0), shape=cairn.mesh(
        vertices=[(-1, -1, 0), (1, -1, 0), (1, 1, 0)], triangles=[(0, 1, 2)]))
    return world


def test_pictures(folder):
    if not can_draw():
        pytest.skip("the viewer is not built")
    world = small()
    before = world.hash
    picture = world.render(size=(160, 120), caption=False)
    assert picture.shape == (120, 160, 3) and picture.dtype == numpy.uint8
    assert len(numpy.unique(picture.reshape(-1, 3), axis=0)) > 20
    assert world.hash == before
    world.bodies[1].position = (0, 0, 3)
    world.bodies[2].remove()
    assert (world.render(size=(160, 120), caption=False) != picture).any()
    assert world._repr_png_().startswith(b"\x89PNG")
    assert cairn.render(cairn.Run(folder), size=(64, 64), at=0.05).shape == (64, 64, 3)


def test_pictures_show_forces():
    if not can_draw():
        pytest.skip("the viewer is not built")
    world = small()
    still = {"size": (160, 120), "azimuth": 0, "elevation": 20}
    world.run(until=0.3)
    assert len(world.contacts) > 0
    assert (world.render(contacts="forces", **still) != world.render(**still)).any()


def test_pictures_have_the_looks_of_a_world():
    if not can_draw():
        pytest.skip("the viewer is not built")
    world = cairn.World()
    world.material(name="paint", colour=(0.0, 0.0, 1.0))
    world.camera(azimuth=-90, elevation=0, min=(-1, -1, -1), max=(1, 1, 1), parallel=True)
    world.light(shadows=False)
    for x, looks in ((-0.5, {"colour": "#ff0000"}), (0.5, {"material": "paint"})):
        world.body(shape=cairn.box(size=(0.9, 0.9, 0.9)), position=(x, 0, 0), **looks)
    picture = world.render(size=(96, 96), caption=False, ground=False).astype(int)
    left, right = picture[44:52, 28:32], picture[44:52, 64:68]
    assert (left[..., 0] > 1.3 * left[..., 1:].max(axis=-1)).all()
    assert (right[..., 2] > 1.3 * right[..., :2].max(axis=-1)).all()


def test_wrong_pictures(tmp_path, monkeypatch):
    world = small()
    with pytest.raises(cairn.ArgumentError, match="no setting"):
        world.render(colour="red")
    with pytest.raises(cairn.ArgumentError):
        world.render(size=7)
    with pytest.raises(cairn.ArgumentError):
        cairn.render(world, at=1.0)
    monkeypatch.setattr(cairn.library, "command", lambda: None)
    with pytest.raises(cairn.UnsupportedError, match="not installed"):
        world.render()
    assert world._repr_png_() is None


def blocks_of(page):
    """{name: [bytes]} of a page, and its text without them."""
    found = {}
    for name, letters in re.findall(r'<script type="text/plain" class="block" data-name="(\w+)">(.*?)</script>', page):
        found.setdefault(name, []).append(zlib.decompress(base64.b64decode(letters)))
    return found


def test_pages(folder, tmp_path):
    run = cairn.Run(folder)
    page = run.to_html(frames=3)
    about = json.loads(blocks_of(page)["about"][0])
    assert len(about["times"]) == 3 and about["bodies"] == len(run.bodies)
    assert run.to_html(tmp_path / "run.html") is None
    whole = (tmp_path / "run.html").read_text()
    assert len(json.loads(blocks_of(whole)["about"][0])["times"]) == len(run.trajectory)
    shown = run._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ') and "<script" not in shown
    with pytest.raises(cairn.ArgumentError, match="no setting"):
        run.to_html(colour="red")
    with pytest.raises(cairn.ArgumentError, match="no frame between"):
        run.to_html(since=1e6)


def test_pages_of_worlds(monkeypatch):
    world = cairn.World()
    world.material(name="oak", density=700)
    world.body(shape=cairn.sphere(radius=0.5), position=(1, 2, 3), material="oak", name="<b>ball", mass=3.5)
    before = world.hash
    blocks = blocks_of(world.to_html())
    about = json.loads(blocks["about"][0])
    assert about["names"] == [{"body": 0, "name": "<b>ball"}] and about["materials"][-1] == "oak"
    reals = next(each for each in about["arrays"] if each["name"] == "body_reals")
    assert numpy.frombuffer(blocks["arrays"][0], "f4")[reals["first"]] == 3.5
    assert about["scale"]["origin"] == [1, 2, 3] and world.hash == before
    assert "<b>ball" not in world.to_html() and world._repr_html_().startswith("<iframe sandbox")
    assert cairn.World()._repr_html_() is None
    monkeypatch.setattr(cairn.library, "command", lambda: None)
    with pytest.raises(cairn.UnsupportedError, match="not installed"):
        world.to_html()
    assert world._repr_html_() is None


def test_films_and_records(tmp_path):
    world = small()
    world.record(tmp_path / "trajectory.h5", until=0.1, interval=0.02)
    trajectory = cairn.Run(tmp_path).trajectory
    assert len(trajectory) == 6 and trajectory.bodies == 8
    numpy.testing.assert_array_equal(trajectory.position(-1), world.bodies.position)
    if shutil.which("ffmpeg") is None or not can_draw():
        with pytest.raises(cairn.Error):
            world.film(until=0.15, size=(64, 64))
    else:
        film = world.film(until=0.3, size=(64, 64))
        assert film._repr_html_().startswith("<video")


DATA = """LAMMPS data
2 atoms
1 atom types
0 1 xlo xhi
0 2 ylo yhi
0 3 zlo zhi

Atoms # sphere

2 1 0.2 2500 0.5 1 1.5
1 1 0.1 2600 0.1 0.2 0.3

Velocities

1 0 0 -1 0 0 0
2 0 0 -2 0 0 0
"""
DUMP = """ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
1
ITEM: BOX BOUNDS pp pp ff
0 1
0 1
0 1
ITEM: ATOMS id type x y z radius
1 1 9 9 9 9
ITEM: TIMESTEP
10
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp ff
0 1
0 2
0 3
ITEM: ATOMS id type x y z vx vy vz radius
2 1 0.5 1 1.5 0 0 -2 0.1
1 1 0.1 0.2 0.3 0 0 -1 0.05
"""
YADE = "#format x_y_z_r\n0.1\t0.2\t0.3\t0.05\n0.5 1 1.5 0.1\n"
TABLE = "name, x, y, z, radius\na, 0.1, 0.2, 0.3, 0.05\n# no grain\nb, 0.5, 1, 1.5, 0.1\n"


@pytest.mark.parametrize("text", [DATA, DUMP, YADE, TABLE])
def test_packings_of_spheres(tmp_path, text):
    path = tmp_path / "packing.txt"
    path.write_text(text)
    packing = cairn.read_packing(path)
    assert len(packing) == 2
    numpy.testing.assert_allclose(packing.position, [[0.1, 0.2, 0.3], [0.5, 1, 1.5]])
    numpy.testing.assert_allclose(packing.radius, [0.05, 0.1])
    if text in (DATA, DUMP):
        numpy.testing.assert_allclose(packing.velocity[:, 2], [-1, -2])
        numpy.testing.assert_allclose(packing.box[:, 1], [1, 2, 3])
    world = cairn.World()
    world.material(name="sand")
    assert packing.add_to(world, material="sand") == 2
    density = (2600, 2500) if text is DATA else (1000, 1000)
    numpy.testing.assert_allclose(world.bodies.mass, numpy.array(density) * 4 / 3 * numpy.pi
                                  * packing.radius**3)
    numpy.testing.assert_allclose(world.bodies.velocity, packing.velocity)


def test_packings_of_clumps(tmp_path):
    path = tmp_path / "clumps.txt"
    path.write_text("0 0 0 0.1 0\n0.1 0 0 0.1 0\n1 0 0 0.2 -1\n")
    packing = cairn.read_packing(path)
    world = cairn.World()
    assert packing.add_to(world) == 2
    numpy.testing.assert_allclose(sorted(world.bodies.centre[:, 0]), [0.05, 1.0], atol=1e-9)


@pytest.mark.parametrize("text, words", [
    ("", "empty"),
    ("1 2 3\n", "packing.txt:1: 3 values, not 4"),
    ("1 2 3 -1\n", "radius"),
    ("1 2 nan 1\n", "finite"),
    ("x,y,z\n1,2,3\n", "radii"),
    ("x,y,radius\n1,2,3\n", "column z"),
    ("x,y,z,radius\n1,2,up,3\n", "packing.txt:2: z is 'up'"),
    ("ITEM: ATOMS id x y z radius\n1 2 3 4 5\n", "head of the last frame"),
    (DATA.replace("# sphere", "# full"), "style"),
    (DATA.replace("2 0 0 -2", "7 0 0 -2"), "other atoms"),
])
def test_wrong_packings(tmp_path, text, words):
    path = tmp_path / "packing.txt"
    path.write_text(text)
    with pytest.raises(cairn.FormatError) as caught:
        cairn.read_packing(path)
    assert words in str(caught.value)
    with pytest.raises(cairn.FileError):
        cairn.read_packing(tmp_path / "missing.txt")
    with pytest.raises(cairn.ArgumentError):
        cairn.read_packing(path, format="gsd")
