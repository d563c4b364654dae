# SPDX-License-Identifier: Apache-2.0
# Exceptions: what the engine says, with its status.
"""Every error of this package is a :class:`Error`, which carries the engine's message and status."""
import os
import sys
import warnings

from ._cairn import ffi, lib

__all__ = ["CairnWarning", "Error", "ArgumentError", "FileError", "FormatError", "SceneError", "NonfiniteError",
           "NotFoundError", "MissingItemError", "MissingAttributeError", "KindError", "StaleError", "UnsupportedError", "NumericalError", "StateError",
           "OutOfMemoryError", "Interrupted"]


class CairnWarning(UserWarning):
    """What `cairn run` warns of: bodies that overlap at the start, a time step that is too long,
    steps that end unsolved, jams. `warnings.simplefilter("error", cairn.CairnWarning)` makes
    exceptions of them."""


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(text):
    """Warns of the line outside this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, CairnWarning, stacklevel=level)


class Error(Exception):
    """What went wrong, in a sentence.

    status:       the engine's word for it, such as "ERROR_SCENE"
    exit_status:  what the command `cairn` would end with: 1 the run failed, 2 wrong argument,
                  3 wrong scene or input file, 4 not available in this build
    """
    status = "ERROR_ARGUMENT"
    exit_status = 1


class ArgumentError(Error, ValueError):
    """An argument is outside its range, or of a wrong type or shape."""
    exit_status = 2


class SceneError(Error, ValueError):
    """A scene, or a call that builds one, is wrong."""
    status = "ERROR_SCENE"
    exit_status = 3


class FileError(Error, OSError):
    """A file could not be read or written."""
    status = "ERROR_FILE"
    exit_status = 3


class FormatError(Error, ValueError):
    """A file does not have the expected content."""
    status = "ERROR_FORMAT"
    exit_status = 3


class NotFoundError(Error, LookupError):
    """There is nothing of that name."""
    status = "ERROR_NOT_FOUND"
    exit_status = 2


class MissingItemError(NotFoundError, IndexError):
    """There is no item of that number."""


class MissingAttributeError(NotFoundError, AttributeError):
    """There is no attribute of that name."""


class KindError(ArgumentError, TypeError):
    """A value of another kind is wanted."""


class StaleError(Error, ReferenceError):
    """A body, joint or connector no longer exists, or belongs to another world."""
    status = "ERROR_STALE_ID"


class StateError(Error, RuntimeError):
    """The call is not allowed now: the world is closed, or in a step."""


class NonfiniteError(Error, ArithmeticError):
    """A value is not finite."""
    status = "ERROR_NONFINITE"


class NumericalError(Error, ArithmeticError):
    """A computation failed."""
    status = "ERROR_NUMERICAL"


class UnsupportedError(Error, NotImplementedError):
    """Not available in this build or for this combination."""
    status = "ERROR_UNSUPPORTED"
    exit_status = 4


class Interrupted(Error):
    """World.interrupt has ended a step, from another thread."""
    status = "INTERRUPTED"


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""
    status = "ERROR_MEMORY"


_CLASSES = {
    lib.CAIRN_ERROR_ARGUMENT: ArgumentError,
    lib.CAIRN_ERROR_MEMORY: OutOfMemoryError,
    lib.CAIRN_ERROR_FILE: FileError,
    lib.CAIRN_ERROR_FORMAT: FormatError,
    lib.CAIRN_ERROR_SCENE: SceneError,
    lib.CAIRN_ERROR_NONFINITE: NonfiniteError,
    lib.CAIRN_ERROR_NOT_FOUND: NotFoundError,
    lib.CAIRN_ERROR_STALE_ID: StaleError,
    lib.CAIRN_ERROR_WORLD: StaleError,
    lib.CAIRN_ERROR_UNSUPPORTED: UnsupportedError,
    lib.CAIRN_ERROR_NUMERICAL: NumericalError,
    lib.CAIRN_INTERRUPTED: Interrupted,
}


def text_of(pointer):
    """A text of the library; bytes that are not UTF-8 are kept."""
    return ffi.string(pointer).decode("utf-8", "surrogateescape") if pointer else ""


def error_of(status, error=None):
    """The exception for a status and the cairn_error that came with it."""
    message = text_of(error.message) if error is not None else ""
    message = message or text_of(lib.cairn_status_text(status))
    made = _CLASSES.get(status, Error)(message)
    made.status = ffi.typeof("cairn_status").elements.get(status, "").removeprefix("CAIRN_")
    return made


def check(status, error=None):
    """Raises what a status says; nothing for CAIRN_OK."""
    if status != lib.CAIRN_OK:
        raise error_of(status, error)
