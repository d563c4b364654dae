# SPDX-License-Identifier: Apache-2.0
# The folder that `cairn run` writes, as arrays.
"""Runs: what `cairn run -o FOLDER` has written, finished or going on."""
import csv
import json
import math
import pathlib
import re

import numpy

from . import errors, guard, library
from ._cairn import ffi, lib
from .errors import FileError, FormatError

__all__ = ["Run", "Trajectory"]

_HEADING = re.compile(r"(.*?)(?: \[([^\]]*)\])?$")


class Columns(numpy.ndarray):
    """A structured array with `units`, {name: unit}."""
    units = {}

    def __array_finalize__(self, other):
        self.units = getattr(other, "units", {})


def read_table(path):
    """A CSV file of a run as a structured array: "kinetic [J]" is field "kinetic" with unit "J".

    A last line that is still being written is left out.
    """
    path = library.path(path)
    text = library.text_of_file(path)
    whole = text[:text.rfind("\n") + 1]
    rows = list(csv.reader(whole.splitlines()))
    if not rows:
        raise FormatError(f"{path}: there is no line of headings")
    names, units = [], {}
    for heading in rows[0]:
        name, unit = _HEADING.match(heading).groups()
        name = name.replace(" ", "_")
        # "a b" and "a_b" are one to Python
        while name in names:
            name += "_"
        names.append(name)
        units[name] = unit or ""
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise FormatError(f"{path}:{number}: {len(row)} values, not {len(names)}")
    columns = [_column([row[i] for row in rows[1:]]) for i in range(len(names))]
    found = numpy.empty(len(rows) - 1, [(name, column.dtype)
                                        for name, column in zip(names, columns)])
    for name, column in zip(names, columns):
        found[name] = column
    found = found.view(Columns)
    found.units = units
    return found


def _column(words):
    for kind in (numpy.int64, numpy.float64):
        try:
            return numpy.array(words, dtype="U").astype(kind) if words else numpy.empty(0, float)
        except ValueError:
            continue
    try:
        return numpy.array([float(word) if word else math.nan for word in words])
    except ValueError:
        return numpy.array(words, dtype="U")


@guard.public
class Run:
    """What a run has written.

        run = cairn.Run("out/tower")
        run.summary["state_hash"], run.energy["kinetic"], run.trajectory.position(-1)

    Files are read when they are asked for, and read anew while the run goes on.
    """

    def __init__(self, folder):
        self.folder = library.path(folder)
        if not self.folder.is_dir():
            raise FileError(f"{self.folder}: there is no such folder")

    def _json(self, name):
        path = self.folder / name
        try:
            return json.loads(library.text_of_file(path))
        except ValueError as error:
            raise FormatError(f"{path}: {error}") from None
        except RecursionError:
            raise FormatError(f"{path}: lists in lists, too deep") from None

    @property
    def summary(self):
        """What `cairn run --json` printed, once the run is over."""
        return self._json("summary.json")

    @property
    def resolved(self):
        """Every setting that was in force."""
        return self._json("resolved.json")

    @property
    def energy(self):
        """energy.csv: step, time, kinetic, potential ... in J."""
        return read_table(self.folder / "energy.csv")

    @property
    def sensors(self):
        """sensors.csv: step, time, and the columns of each sensor, such as ground_force_z."""
        return read_table(self.folder / "sensors.csv")

    @property
    def bodies(self):
        """bodies.csv: the bodies at the end of the run."""
        return read_table(self.folder / "bodies.csv")

    @property
    def broken_bonds(self):
        """bonds.csv: the bonds that have broken, in runs whose laws have some."""
        return read_table(self.folder / "bonds.csv")

    def table(self, name):
        """Any other CSV file of the folder, by its name with or without ".csv"."""
        library.encode(name, "the name of a table")
        return read_table(self.folder / (name if name.endswith(".csv") else name + ".csv"))

    def frame(self, name):
        """A table as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise errors.UnsupportedError("frames want pandas, which is not installed") from None
        return pandas.DataFrame(numpy.asarray(self.table(name)))

    @property
    def trajectory(self):
        """trajectory.h5."""
        return Trajectory(self.folder / "trajectory.h5")

    def render(self, **settings):
        """A picture of the run, as cairn.render of a world; at= is the time in s."""
        from .picture import render
        return render(self, **settings)

    def to_html(self, path=None, **settings):
        """The run as a page for browsers, a text or a file; cairn.to_html has the settings."""
        from .page import to_html
        return to_html(self, path, **settings)

    def _repr_html_(self):
        """Runs show themselves in notebooks, to be played and turned."""
        from .page import shown
        return shown(self) if (self.folder / "trajectory.h5").exists() else None

    def __repr__(self):
        there = sorted(path.name for path in self.folder.iterdir() if path.is_file())
        return f"<cairn.Run {str(self.folder)!r}: {', '.join(there)}>"


def _copy(data, count, kind, width=0):
    shape = (count, width) if width else (count,)
    if count == 0:
        return numpy.empty(shape, kind)
    return numpy.frombuffer(ffi.buffer(data, 8 * count * max(width, 1)), kind).reshape(shape).copy()


class Trajectory(library.Live):
    """Poses and velocities of all bodies, frame by frame; a run that goes on may be read.

        trajectory.times                     (frames,) s
        trajectory.position(i)               (bodies, 3) m of one frame; -1 is the last
        trajectory.positions                 (frames, bodies, 3), and so on
        trajectory.numbers(i)                (bodies,) numbers of the bodies of one frame
        trajectory.materials(i)              (bodies,) names of their materials
        trajectory.contacts_of(i)            its contacts as a structured array, None where it keeps none

    `trajectory.body(number)` says what a body is. Where bodies come and go (`varies`) the frames
    differ in their bodies, and a body keeps its number.
    """
    _WIDTHS = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}

    def __init__(self, path):
        error, made = ffi.new("cairn_error *"), ffi.new("cairn_replay **")
        with library.files_lock():
            errors.check(lib.cairn_replay_open(library.encode(path, "the path"), made, error), error)
        self._pointer = ffi.gc(made[0], lib.cairn_replay_close)
        info = lib.cairn_replay_get_info(self._pointer)
        self.varies = bool(info.varies)
        self.keeps_contacts = bool(info.contacts)
        self.time_step = info.time_step
        self.scene = errors.text_of(info.scene)
        self.scene_text = errors.text_of(info.scene_text)
        self.command = errors.text_of(info.command)

    @property
    def bodies(self):
        """Bodies of every frame; where they come and go, that were in any frame."""
        return lib.cairn_replay_get_info(self._pointer).bodies

    def refresh(self):
        """Looks for new frames of a run that goes on, where no other Trajectory has its file open."""
        error = ffi.new("cairn_error *")
        with library.files_lock():
            errors.check(lib.cairn_replay_refresh(self._pointer, error), error)

    def __len__(self):
        return lib.cairn_replay_get_frame_count(self._pointer)

    @property
    def times(self):
        """s of each frame."""
        count = len(self)
        if count == 0:
            return numpy.empty(0)
        at = lib.cairn_replay_get_times(self._pointer)
        return numpy.frombuffer(ffi.buffer(at, 8 * count), float).copy()

    def _read(self, index):
        count = len(self)
        index = library.whole(index, "the number of a frame", -2**62, 2**62)
        if not -count <= index < count:
            raise errors.MissingItemError(f"there are {count} frames, and no number {index}")
        error, frame = ffi.new("cairn_error *"), ffi.new("cairn_replay_frame *")
        with library.files_lock():
            errors.check(lib.cairn_replay_read(self._pointer, index % count, frame, error), error)
        return frame

    def _array(self, frame, name):
        return _copy(getattr(frame, name), frame.bodies, float, self._WIDTHS[name])

    def numbers(self, index):
        """The numbers of the bodies of one frame, in the order of its arrays."""
        frame = self._read(index)
        if frame.body == ffi.NULL:
            return numpy.arange(frame.bodies)
        return _copy(frame.body, frame.bodies, numpy.int64)

    def contacts_of(self, index):
        """The contacts of one frame: bodies, point, normal, force, velocity, gap, status.

        None where the frame keeps none (`cairn run --contacts-every`).
        """
        frame = self._read(index)
        count = frame.contacts_kept
        if count < 0:
            return None
        kinds = [("bodies", numpy.int64, 2), ("point", float, 3), ("normal", float, 3),
                 ("force", float, 3), ("velocity", float, 3), ("gap", float, 0),
                 ("status", numpy.int64, 0)]
        found = numpy.empty(count, [(name, kind, (width,) if width else ())
                                    for name, kind, width in kinds])
        for name, kind, width in kinds:
            found[name] = _copy(getattr(frame, "contact_" + name), count, kind, width)
        return found

    def body(self, number):
        """What a body is: kind, material (its name), material_index, mass, shape and its size."""
        found = ffi.new("cairn_replay_body *")
        number = library.whole(number, "the number of a body", 0, 2**31 - 1)
        if lib.cairn_replay_get_body(self._pointer, number, found) != lib.CAIRN_OK:
            raise errors.MissingItemError(f"there are {self.bodies} bodies, and no number {number} of "
                                          "which the file says what it is")
        return {"kind": ("dynamic", "fixed", "moving")[found.kind], "material": self._material(found.material),
                "material_index": found.material, "mass": found.mass,
                "shape": errors.text_of(lib.cairn_shape_kind_name(found.shape_kind)),
                "size": tuple(found.shape_size)}

    def _material(self, index):
        return errors.text_of(lib.cairn_replay_get_material(self._pointer, index))

    def materials(self, index):
        """The names of the materials of the bodies of one frame, in the order of its arrays."""
        return numpy.array([self.body(int(number))["material"] for number in self.numbers(index)],
                           dtype="U")

    def _all(self, name):
        if self.varies:
            raise errors.UnsupportedError(
                "bodies come and go in this run: read frame by frame, and join by numbers(i)")
        return numpy.array([self._array(self._read(i), name) for i in range(len(self))]).reshape(
            len(self), self.bodies, self._WIDTHS[name])

    @property
    def contacts(self):
        """The number of contacts in each frame."""
        return numpy.array([self._read(i).contacts for i in range(len(self))], int)

    def __repr__(self):
        return f"<trajectory of {self.scene!r}: {len(self)} frames of {self.bodies} bodies>"


def _reader(name):
    def one(self, index):
        return self._array(self._read(index), name)
    one.__name__, one.__qualname__ = name, f"Trajectory.{name}"
    one.__doc__ = f"The {name.replace('_', ' ')} of all bodies in one frame."
    whole = property(lambda self: self._all(name), doc=f"The same of all frames.")
    return one, whole


for _name in Trajectory._WIDTHS:
    _one, _whole = _reader(_name)
    setattr(Trajectory, _name, _one)
    setattr(Trajectory, {"velocity": "velocities", "angular_velocity": "angular_velocities"}.get(
        _name, _name + "s"), _whole)

Trajectory = guard.public(Trajectory)
