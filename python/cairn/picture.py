# SPDX-License-Identifier: Apache-2.0
# Pictures and films, drawn by the command `cairn render`.
"""Pictures of worlds and runs, and films as HTML5 video."""
import base64
import contextlib
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy

from . import errors, guard, library
from ._cairn import ffi, lib
from .errors import ArgumentError, UnsupportedError
from .language import Writer

__all__ = ["render", "film", "Film"]

_OPTIONS = ("contacts", "colours", "azimuth", "elevation", "zoom")
_FLAGS = {"perspective": "--parallel", "ground": "--no-ground", "shadows": "--no-shadows",
          "caption": "--no-caption"}
_KINDS = {lib.CAIRN_DYNAMIC: "dynamic", lib.CAIRN_FIXED: "fixed", lib.CAIRN_MOVING: "moving"}
_CALLS = [ffi.string(lib.cairn_shape_kind_call(kind)).decode()
          for kind in range(lib.CAIRN_SHAPE_KIND_COUNT)]


def _rows(pointer, count, width):
    return [[pointer[i][k] for k in range(width)] for i in range(count)]


class _Still:
    """A scene of the world as it stands: bodies with their shapes at their places."""

    def __init__(self, world):
        self.world = world
        self.writer = Writer(lambda value: value.text if isinstance(value, _Name) else None)
        self.names = {}
        self.lines = []

    def shape(self, identity):
        key = tuple(identity)
        if key not in self.names:
            view = ffi.new("cairn_shape_view *")
            given = ffi.new("cairn_shape_id *", key)
            errors.check(lib.cairn_shape_get(self.world._world, given[0], view))
            name = _Name(f"shape_{len(self.names)}")
            arguments, keys = self.arguments(view)
            written = self.writer.call(_CALLS[view.kind], arguments, keys)
            self.lines.append(f"{name.text} = {written}")
            self.names[key] = name
        return self.names[key]

    def arguments(self, view):
        kind = _CALLS[view.kind]
        if kind == "compound":
            return [self.member(view, i) for i in range(view.member_count)], {}
        if view.kind in (lib.CAIRN_POLYHEDRON, lib.CAIRN_MESH):
            points = _rows(view.vertices, view.vertex_count, 3)
            if kind == "polyhedron":
                rounded = {"rounding": view.rounding} if view.rounding > 0.0 else {}
                return [], {"points": points, **rounded}
            return [], {"vertices": points, "triangles":
                        [[view.face_vertices[3 * i + k] + 1 for k in range(3)]
                         for i in range(view.face_count)]}
        sizes, keys = lib.cairn_shape_kind_sizes(view.kind), {}
        if sizes & lib.CAIRN_SHAPE_RADIUS:
            keys["radius"] = view.radius
        if sizes & lib.CAIRN_SHAPE_HALF_LENGTH:
            keys["length"] = 2.0 * view.half_length
        if sizes & lib.CAIRN_SHAPE_HALF_SIZE:
            keys["size"] = [2.0 * each for each in view.half_size]
        if view.rounding > 0.0:
            keys["rounding"] = view.rounding
        return [], keys

    def member(self, view, i):
        member, place = view.members[i], view.member_placements[i]
        return {"shape": self.shape((member.index, member.generation, member.world)),
                "position": list(place.position), "orientation": list(place.orientation)}

    def colour(self, read, identity):
        """The colour that a body or material was given, as the key of a call."""
        colour = ffi.new("double[4]")
        if not read(self.world._owner.scene, identity, colour):
            return {}
        return {"colour": [each for each in colour if not math.isnan(each)]}

    def materials(self, names):
        for name in dict.fromkeys(names):
            found = lib.cairn_material_find(self.world._world, name.encode())
            keys = self.colour(lib.cairn_scene_get_material_colour, found)
            self.lines.append(self.writer.call("material", (), {"name": name, **keys}))

    def text(self):
        bodies = self.world.bodies
        materials = [body.material for body in bodies]
        self.materials(materials)
        columns = [bodies.read(name) for name in ("kind", "shape", "position", "orientation", "mass")]
        for body, material, kind, shape, position, orientation, mass in zip(bodies, materials, *columns):
            keys = {"kind": _KINDS[kind], "shape": self.shape(shape.tolist()), "position": position,
                    "orientation": orientation, "material": material}
            if kind == lib.CAIRN_DYNAMIC:
                keys["mass"] = mass
            if body.name:
                keys["name"] = body.name
            keys.update(self.colour(lib.cairn_scene_get_colour, body._id))
            self.lines.append(self.writer.call("body", (), keys))
        title = self.writer.value(self.world.name, "title")
        looks = ffi.new("char[]", 32768)
        lib.cairn_scene_write_looks(self.world._owner.scene, looks, len(looks))
        return "\n".join([f"title {title}", *self.lines, errors.text_of(looks)])


class _Name:
    def __init__(self, text):
        self.text = text


def _words(size, settings):
    try:
        width, height = (int(each) for each in size)
    except (TypeError, ValueError):
        raise ArgumentError(f"size must be two whole numbers of pixels, not {size!r}") from None
    words = [f"--size={width}x{height}"]
    for name, value in settings.items():
        if name in _FLAGS:
            words += [] if value else [_FLAGS[name]]
        elif name in _OPTIONS:
            words.append(f"--{name}={value}")
        else:
            raise ArgumentError(f'a picture has no setting "{name}"; there are '
                                + ", ".join((*_OPTIONS, *_FLAGS)))
    return words


def call(*words):
    """Runs a subcommand of `cairn` that draws or writes for others; raises what it complains of."""
    command = library.command()
    if command is None:
        raise UnsupportedError("pictures and pages are made by the command cairn, which is not installed "
                               "(CAIRN_COMMAND may name it)")
    ended = subprocess.run([command, *words, "--quiet"], capture_output=True, text=True)
    if ended.returncode == 0:
        return
    said = ended.stderr.strip().removeprefix("cairn: ").removeprefix("error: ") or f"status {ended.returncode}"
    kind = {2: ArgumentError, 3: errors.SceneError, 4: UnsupportedError}
    raise kind.get(ended.returncode, errors.Error)(said)


def _demand_world(world):
    if not hasattr(world, "bodies"):
        raise ArgumentError(f"a picture is of a World or a Run, not of {world!r:.60}")


def still(world, folder):
    """Path of a trajectory in a folder with one frame: the world as it stands, with its contacts."""
    _demand_world(world)
    if len(world.bodies) == 0:
        raise ArgumentError("the world has no body to draw")
    source = os.path.join(folder, "trajectory.h5")
    with _writing(world, source, contacts_every=1) as write:
        write(world)
    return source


def png(subject, size=(960, 540), at=None, **settings):
    """A picture of a World or Run as the bytes of a PNG file."""
    words = _words(size, settings)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "picture.png")
        if hasattr(subject, "folder"):
            words += [] if at is None else [f"--at={float(at)!r}"]
            source = str(subject.folder)
        else:
            if at is not None:
                raise ArgumentError("a world is drawn as it is; at= is for runs")
            source = still(subject, folder)
        call("render", source, "-o", out, *words)
        return pathlib.Path(out).read_bytes()


@guard.function
def render(subject, size=(960, 540), at=None, **settings):
    """A picture of a World or Run as an array (height, width, 3) of uint8.

    size:       (width, height) in pixels
    at:         of runs: the time in s; None: the end
    settings:   contacts="forces", colours="speed", azimuth=, elevation= in degrees, zoom=,
                perspective=, ground=, shadows=, caption= as True or False
    Raises UnsupportedError where the command or its viewer is not built.
    """
    import io
    data = io.BytesIO(png(subject, size, at, **settings))
    try:
        from PIL import Image
        return numpy.asarray(Image.open(data).convert("RGB"))
    except ImportError:
        pass
    try:
        from matplotlib.image import imread
    except ImportError:
        raise UnsupportedError("pictures become arrays through python3-pil or python3-matplotlib, "
                               "and neither is installed") from None
    return (255.0 * imread(data, format="png")[..., :3] + 0.5).astype(numpy.uint8)


@guard.public
class Film:
    """A film that a notebook shows; `path` is its file, None for one that is held in memory."""

    def __init__(self, data, path=None):
        if not isinstance(data, bytes):
            raise ArgumentError("a film is what cairn.film and World.film return")
        self.data = data
        self.path = path

    def save(self, path):
        """Writes the film, MP4."""
        library.write_file(path, self.data)

    def _repr_html_(self):
        coded = base64.b64encode(self.data).decode("ascii")
        return f'<video controls loop src="data:video/mp4;base64,{coded}"></video>'


@guard.function
def film(subject, until=None, path=None, size=(960, 540), frame_rate=30, speed=1.0, **settings):
    """Films a Run, or a World that is stepped to `until` (s) meanwhile; returns a Film.

    speed: simulated seconds in a second of film. Raises UnsupportedError without ffmpeg.
    """
    if shutil.which("ffmpeg") is None:
        raise UnsupportedError("films are made by ffmpeg, which is not installed")
    words = _words(size, settings) + [f"--frame-rate={frame_rate}", f"--speed={speed!r}"]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "film.mp4")
        if hasattr(subject, "folder"):
            source = str(subject.folder)
            words += [] if until is None else [f"--until={float(until)!r}"]
        else:
            _demand_world(subject)
            source = os.path.join(folder, "trajectory.h5")
            record(subject, source, until, speed / frame_rate)
        call("render", source, "-o", out, *words)
        data = pathlib.Path(out).read_bytes()
    if path is not None:
        library.write_file(path, data)
    return Film(data, path)


@contextlib.contextmanager
def _writing(world, path, contacts_every=0):
    """A function that appends a frame of the world to a trajectory, which is closed at the end."""
    error, made = ffi.new("cairn_error *"), ffi.new("cairn_trajectory **")
    texts = [ffi.new("char[]", library.encode(text, "the scene"))
             for text in (world.name, _Still(world).text())]
    definition = ffi.new("cairn_trajectory_def *")
    definition.scene, definition.scene_text = texts
    definition.varies = lib.cairn_world_population_varies(world._world)
    definition.contacts_every = contacts_every
    with library.files_lock():
        errors.check(lib.cairn_trajectory_create(library.encode(path, "the path"), world._world,
                                                 definition, made, error), error)

    def write(given):
        with library.files_lock():
            errors.check(lib.cairn_trajectory_write_frame(made[0], given._world, error), error)
    try:
        yield write
    finally:
        with library.files_lock():
            status = lib.cairn_trajectory_close(made[0], error)
    errors.check(status, error)


def record(world, path, until=None, interval=None):
    """Steps a world to a time and writes its trajectory, which `cairn view` and Trajectory read.

    interval: s between frames; None: every step
    """
    every = 1
    _demand_world(world)
    if interval is not None:
        interval = library.real(interval, "interval")
        if not 0.0 < interval < math.inf:
            raise ArgumentError(f"interval must be a time in s, not {interval}")
        every = max(1, round(interval / world.time_step))
    with _writing(world, path) as write:
        write(world)
        world.run(until=until, observers=write, every=every)
