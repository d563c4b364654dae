# SPDX-License-Identifier: Apache-2.0
# Packings of spheres and clumps that other programs wrote.
"""LAMMPS and LIGGGHTS data files and dumps, text of Yade, and tables of other programs."""
import codecs
import csv
import os
import re
import stat

import numpy

from . import guard, language, library
from .errors import ArgumentError, FileError, FormatError

__all__ = ["Packing", "read_packing"]

_FORMATS = ("lammps-data", "lammps-dump", "yade", "csv")


def _vector_names(axis, k, words):
    return [form.format(word) for word in words
            for form in ("{}_" + axis, "{}:" + str(k), "{}_" + str(k), "{}." + axis)]


# what a column may be called, the better names first; blanks are written as "_"
_NAMES = {
    "radius": ("radius", "r", "rad", "radii"),
    "diameter": ("diameter", "d", "diam"),
    "type": ("type", "type_id", "typelabel", "matid", "mat_id", "material", "mask"),
    "density": ("density", "rho"),
    "mass": ("mass", "m"),
    "clump": ("clump", "clumpid", "clump_id", "id_multisphere"),
    "mol": ("mol", "molecule", "mol_id"),
    "id": ("id",),
    "kind": ("kind",),
    "shape": ("shape",),
}
for _k, _axis in enumerate("xyz"):
    _NAMES[_axis] = (_axis, _axis + "u", *_vector_names(
        _axis, _k, ("position", "points", "pos", "coordinates", "centre", "center")))
    _NAMES["s" + _axis] = (_axis + "s", _axis + "su")
    _NAMES["v" + _axis] = ("v" + _axis, *_vector_names(_axis, _k, ("velocity", "vel", "v")))
    _NAMES["w" + _axis] = ("omega" + _axis, "w" + _axis, *_vector_names(
        _axis, _k, ("angular_velocity", "angularvelocity", "omega", "w")))
_MEANS = {name: (rank, key) for key, names in _NAMES.items() for rank, name in enumerate(names)}

_LENGTH = {"m": 1.0, "dm": 0.1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "μm": 1e-6,
           "micron": 1e-6, "nm": 1e-9, "km": 1e3}
_MASS = {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "ug": 1e-9, "t": 1e3}
_SPEED = {f"{unit}/s": factor for unit, factor in _LENGTH.items()}
_TURN = {"rad/s": 1.0, "1/s": 1.0, "s-1": 1.0, "deg/s": numpy.pi / 180, "rpm": numpy.pi / 30}
_DENSITY = {f"{mass}/{length}{power}": factor / _LENGTH[length]**3 for mass, factor in _MASS.items()
            for length in ("m", "cm", "mm") for power in ("3", "^3", "³")}
_UNITS = {"x": _LENGTH, "y": _LENGTH, "z": _LENGTH, "radius": _LENGTH, "diameter": _LENGTH,
          "density": _DENSITY, "mass": _MASS, **{"v" + axis: _SPEED for axis in "xyz"},
          **{"w" + axis: _TURN for axis in "xyz"}}
# of LAMMPS: metres, kilograms and seconds; lj has none, and its numbers stand as they are
_STYLES = {"lj": (1.0, 1.0, 1.0), "si": (1.0, 1.0, 1.0), "cgs": (1e-2, 1e-3, 1.0),
           "micro": (1e-6, 1e-15, 1e-6), "nano": (1e-9, 1e-21, 1e-9)}


@guard.public
class Packing:
    """Spheres: position (n, 3) m, radius (n,) m, velocity (n, 3) m/s, angular_velocity (n, 3) rad/s,
    type (n,) of numbers or labels, density (n,) kg/m3 or None, mass (n,) kg or None, clump (n,) with
    -1 for a sphere that is on its own, box (3, 2) m or None, tilt (xy, xz, yz) m of that box."""

    __slots__ = ("position", "radius", "velocity", "angular_velocity", "type", "density", "mass", "clump",
                 "box", "tilt")

    def __init__(self, columns, box=None, tilt=None):
        if not isinstance(columns, dict):
            raise ArgumentError("a packing is what cairn.read_packing returns")
        count = len(columns["x"])
        zero = numpy.zeros(count)
        self.position = numpy.column_stack([columns[k] for k in "xyz"]).reshape(count, 3)
        self.radius = columns["radius"]
        self.velocity = numpy.column_stack([columns.get("v" + k, zero) for k in "xyz"])
        self.angular_velocity = numpy.column_stack([columns.get("w" + k, zero) for k in "xyz"])
        self.type = columns.get("type", numpy.ones(count, int))
        self.density = columns.get("density")
        self.mass = columns.get("mass")
        self.clump = columns.get("clump", numpy.full(count, -1))
        self.box = box
        self.tilt = numpy.zeros(3) if tilt is None else tilt

    def __len__(self):
        return len(self.radius)

    def add_to(self, world, material=None, density=None):
        """Adds the spheres, and clumps as compounds, to a world; returns their number of bodies.

        material: a name, or {type: name}. density: kg/m3 in place of the file's masses and densities
        """
        if not isinstance(world, library.Live):
            raise ArgumentError(f"add_to: a cairn.World is wanted, not {world!r:.60}")
        self._check_arrays()
        before = len(world.bodies)
        shapes = {}
        for i in numpy.flatnonzero(self.clump < 0):
            radius = float(self.radius[i])
            shape = shapes.setdefault(radius, language.Expression("sphere", (), {"radius": radius}))
            self._add(world, [i], shape, self.position[i], material, density)
        order = numpy.argsort(self.clump, kind="stable")
        order = order[self.clump[order] >= 0]
        for members in numpy.split(order, 1 + numpy.flatnonzero(numpy.diff(self.clump[order]))):
            if len(members) == 0:
                continue
            centre = self.position[members].mean(axis=0)
            shape = language.Expression("compound", tuple(
                {"shape": language.Expression("sphere", (), {"radius": float(self.radius[i])}),
                 "position": self.position[i] - centre} for i in members), {})
            self._add(world, members, shape, centre, material, density)
        return len(world.bodies) - before

    def _check_arrays(self):
        """What a program has put in place of the arrays."""
        count = numpy.size(self.radius)
        shapes = {"radius": (count,), "position": (count, 3), "velocity": (count, 3),
                  "angular_velocity": (count, 3), "type": (count,), "density": (count,), "mass": (count,),
                  "clump": (count,)}
        for name, shape in shapes.items():
            given = getattr(self, name)
            if given is None and name in ("density", "mass"):
                continue
            try:
                made = numpy.asarray(given) if name == "type" else library.floats(given)
                if name == "clump" and not (made == numpy.floor(made)).all():
                    raise ValueError("clumps have whole numbers")
            except (TypeError, ValueError) as error:
                raise ArgumentError(f"packing.{name}: {error}") from None
            if made.shape != shape:
                raise ArgumentError(f"packing.{name} is of shape {made.shape}, not {shape}: there are {count} radii")
            object.__setattr__(self, name, made.astype(int) if name == "clump" else made)

    def _add(self, world, members, shape, position, material, density):
        names = {self._material_of(i, material) for i in members}
        clump = f"clump {self.clump[members[0]]}"
        if len(names) > 1:
            raise ArgumentError(f"{clump} has spheres of several materials: "
                                f"{', '.join(map(str, sorted(names)))}; a body has one")
        mass = None
        if density is None and self.mass is not None:
            mass = float(self.mass[members].sum())
        elif density is None and self.density is not None:
            density = float(self.density[members[0]])
            if (self.density[members] != density).any():
                raise ArgumentError(f"{clump} has spheres of several densities: give add_to one")
        keys = {"shape": shape, "position": position, "material": names.pop(), "density": density,
                "mass": mass}
        velocity, spin = self._motion_of(world, members, shape, position)
        if velocity.any():
            keys["velocity"] = velocity
        if spin.any():
            keys["angular_velocity"] = spin
        world._run_call("body", (), keys)

    def _material_of(self, i, material):
        if not isinstance(material, dict):
            return material
        kind = self.type[i].item()
        if kind not in material:
            raise ArgumentError(f"there is no material for type {kind!r}")
        return material[kind]

    def _motion_of(self, world, members, shape, position):
        """Velocity of the centre of mass, and angular velocity, of the spheres of a body."""
        velocity, spin = self.velocity[members], self.angular_velocity[members].mean(axis=0)
        if len(members) == 1 or not (spin.any() or (velocity != velocity[0]).any()):
            return velocity[0], spin
        arms = self.position[members] - position
        if not spin.any():
            # sum of arm x v = (sum of |arm|^2 - arm arm^T) w; about a line w has no part
            moments = (arms**2).sum() * numpy.eye(3) - arms.T @ arms
            spin = numpy.linalg.lstsq(moments, numpy.cross(arms, velocity).sum(axis=0),
                                      rcond=1e-9)[0]
        scratch = type(world)()
        scratch._run_call("body", (), {"shape": shape})
        centre = numpy.array(scratch.bodies.centre[0])
        scratch.close()
        return velocity.mean(axis=0) + numpy.cross(spin, centre), spin

    def __repr__(self):
        clumps = len(numpy.unique(self.clump[self.clump >= 0]))
        return f"<packing of {len(self)} spheres, {clumps} clumps>"


@guard.function
def read_packing(path, format=None):
    """The Packing of a file, as docs/python.md lists them.

    format: "lammps-data", "lammps-dump" (LIGGGHTS writes the same; the last frame is read), "yade"
            (x y z r where no line names the columns), "csv"; None: by what the file says
    Raises FileError and FormatError with file, line and value.
    """
    if format is not None and format not in _FORMATS:
        raise ArgumentError(f"format must be one of {', '.join(_FORMATS)}, not {format!r}")
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a packing is read from a path, not from {path!r}")
    lines = _lines_of(path)
    if not any(line.strip() for line in lines):
        raise FormatError(f"{path}: the file is empty")
    readers = {"lammps-data": _lammps_data, "lammps-dump": _lammps_dump, "yade": _table,
               "csv": _table}
    try:
        return readers[format or _guess(lines)](lines, str(path))
    except OverflowError:
        raise FormatError(f"{path}: a number is too large") from None


def _lines_of(path):
    try:
        # a FIFO would wait for its writer
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileError(f"{path}: not a regular file")
            data = file.read()
    except IsADirectoryError:
        raise FileError(f"{path}: not a regular file") from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ArgumentError(f"a packing is read from a path: {error}") from None
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return re.split("\r\n|\n|\r", data.decode("utf-16" if wide else "utf-8-sig", errors="replace"))


def _guess(lines):
    first = next(line for line in lines if line.strip())
    if first.startswith("ITEM:"):
        return "lammps-dump"
    return "lammps-data" if any(line.split("#")[0].strip() == "Atoms" for line in lines) else "csv"


def _is_number(word):
    """Python's own spellings, as 1_000 and digits of other scripts, are none of a file."""
    try:
        float(word)
        return word.isascii() and "_" not in word
    except ValueError:
        return False


# ---------------------------------------------------------------- columns

class _Rows:
    """Words of the spheres, by the meaning of their column."""

    def __init__(self, names, rows, where, scale=(1.0, 1.0, 1.0)):
        """names: as the file has them; rows: [(line number, words)]; scale: m, kg, s of a unit"""
        self.where = where
        # in cairn's own tables words, in tables that ParaView wrote of its frames numbers
        frame = "orientation_wxyz:0" in names
        self.apart, self.sphere = (("1", "2"), "0") if frame else (("fixed", "moving"), "sphere")
        self.lines = [number for number, _ in rows]
        self.words, self.factor, best = {}, {}, {}
        for place, name in enumerate(names):
            plain, unit = _split_unit(name)
            rank, key = _MEANS.get(plain, (0, None))
            if key is None or best.get(key, rank + 1) <= rank:
                continue
            best[key] = rank
            self.factor[key] = self._factor(key, name, unit, scale)
            self.words[key] = [words[place] for _, words in rows]

    def _factor(self, key, name, unit, scale):
        if key not in _UNITS:
            return 1.0
        length, mass, time = scale
        if not unit:
            return {id(_LENGTH): length, id(_MASS): mass, id(_SPEED): length / time,
                    id(_TURN): 1.0 / time, id(_DENSITY): mass / length**3}[id(_UNITS[key])]
        if unit not in _UNITS[key]:
            raise FormatError(f"{self.where}: column {name!r} has the unit {unit!r}: one of "
                              f"{', '.join(list(_UNITS[key])[:6])} ...")
        return _UNITS[key][unit]

    def fail(self, i, key, problem):
        word = str(self.words[key][i])[:40]
        raise FormatError(f"{self.where}:{self.lines[i]}: {key} is {word!r}, {problem}")

    def keep(self, which):
        self.lines = [self.lines[i] for i in which]
        self.words = {key: [words[i] for i in which] for key, words in self.words.items()}

    def numbers(self, key, empty=None, least=None, whole=False):
        """Column of finite numbers above least; an empty word is `empty`, where that is given."""
        words = self.words[key]
        if empty is not None:
            words = [word if word else repr(empty) for word in words]
        bad = next((i for i, word in enumerate(words) if not _is_number(word)), None)
        if bad is not None:
            self.fail(bad, key, "no number")
        column = numpy.array(words, dtype=object).astype(float)
        with numpy.errstate(over="ignore"):
            column = column * self.factor[key]
        for wrong, problem in ((~numpy.isfinite(column), "not finite"),
                               (column <= (-numpy.inf if least is None else least), "not above 0"),
                               (whole and (column != numpy.floor(column)), "no whole number"),
                               (whole and (abs(column) > 2**53), "too large")):
            if numpy.any(wrong):
                self.fail(int(numpy.flatnonzero(wrong)[0]), key, problem)
        return column.astype(int) if whole else column

    def packing_columns(self):
        """What a Packing takes."""
        words = self.words
        if "kind" in words:
            self.keep([i for i, word in enumerate(words["kind"]) if word not in self.apart])
            words = self.words
        if not self.lines:
            raise FormatError(f"{self.where}: there is no sphere")
        for i, word in enumerate(words.get("shape", ())):
            if word != self.sphere:
                self.fail(i, "shape", "no sphere")
        for need in "xyz":
            if need not in words:
                raise FormatError(f"{self.where}: there is no column {need}")
        size = "radius" if "radius" in words else "diameter"
        if size not in words:
            raise FormatError(f"{self.where}: there is no column of radii or diameters")
        columns = {axis: self.numbers(axis) for axis in "xyz"}
        columns["radius"] = self.numbers(size, least=0.0) * (1.0 if size == "radius" else 0.5)
        if size == "radius" and "diameter" in words:
            # a per cent for files that round
            ratio = 0.5 * self.numbers("diameter", least=0.0) / columns["radius"]
            if numpy.any(abs(ratio - 1.0) > 0.01):
                self.fail(int(numpy.argmax(abs(ratio - 1.0))), "diameter", "not twice the radius")
        for key in ("vx", "vy", "vz", "wx", "wy", "wz"):
            if key in words:
                columns[key] = self.numbers(key, empty=0)
        for key in ("density", "mass"):
            if key in words:
                columns[key] = self.numbers(key, least=0.0)
        if "type" in words:
            columns["type"] = self._types()
        if "clump" in words:
            columns["clump"] = self.numbers("clump", empty=-1, whole=True)
        elif "mol" in words:
            # molecules of LAMMPS are counted from 1
            columns["clump"] = self.numbers("mol", empty=0, whole=True)
            columns["clump"][columns["clump"] == 0] = -1
        if "id" in words and all(_is_number(word) for word in words["id"]):
            order = numpy.argsort(self.numbers("id"), kind="stable")
            columns = {key: column[order] for key, column in columns.items()}
        return columns

    def _types(self):
        words = self.words["type"]
        if all(_is_number(word) or not word for word in words):
            return self.numbers("type", empty=1, whole=True)
        return numpy.array(words, dtype=object).astype(str)


def _split_unit(name):
    """('x', 'mm') of 'X [mm]', ('v:0', 'm/s') of 'v [m/s]:0'; blanks within a name become '_'."""
    found = re.fullmatch(r"(.*?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]([:_]\w)?", name.strip())
    plain, unit = (found[1] + (found[3] or ""), found[2]) if found else (name.strip(), "")
    return re.sub(r"\s+", "_", plain.strip().lower()), unit.replace(" ", "")


def _check_lengths(rows, count, where):
    for number, words in rows:
        if len(words) != count:
            raise FormatError(f"{where}:{number}: {len(words)} values, not {count}")


# ---------------------------------------------------------------- LAMMPS and LIGGGHTS

def _style(word, where, number):
    if word not in _STYLES:
        raise FormatError(f"{where}:{number}: units {word!r}: cairn reads "
                          f"{', '.join(_STYLES)} (whose numbers stand as they are)")
    return _STYLES[word]


def _box_of_dump(lines, at, where):
    """Lows and highs of the box itself, which the bounds of a tilted one exceed; and its tilt."""
    if "abc" in lines[at].split():
        raise FormatError(f"{where}:{at + 1}: a general triclinic box is not read")
    tilted = lines[at].split()[3:6] == ["xy", "xz", "yz"]
    box, tilt = numpy.zeros((3, 2)), numpy.zeros(3)
    for k in range(3):
        line = lines[at + 1 + k] if at + 1 + k < len(lines) else ""
        try:
            values = [float(word) for word in line.split()]
            box[k] = values[:2]
            tilt[k] = values[2] if tilted else 0.0
            if not numpy.isfinite(values).all() or not box[k, 0] <= box[k, 1]:
                raise ValueError
        except (ValueError, IndexError):
            raise FormatError(f"{where}:{at + 2 + k}: the bounds of the box are {line[:60]!r}"
                              ) from None
    xy, xz, yz = tilt
    box[0] -= min(0.0, xy, xz, xy + xz), max(0.0, xy, xz, xy + xz)
    box[1] -= min(0.0, yz), max(0.0, yz)
    return box, tilt


def _lammps_dump(lines, where):
    starts = [i for i, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    if not starts:
        raise FormatError(f"{where}: there is no ITEM: ATOMS")
    start = starts[-1]
    last = {}
    for i, line in enumerate(lines[:start]):
        if line.startswith("ITEM:"):
            last[" ".join(line.split()[1:3])] = i
    if "NUMBER OF" not in last:
        raise FormatError(f"{where}:{start + 1}: the head of the last frame does not say the NUMBER "
                          "OF ATOMS")
    head = last["NUMBER OF"] + 1
    if not re.fullmatch(r"\s*[0-9]{1,15}\s*", lines[head]):
        raise FormatError(f"{where}:{head + 1}: the head of the last frame says "
                          f"{lines[head][:40]!r} for the number of atoms")
    count = int(lines[head])
    scale = (1.0, 1.0, 1.0)
    units = next((i for i, line in enumerate(lines[:start]) if line.startswith("ITEM: UNITS")), None)
    if units is not None:
        scale = _style(lines[units + 1].strip(), where, units + 2)
    box = tilt = None
    if "BOX BOUNDS" in last:
        box, tilt = _box_of_dump(lines, last["BOX BOUNDS"], where)
    rows = [(start + 2 + i, line.split()) for i, line in enumerate(lines[start + 1:])
            if line.strip()]
    cut = next((number for number, words in rows if words[0] == "ITEM:"), None)
    if cut:
        raise FormatError(f"{where}:{cut}: the frame that begins here has no ITEM: ATOMS, as of a "
                          "file that was cut short")
    if len(rows) != count:
        raise FormatError(f"{where}:{start + 1}: the last frame has {len(rows)} atoms, not the "
                          f"{count} that its head says")
    names = lines[start].split()[2:]
    _check_lengths(rows, len(names), where)
    table = _Rows(names, rows, where, scale)
    _unscale(table, box, tilt, scale[0], where)
    columns = table.packing_columns()
    if box is not None:
        box, tilt = box * scale[0], tilt * scale[0]
    return Packing(columns, box, tilt)


def _unscale(table, box, tilt, length, where):
    """Puts places for shares of the box, where the file has no places."""
    if all(axis in table.words for axis in "xyz") or not any(
            "s" + axis in table.words for axis in "xyz"):
        return
    if box is None or not all("s" + axis in table.words for axis in "xyz"):
        raise FormatError(f"{where}: xs, ys and zs are read where all three and the bounds of the "
                          "box are there")
    share = numpy.array([table.numbers("s" + axis) for axis in "xyz"])
    xy, xz, yz = tilt
    sides = numpy.diag(box[:, 1] - box[:, 0])
    sides[0, 1], sides[0, 2], sides[1, 2] = xy, xz, yz
    with numpy.errstate(over="ignore", invalid="ignore"):
        place = box[:, :1] + sides @ share
    for k, axis in enumerate("xyz"):
        table.words[axis] = [repr(value) for value in place[k].tolist()]
        table.factor[axis] = length


# values of a line of Atoms: of a style on its own, and what one adds to id type x y z of a hybrid
_ATOMS = {"sphere": "id type diameter density x y z", "granular": "id type diameter density x y z",
          "bpm/sphere": "id bond type diameter density x y z"}
_ADDS = {"sphere": "diameter density", "granular": "diameter density",
         "bpm/sphere": "bond diameter density", "bond": "bond", "angle": "bond", "molecular": "bond",
         "charge": "charge", "full": "bond charge", "dipole": "charge mux muy muz",
         "template": "bond index atom", "atomic": ""}
_TITLES = re.compile(r"Atoms|Velocities|Masses|Ellipsoids|Lines|Triangles|Bodies|Bonds|Angles|"
                     r"Dihedrals|Impropers|(\w+ )+Coeffs|(Atom|Bond|Angle|Dihedral|Improper) "
                     r"Type Labels")


def _atom_names(style, where, number):
    if style[:1] != ["hybrid"]:
        word = " ".join(style) or "sphere"
        if word not in _ATOMS:
            raise FormatError(f"{where}:{number}: atoms of style {word!r} have no radius; cairn "
                              "reads the styles sphere, bpm/sphere and hybrids with sphere")
        return _ATOMS[word].split()
    names = "id type x y z".split()
    for word in style[1:]:
        if word not in _ADDS and "diameter" not in names:
            raise FormatError(f"{where}:{number}: atoms of style {word!r} before sphere are not read")
        names += [name for name in _ADDS.get(word, "...").split() if name not in names]
    if "diameter" not in names:
        raise FormatError(f"{where}:{number}: atoms of style {' '.join(style)!r} have no radius")
    return names


def _lammps_data(lines, where):
    """Bonds hold the molecules of styles that have some: their spheres are on their own."""
    sections, titles, current = {}, {}, None
    box, tilt, head, notes = numpy.full((3, 2), numpy.nan), numpy.zeros(3), {}, {}
    scale = (1.0, 1.0, 1.0)
    found = re.search(r"\bunits\s*=\s*(\S+)", lines[0])
    if found:
        scale = _style(found[1].rstrip(","), where, 1)
    for number, line in enumerate(lines, 1):
        text, _, note = line.partition("#")
        words = text.split()
        if not words or number == 1:
            continue
        if _TITLES.fullmatch(" ".join(words)):
            current = " ".join(words)
            if current in sections:
                raise FormatError(f"{where}:{number}: there are two sections {current}")
            sections[current], titles[current], notes[current] = [], number, note.split()
        elif current:
            sections[current].append((number, words))
        elif not all(map(_is_number, words[:len(words) // 2])):
            continue
        elif words[1:] == ["atoms"]:
            head["atoms"] = number, words[0]
        elif len(words) == 4 and words[2:] in (["xlo", "xhi"], ["ylo", "yhi"], ["zlo", "zhi"]):
            box["xyz".index(words[2][0])] = float(words[0]), float(words[1])
        elif words[3:] == ["xy", "xz", "yz"]:
            tilt[:] = [float(word) for word in words[:3]]
        elif words[-1] in ("avec", "bvec", "cvec"):
            raise FormatError(f"{where}:{number}: a general triclinic box is not read")
    if "Atoms" not in sections:
        raise FormatError(f"{where}: there is no section Atoms")
    rows, number = sections["Atoms"], titles["Atoms"]
    if "atoms" in head and head["atoms"][1] != str(len(rows)):
        raise FormatError(f"{where}:{head['atoms'][0]}: {head['atoms'][1]} atoms are announced, and "
                          f"{len(rows)} stand in section Atoms")
    names = _atom_names(notes["Atoms"], where, number)
    more = "..." in names  # values of a style that cairn does not know stand behind the others
    names = names[:names.index("...")] if more else names
    for line, words in rows:
        if len(words) < len(names) or not more and len(words) not in (len(names), len(names) + 3):
            raise FormatError(f"{where}:{line}: {len(words)} values, where style "
                              f"{' '.join(notes['Atoms']) or 'sphere'} has {len(names)}, and "
                              f"{'others behind' if more else '3 more with image flags'}")
    table = _Rows(names, rows, where, scale)
    if "Atom Type Labels" in sections:
        labels = dict(words[:2] for _, words in sections["Atom Type Labels"] if len(words) > 1)
        table.words["type"] = [labels.get(word, word) for word in table.words["type"]]
    if "Velocities" in sections:
        _take_velocities(table, sections["Velocities"], where, scale)
    with numpy.errstate(invalid="ignore"):
        whole = numpy.isfinite(box).all() and numpy.isfinite(tilt).all()
    return Packing(table.packing_columns(), box * scale[0] if whole else None,
                   tilt * scale[0] if whole else None)


def _take_velocities(table, rows, where, scale):
    names = "id vx vy vz wx wy wz".split()
    for number, words in rows:
        if len(words) not in (4, 7):
            raise FormatError(f"{where}:{number}: {len(words)} values, not 4 or 7")
    rows = [(number, [*words, "0", "0", "0"][:7]) for number, words in rows]
    moving = _Rows(names, rows, where, scale)
    place = {word: i for i, word in enumerate(moving.words["id"])}
    if len(place) != len(rows) or sorted(place) != sorted(table.words["id"]):
        raise FormatError(f"{where}:{rows[0][0] if rows else 1}: Velocities are of other atoms than "
                          "Atoms")
    moving.keep([place[word] for word in table.words["id"]])
    for key in names[1:]:
        moving.numbers(key)  # an error of theirs has their line
        table.words[key], table.factor[key] = moving.words[key], moving.factor[key]


# ---------------------------------------------------------------- tables

def _separator_of(line):
    """None: blanks, as between numbers in any case."""
    marks = ";," if _is_number(re.split(r"[\s;,]", line.strip())[0]) else ";,\t"
    return next((mark for mark in marks if mark in line), None)


def _split(line, mark):
    if mark is None:
        return line.split()
    return [word.strip() for word in next(csv.reader([line], delimiter=mark), [])]


# up to a "#" that follows a blank and is not in quotes
_COMMENTED = re.compile(r'(?:[^"#]|"[^"]*"|(?<=\S)#)*')


def _table(lines, where):
    """A line of names, "#format x_y_z_r_..." or "# x y z r ..." of Yade, or x y z r without one."""
    names, notes, mark, rows = None, [], None, []
    for number, line in enumerate(lines, 1):
        text = _COMMENTED.match(line)[0]
        if line[len(text):len(text) + 1] == '"':
            raise FormatError(f"{where}:{number}: a quote is not closed: {line[:40]!r}")
        if not text.strip():
            if not rows and names is None:
                names = _names_of_note(line)
                notes.append(_words_of_note(line))
            continue
        try:
            if not rows:
                mark = _separator_of(text)
            words = _split(text, mark)
            if mark == ";":
                words = [word.replace(",", ".") if re.fullmatch(r"[-+\d.eE]*,\d+([eE][-+]?\d+)?",
                                                                word) else word for word in words]
        except csv.Error as error:
            raise FormatError(f"{where}:{number}: {error}: {text[:40]!r}") from None
        if names is None and not rows and not _is_number(words[0]):
            names = words
            if not any(_MEANS.get(_split_unit(word)[0], (0, ""))[1] for word in words):
                raise FormatError(f"{where}:{number}: {text.strip()[:40]!r} is neither a line of "
                                  "numbers nor of the names of columns that cairn knows")
            continue
        rows.append((number, words))
    if not rows:
        raise FormatError(f"{where}: there is no sphere")
    if names is None:
        names = next((words for words in notes if len(words) == len(rows[0][1]) and {"x", "y", "z"} <=
                      {_MEANS.get(_split_unit(word)[0], (0, ""))[1] for word in words}),
                     None) or _names_without_header(rows, where)
    # a line that ends with the separator has an empty word more
    rows = [(number, words[:-1] if mark and len(words) == len(names) + 1 and not words[-1]
             else words) for number, words in rows]
    _check_lengths(rows, len(names), where)
    return Packing(_Rows(names, rows, where).packing_columns())


def _words_of_note(line):
    """Names with their units, as in '# x [mm], y [mm]'."""
    return re.sub("[,;]", " ", re.sub(r"\s+(?=[\[(])", "", line.lstrip("# \t"))).split()


def _names_of_note(line):
    words = _words_of_note(line)
    if words[:1] == ["format"] and len(words) > 1:
        return words[1].split("_")
    known = [_MEANS.get(_split_unit(word)[0], (0, ""))[1] for word in words[:3]]
    return words if len(words) >= 4 and known == ["x", "y", "z"] else None


def _names_without_header(rows, where):
    number, words = rows[0]
    if len(words) < 4:
        raise FormatError(f"{where}:{number}: {len(words)} values, not 4: x y z r")
    if len(words) == 4:
        return ["x", "y", "z", "r"]
    # a number below 0 among whole ones is that of a sphere without a clump, and of nothing else
    fifth = [words[4] for _, words in rows if len(words) == 5]
    if len(words) == 5 and all(re.fullmatch(r"-?\d+", word) for word in fifth) and "-1" in fifth:
        return ["x", "y", "z", "r", "clump"]
    raise FormatError(f"{where}:{number}: {len(words)} values, and no line says what the fifth, "
                      f"{words[4][:40]!r}, is: write one above, as '#format x_y_z_r_mass'")
