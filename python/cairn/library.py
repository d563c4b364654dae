# SPDX-License-Identifier: Apache-2.0
# What all modules share: where things lie, the owner of a world, the lock of files, settings.
"""Places, locks and owners behind the public classes."""
import collections.abc
import errno
import logging
import math
import operator
import os
import pathlib
import shutil
import stat
import sys
import threading

import numpy

from . import errors
from ._cairn import ffi, lib
from .language import bytes_of

log = logging.getLogger("cairn")
_LEVELS = {lib.CAIRN_INFO: logging.INFO, lib.CAIRN_WARNING: logging.WARNING,
           lib.CAIRN_ERROR: logging.ERROR}
_own_lock = threading.RLock()
_PACKAGE = pathlib.Path(__file__).resolve().parent


def files_lock():
    """HDF5 lets one thread in at a time, and h5py, where it is used, has a lock for the same."""
    h5py = sys.modules.get("h5py")
    try:
        return h5py._hl.base.phil if h5py is not None else _own_lock
    except AttributeError:
        return _own_lock


@ffi.def_extern()
def cairn_python_log(context, level, text):
    text = errors.text_of(text)
    if level == lib.CAIRN_WARNING and context != ffi.NULL:
        # what a warning calls must not pass through the engine: the call that is going on warns
        ffi.from_handle(context).append(text)
    else:
        log.log(_LEVELS.get(level, logging.INFO), "%s", text)


def scenes_folder():
    """The folder of the built-in scenes, or None."""
    places = [os.environ.get("CAIRN_SCENES"), _PACKAGE / "../../../scenes/library",
              pathlib.Path(sys.prefix) / "share/cairn/scenes", "/usr/local/share/cairn/scenes",
              "/usr/share/cairn/scenes"]
    for place in places:
        if place is not None and (pathlib.Path(place) / "kapla_tower.lua").exists():
            return pathlib.Path(place).resolve()
    return None


def scene_path(word):
    """The file of a scene: a path, or the name of a built-in scene as `cairn run` takes it."""
    if not isinstance(word, (str, os.PathLike)):
        raise errors.ArgumentError(f"a scene is given by a path or a name, not by {word!r}")
    word = os.fspath(word)
    folder = scenes_folder()
    if os.path.exists(word) or "/" in word or folder is None:
        return word
    found = folder / (word if word.endswith(".lua") else word + ".lua")
    return str(found) if found.exists() else word


def command():
    """The command `cairn`, for pictures and films; None where it is not installed."""
    for place in (os.environ.get("CAIRN_COMMAND"), _PACKAGE / "../../cairn",
                  pathlib.Path(sys.prefix) / "bin/cairn"):
        if place is not None and os.path.isfile(place) and os.access(place, os.X_OK):
            return str(place)
    return shutil.which("cairn")


def encode(text, what):
    """A text for the engine."""
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if not isinstance(text, str):
        raise errors.ArgumentError(f"{what} must be a text, not {type(text).__name__}")
    data = bytes_of(text, what)
    if not data and what == "the path":
        raise errors.ArgumentError("the path is empty")
    if b"\0" in data:
        raise errors.ArgumentError(f"{what} has a zero byte in it")
    return data


def path(value):
    """A path of a file or folder."""
    try:
        return pathlib.Path(value)
    except TypeError:
        raise errors.ArgumentError(f"a path must be a text, not {type(value).__name__}") from None


def _one(value, what):
    """The value that an array of numpy holds."""
    try:
        return value.item()
    except ValueError:
        raise errors.ArgumentError(f"{what} must be one value, not {value.size}") from None


def text_of_file(path):
    """What a regular file has in it: of a pipe or a device it would have no end."""
    try:
        # a pipe that nobody writes into would be waited for
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise errors.FileError(f"{path}: not a regular file")
            return file.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        if isinstance(error, errors.Error):
            raise
        raise errors.FileError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise errors.FileError(f"{path}: {error}") from None


def write_file(target, data):
    """Writes bytes into a regular file: a pipe or a device is refused at once."""
    target = path(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(target, flags, 0o666), "wb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise errors.FileError(f"{target}: not a regular file")
            file.truncate()
            file.write(data)
    except OSError as error:
        if isinstance(error, errors.Error):
            raise
        reason = "not a regular file" if error.errno == errno.ENXIO else error.strerror
        raise errors.FileError(f"{target}: {reason}") from None


def word_of(value, what):
    """A value as the command line would give it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if hasattr(value, "item"):
        return word_of(_one(value, what), what)
    return encode(value, what).decode("utf-8", "surrogateescape")


def real(value, what):
    """A number for the engine, to which NaN means that none was given."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.ArgumentError(f"{what} must be a number, not {value!r:.60}") from None
    if math.isnan(number):
        raise errors.ArgumentError(f"{what} must be a number, not NaN")
    return number


def floats(values):
    """Real numbers as an array: of complex ones numpy would lose a part, with a warning."""
    if numpy.ma.is_masked(values):
        raise ValueError("some of the values are masked")
    array = numpy.asarray(values)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"numbers are wanted, not {array.dtype}" if array.dtype.kind != "c"
                        else "complex numbers have no place here")
    try:
        return numpy.asarray(array, float)
    except OverflowError:
        raise ValueError("a number is too large") from None


def vector(value, size, what):
    """So many numbers as a list."""
    try:
        vector = floats(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.ArgumentError(f"{what} must be {size} numbers, not {value!r:.60}") from None
    if vector.shape != (size,):
        raise errors.ArgumentError(f"{what} must be {size} numbers, not {value!r:.60}")
    return vector.tolist()


def whole(value, what, least, most):
    """A whole number for the engine."""
    try:
        number = operator.index(value)
    except TypeError:
        raise errors.ArgumentError(f"{what} must be a whole number, not {value!r:.60}") from None
    if not least <= number <= most:
        raise errors.ArgumentError(f"{what} {str(number):.40} is out of range: {least} to {most}")
    return number


def truth(value, what):
    """True or False."""
    if not isinstance(value, (bool, numpy.bool_)):
        raise errors.ArgumentError(f"{what} must be True or False, not {value!r:.60}")
    return bool(value)


def settings(values, what):
    """A list of cairn_setting, its count, and what must live as long."""
    if not isinstance(values, collections.abc.Mapping):
        raise errors.ArgumentError(f"{what}: wants a dict of names and values, not {values!r}")
    kept = []
    array = ffi.new("cairn_setting[]", max(1, len(values)))
    for i, (name, value) in enumerate(values.items()):
        texts = [ffi.new("char[]", encode(name, what)),
                 ffi.new("char[]", encode(word_of(value, f"{what} {name}"), f"{what} {name}"))]
        array[i].name, array[i].text = texts
        kept += texts
    return array, len(values), kept


def value_of(value):
    """A cairn_value as a value of Python."""
    if value.type == lib.CAIRN_NUMBER:
        return value.number
    return bool(value.boolean) if value.type == lib.CAIRN_BOOLEAN else errors.text_of(value.text)


def pass_value(value, what):
    """A value of Python as a cairn_value, and what must live as long."""
    made = ffi.new("cairn_value *")
    text = None
    if hasattr(value, "item"):
        value = _one(value, what)
    if isinstance(value, bool):
        made.type, made.boolean = lib.CAIRN_BOOLEAN, value
    elif isinstance(value, (int, float)):
        made.type, made.number = lib.CAIRN_NUMBER, value
    else:
        text = ffi.new("char[]", encode(value, what))
        made.type, made.text = lib.CAIRN_TEXT, text
    return made[0], (made, text)


class Live:
    """What is the engine's: a copy would be the same one again, without its guards."""
    __slots__ = ()
    _instead = ""

    def __reduce_ex__(self, protocol):
        raise errors.UnsupportedError(f"a {type(self).__name__} can neither be copied nor pickled"
                                      + self._instead)


class Owner:
    """A scene with its world and memory, released when nothing looks into them any more."""

    def __init__(self):
        self.scene = ffi.NULL
        self.world = ffi.NULL
        self.made = {}
        self.warnings = []  # that are still to be told
        self._handle = ffi.new_handle(self.warnings)
        self.memory = lib.cairn_python_memory_create()
        if self.memory == ffi.NULL:
            raise errors.OutOfMemoryError("out of memory")

    def definition(self, **members):
        made = ffi.new("cairn_scene_def *", lib.cairn_default_scene_def())
        made.allocator = lib.cairn_python_memory_allocator(self.memory)
        made.log, made.log_context = lib.cairn_python_log, self._handle
        for name, value in members.items():
            setattr(made, name, value)
        return made

    def open(self, opener, path, definition):
        error = ffi.new("cairn_error *")
        scene = ffi.new("cairn_scene **")
        errors.check(opener(path, definition, scene, error), error)
        self.scene = scene[0]
        self.tell()

    def tell(self):
        """Warns of what the engine has warned of."""
        while self.warnings:
            errors.warn(self.warnings.pop(0))

    def keep(self, pointer, destroy):
        """What the world has made, destroyed when nothing has it any more, and before the world in
        any case: Python lets go of rings of objects in any order."""
        made = self.made
        made[pointer] = destroy

        def let_go(pointer):
            if made.pop(pointer, None) is not None:
                destroy(pointer)
        return ffi.gc(pointer, let_go)

    def __del__(self):
        while self.made:
            pointer, destroy = self.made.popitem()
            destroy(pointer)
        lib.cairn_scene_destroy(self.scene)
        lib.cairn_python_memory_destroy(self.memory)
