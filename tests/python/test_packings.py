# SPDX-License-Identifier: Apache-2.0
# Files of spheres of other programs: a file in packings/ for each kind that docs/python.md lists.
import math
import os
import pathlib
import random
import time

import cairn
import numpy
import pytest

FOLDER = pathlib.Path(__file__).parent / "packings"
A, B = [0.01, 0.02, 0.03], [0.04, 0.05, 0.06]
LOW, HIGH = [0.01, 0.02, -0.03], [0.05, 0.11, 0.01]
STILL = [0, 0, 0]
BOX = [[0, 0.1], [0, 0.2], [-0.05, 0.05]]

# what is not given here is that of a sphere on its own, at rest, of type 1
READ = {
    "mol_zero.dump": dict(position=[LOW, HIGH], radius=[0.005, 0.01], velocity=[STILL, [1, 2, 3]],
                          angular_velocity=[STILL, [4, 5, 6]], type=[1, 2], mass=[0.011, 0.123],
                          box=BOX),
    "mol.dump": dict(position=[[0.01, 0.02, 0], [0.015, 0.02, 0], [0.05, 0.02, 0]], radius=[0.01] * 3,
                     clump=[1, 1, -1], box=BOX),
    # 0.1, 0.2 and 0.1 along (1, 0, 0), (0.01, 0.2, 0) and (-0.02, -0.03, 0.1)
    "triclinic.dump": dict(position=[[0.02 + 0.009 - 0.01, 0.18 - 0.015, 0], [0, 0, -0.05]],
                           radius=[0.01, 0.005], box=BOX, tilt=[0.01, -0.02, -0.03]),
    "xsu.dump": dict(position=[[0.11, 0.02, -0.03], HIGH], radius=[0.005, 0.01], type=[1, 2],
                     box=BOX),
    "units.dump": dict(position=[A], radius=[0.001], velocity=[[0.04, 0.05, 0.06]], mass=[0.002],
                       density=[2500], box=[[0, 0.1], [0, 0.2], [0, 0.3]]),
    "frames.dump": dict(position=[[0.1, 0.2, 0.3]], radius=[0.05], box=BOX),
    "sphere.data": dict(position=[LOW, HIGH], radius=[0.005, 0.01], velocity=[[1, 2, 3], STILL],
                        angular_velocity=[[4, 5, 6], STILL], type=[1, 2], density=[2500, 2600],
                        box=BOX, tilt=[0.01, 0.02, 0.03]),
    "bpm_labels.data": dict(position=[LOW, HIGH], radius=[0.005, 0.01], type=["sand", "glass"],
                            density=[2500, 2600], box=BOX),
    "hybrid.data": dict(position=[LOW, HIGH], radius=[0.005, 0.01], type=[1, 2],
                        density=[2500, 2600], box=BOX),
    "yade_plain.txt": dict(position=[A, B], radius=[0.005, 0.01]),
    "yade_matid.txt": dict(position=[A, B], radius=[0.005, 0.01], type=[3, 0]),
    "yade_mass.txt": dict(position=[A, B], radius=[0.005, 0.01], mass=[0.0013, 0.0105]),
    "yade_clumps.txt": dict(position=[STILL, [0.1, 0, 0], [1, 0, 0]], radius=[0.1, 0.1, 0.2],
                            clump=[0, 0, -1]),
    "clump.csv": dict(position=[A, B, [0.045, 0.05, 0.06]], radius=[0.005, 0.01, 0.01],
                      type=["sand", "glass", "glass"], clump=[-1, 3, 3]),
    "semicolon.csv": dict(position=[[0.0105, 0.02, 0.03]], radius=[0.005], velocity=[[0.1, 0, 0]],
                          mass=[0.0013], density=[2650]),
    "paraview.csv": dict(position=[B, A], radius=[0.01, 0.005], velocity=[STILL, [1, 2, 3]]),
    "paraview_frame.csv": dict(position=[A, B], radius=[0.005, 0.01], velocity=[[1, 2, 3], STILL],
                               angular_velocity=[STILL, [4, 5, 6]], mass=[0.7, 0.8], type=[2, 0]),
    "bodies.csv": dict(position=[A, B], radius=[0.005, 0.01], velocity=[[1, 2, 3], STILL],
                       angular_velocity=[[4, 5, 6], STILL], mass=[0.7, 0.8]),
    "tabs.txt": dict(position=[A], radius=[0.005]),
}


def test_every_file_is_looked_at():
    assert sorted(READ) == sorted(path.name for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", READ)
def test_a_file(name):
    packing, wanted = cairn.read_packing(FOLDER / name), READ[name]
    n = len(wanted["position"])
    plain = dict(velocity=[STILL] * n, angular_velocity=[STILL] * n, type=[1] * n, density=None,
                 mass=None, clump=[-1] * n, box=None, tilt=STILL)
    for key, value in {**plain, **wanted}.items():
        found = getattr(packing, key)
        if value is None or key == "type":
            assert found is None if value is None else found.tolist() == value, key
        else:
            numpy.testing.assert_allclose(found, value, rtol=1e-13, atol=1e-16, err_msg=key)
    world = cairn.World()
    world.material(name="stone", density=2000)
    clumps = {clump for clump in packing.clump if clump >= 0}
    material = {kind: "stone" for kind in packing.type.tolist()}
    assert packing.add_to(world, material) == (packing.clump < 0).sum() + len(clumps)
    if not clumps:
        volume = 4 / 3 * math.pi * packing.radius**3
        density = 2000 if packing.density is None else packing.density
        numpy.testing.assert_allclose(world.bodies.mass, density * volume if packing.mass is None
                                      else packing.mass)
        numpy.testing.assert_allclose(world.bodies.velocity, packing.velocity)
        numpy.testing.assert_allclose(world.bodies.angular_velocity, packing.angular_velocity)
        packing.add_to(other := cairn.World(), density=500)
        numpy.testing.assert_allclose(other.bodies.mass, 500 * volume)


@pytest.mark.parametrize("text, position, radius", [
    ("# r x y z\n0.1 1 2 3\n0.2 4 5 6\n", [[1, 2, 3], [4, 5, 6]], [0.1, 0.2]),
    ("# made on a Monday\n# radius, x, y, z\n0.1, 1, 2, 3\n", [[1, 2, 3]], [0.1]),
    ("#index x y z d\n7 1 2 3 0.1\n", [[1, 2, 3]], [0.05]),
    ("# x [mm], y [mm], z [mm], r [mm]\n1, 2, 3, 4\n", [[1e-3, 2e-3, 3e-3]], [4e-3]),
    ("# d (cm)\tz (cm)\ty (cm)\tx (cm)\n1\t2\t3\t4\n", [[0.04, 0.03, 0.02]], [0.005]),
    ("# values of x y z\n1 2 3 0.5 # the only one\n", [[1, 2, 3]], [0.5]),
    ("x,y,z,r\r\n1,2,3,0.5\r\n", [[1, 2, 3]], [0.5]),
])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_names_in_notes(tmp_path, text, position, radius, encoding):
    """A line that begins with "#" names the columns in any order and unit."""
    (tmp_path / "a.txt").write_text(text, encoding=encoding)
    packing = cairn.read_packing(tmp_path / "a.txt")
    numpy.testing.assert_allclose(packing.position, position, rtol=1e-15)
    numpy.testing.assert_allclose(packing.radius, radius, rtol=1e-15)


@pytest.mark.parametrize("style, values", [
    ("hybrid sphere ellipsoid", "0.2 2500 0"), ("hybrid bond sphere ellipsoid", "3 0.2 2500 1"),
    ("hybrid charge sphere tri", "-1.5 0.2 2500 7 0"), ("hybrid sphere dipole", "0.2 2500 0 0 0 1"),
])
def test_hybrids_with_other_styles(tmp_path, style, values):
    (tmp_path / "a.data").write_text(f"# \n\n1 atoms\n\nAtoms # {style}\n\n1 2 1 2 3 {values}\n")
    packing = cairn.read_packing(tmp_path / "a.data")
    assert packing.position.tolist() == [[1, 2, 3]] and packing.type.tolist() == [2]
    assert packing.radius.tolist() == [0.1] and packing.density.tolist() == [2500]


@pytest.mark.parametrize("given", [True, False])
def test_a_clump_that_turns(tmp_path, given):
    """Its spheres have the velocities of one rigid motion, which is the compound's."""
    places = numpy.array([[0, 0, 0], [0.1, 0, 0], [0, 0.08, 0.01], [0, 0, 0.07]]) + [1, 2, 3]
    radii = [0.05, 0.06, 0.05, 0.04]
    spin, of_origin = numpy.array([3.0, -2, 5]), numpy.array([0.3, 0.1, -0.2])
    rows = ["x y z r clump vx vy vz wx wy wz"]
    for place, radius in zip(places, radii):
        velocity = of_origin + numpy.cross(spin, place)
        rows.append(" ".join(map(repr, [*place.tolist(), radius, 0, *velocity.tolist(),
                                        *(spin * given).tolist()])))
    (tmp_path / "clump.txt").write_text("\n".join(rows))
    world = cairn.World()
    cairn.read_packing(tmp_path / "clump.txt").add_to(world)
    numpy.testing.assert_allclose(world.bodies.angular_velocity[0], spin, rtol=1e-9)
    numpy.testing.assert_allclose(world.bodies.velocity[0],
                                  of_origin + numpy.cross(spin, world.bodies.centre[0]), rtol=1e-9)


DUMP = (FOLDER / "mol_zero.dump").read_text()
DATA = (FOLDER / "sphere.data").read_text()
TILTED = (FOLDER / "triclinic.dump").read_text()
XYZR = "x,y,z,radius,"
WRONG = [
    (DUMP.replace("ATOMS\n2", "ATOMS\n3"), ":9: the last frame has 2 atoms, not the 3"),
    (DUMP.replace("ATOMS\n2", "ATOMS\n1"), ":9: the last frame has 2 atoms, not the 1"),
    (DUMP.replace("ATOMS\n2", "ATOMS\n-2"), ":4: the head of the last frame says '-2'"),
    (DUMP.replace("0 0.1\n", "0 nan\n"), ":6: the bounds of the box are '0 nan'"),
    (DUMP.replace("0 0.1\n", "1 0.1\n"), ":6: the bounds of the box are '1 0.1'"),
    (DUMP.replace("0.123", "0"), ":10: mass is '0', not above 0"),
    (DUMP.replace("0.123", "nan"), ":10: mass is 'nan', not finite"),
    (DUMP.replace(" 4 5 6 ", " 4 inf 6 "), ":10: wy is 'inf', not finite"),
    (DUMP.replace("7 0 2", "7 0.5 2"), ":10: mol is '0.5', no whole number"),
    (DUMP.replace("7 0 2", "7 1e300 2"), ":10: mol is '1e300', too large"),
    (DUMP.replace("7 0 2", "7 0 2.5"), ":10: type is '2.5', no whole number"),
    (DUMP.replace(" 0.011", ""), ":11: 13 values, not 14"),
    ("ITEM: UNITS\nmetal\n" + DUMP, ":2: units 'metal'"),
    (TILTED.replace("xs ys zs", "xs ys c"), "xs, ys and zs are read where all three"),
    (TILTED.replace("xy xz yz", "abc origin"), ":5: a general triclinic box"),
    (TILTED.replace("0.2 0.01\n", "0.2 0.01 x\n").replace("0.11 0.01", "0.11"), ":6: the bounds"),
    (DATA.replace("2 atoms", "3 atoms"), ":3: 3 atoms are announced, and 2 stand"),
    (DATA.replace("1 1 0.01 2500", "1 1 nan 2500"), ": diameter is 'nan', not finite"),
    (DATA.replace("1 1 0.01 2500", "1 1 0.01 -2500"), ": density is '-2500', not above 0"),
    (DATA.replace("sphere", "atomic"), "style 'atomic' have no radius"),
    (DATA.replace("sphere", "hybrid bond"), "style 'hybrid bond' have no radius"),
    (DATA.replace("sphere", "bpm/sphere"), "10 values, where style bpm/sphere has 8"),
    (DATA.replace("1 1 2 3 4 5 6", "1 1 2 3 4"), ": 5 values, not 4 or 7"),
    (DATA.replace("1 1 2 3 4 5 6", "1 1 2 x 4 5 6"), ": vz is 'x', no number"),
    (DATA.replace("units = si", "units = real"), ":1: units 'real'"),
    (XYZR + "mass\n0,0,0,1,\n", ":2: mass is '', no number"),
    (XYZR + "diameter\n0,0,0,1,2.001\n0,0,0,1,1\n", ":3: diameter is '1', not twice the radius"),
    (XYZR + "type\n0,0,0,1,1\n0,0,1,1,1.5\n", ":3: type is '1.5', no whole number"),
    (XYZR + "\n0,0,0,1\n0,0,0,1,2,3\n", ":2: 4 values, not 5"),
    (XYZR + "shape\n0,0,0,1,sphere\n0,0,0,1,capsule\n", ":3: shape is 'capsule', no sphere"),
    ((FOLDER / "paraview_frame.csv").read_text().replace("0.005,0.005,0,", "0.005,0.005,3,"),
     ":5: shape is '3', no sphere"),
    ("x [ft],y,z,r\n0,0,0,1\n", "column 'x [ft]' has the unit 'ft'"),
    ("a,b,c,e\n0,0,0,1\n", ":1: 'a,b,c,e' is neither"),
    ('x,y,z,r\n0,0,0,"1\n', ":2: a quote is not closed"),
    ("x,y,z,r\n1e308,0,0,1e400\n", ":2: radius is '1e400', not finite"),
    ("# id x y z\n1 0 0 0.1\n", ": there is no column of radii or diameters"),
    ("x,y,z,r\n1_0,0,0,1\n", ":2: x is '1_0', no number"),
    ("x,y,z,r\n0,0,0,1\n0,\u0661,0,1\n", ":3: y is '\u0661', no number"),
    (DUMP.rstrip("\n") + "\nITEM: TIMESTEP\n6\n", ":12: the frame that begins here has no ITEM: ATOMS"),
    (DATA.replace("sphere", "hybrid sphere tri").replace("2500 0.01 0.02 -0.03 0 0 0", "2500"),
     ":14: 4 values, where style hybrid sphere tri has 7, and others behind"),
    ("0 0 0 0.1 0\n1 0 0 0.1 0\n", ":1: 5 values, and no line says what the fifth, '0', is"),
    ("0 0 0 0.1 0.5\n", ":1: 5 values, and no line says what the fifth, '0.5', is"),
]


@pytest.mark.parametrize("text, words", WRONG)
def test_what_is_refused(tmp_path, text, words):
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    with pytest.raises(cairn.FormatError) as caught:
        cairn.read_packing(path)
    assert words in str(caught.value) and str(path) in str(caught.value)


def test_clumps_that_are_no_body(tmp_path):
    path = tmp_path / "clump.csv"
    path.write_text("x,y,z,r,clump,type,density\n0,0,0,1,0,1,10\n1,0,0,1,0,2,20\n")
    world = cairn.World()
    world.material(name="a")
    world.material(name="b")
    packing = cairn.read_packing(path)
    with pytest.raises(cairn.ArgumentError, match="clump 0 has spheres of several materials: a, b"):
        packing.add_to(world, {1: "a", 2: "b"})
    with pytest.raises(cairn.ArgumentError, match="clump 0 has spheres of several densities"):
        packing.add_to(world)
    assert packing.add_to(world, density=5) == 1


def test_only_regular_files(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path / "link", tmp_path, "/dev/null", "/dev/zero"):
        with pytest.raises(cairn.FileError, match="not a regular file"):
            cairn.read_packing(path)
    for path in (tmp_path / "none", tmp_path / "a" / "b", "a" * 5000):
        with pytest.raises(cairn.FileError):
            cairn.read_packing(path)
    with pytest.raises(cairn.ArgumentError):
        cairn.read_packing("a\0b")


def test_damaged_files(tmp_path):
    """Whatever the bytes: a packing whose numbers are finite, or an error that names the file."""
    rng = random.Random(5)
    sources = [path.read_bytes() for path in sorted(FOLDER.iterdir())]
    words = [b"nan", b"-1", b"1e999", b"0", b"#", b"ITEM: ATOMS", b"Atoms", b";", b",", b'"', b"\n",
             b"\r", b"\t", b"xs", b"\0", b"\xff", b"1_0", b"9" * 400, b"-0.0", b"radius", b" ", b"[mm]",
             "\u0661".encode(), b"inf", b"mol", b"xy xz yz", b"units = cgs", b"Velocities", b"1e308"]
    path, read = tmp_path / "damaged", 0
    start = time.process_time()
    for _ in range(4000):
        data = bytearray(rng.choice(sources))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                data[at:at + rng.randint(1, 9)] = b""
            elif kind == 1:
                data[at:at] = rng.choice(words)
            elif kind == 2:
                data[at:at + rng.randint(1, 6)] = rng.choice(words)
            else:
                del data[at:]
        path.write_bytes(data)
        try:
            packing = cairn.read_packing(path)
        except cairn.Error as error:
            assert str(path) in str(error)
            continue
        read += 1
        for column in (packing.position, packing.radius, packing.velocity, packing.angular_velocity):
            assert numpy.isfinite(column).all() and len(column) == len(packing)
        assert (packing.radius > 0).all()
        assert packing.mass is None or (packing.mass > 0).all()
        assert packing.density is None or (packing.density > 0).all()
    assert 200 < read < 3800
    print(f"{read} of 4000 read in {time.process_time() - start:.1f} s")
