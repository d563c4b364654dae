# SPDX-License-Identifier: Apache-2.0
# Calls of the scene language written from Python: values become Lua, which the scene loader checks.
"""Shapes and other values of the scene language, and the text of its calls."""
import keyword
import math
import numbers
import re

import numpy

from ._cairn import ffi, lib
from .errors import ArgumentError

__all__ = ["Expression", "SHAPES"]

# constructors of the language that return a value
SHAPES = tuple(ffi.string(lib.cairn_shape_kind_call(kind)).decode()
               for kind in range(lib.CAIRN_SHAPE_KIND_COUNT))
VALUES = SHAPES + ("sizes", "table", "table_from_csv")

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_RESERVED = frozenset("and break do else elseif end false for function goto if in local nil not or "
                      "repeat return then true until while".split())


# whose keys may be functions in a scene
_TAKE_FUNCTIONS = ("change", "freeze", "gravity", "joint", "motion", "release", "remove", "servo", "stop")


class Expression:
    """A value of the scene language, such as a shape: any number of bodies and worlds may use it.

    It is made by :func:`cairn.sphere`, :func:`cairn.box` and so on, and costs nothing until a body
    has it.
    """
    __slots__ = ("call", "arguments", "keys", "__weakref__")

    def __init__(self, call, arguments, keys):
        self.call = call
        self.arguments = arguments
        self.keys = keys

    def __repr__(self):
        parts = [repr(each) for each in self.arguments]
        parts += [f"{key}={value!r}" for key, value in self.keys.items()]
        return f"{self.call}({', '.join(parts)})"


def _number(value, where):
    try:
        value = float(value)
    except OverflowError:
        raise ArgumentError(f"{where} is too large for a number of the scene language") from None
    if math.isnan(value):
        raise ArgumentError(f"{where} is NaN, which is no number that a scene can have")
    if math.isinf(value):
        return "math.huge" if value > 0 else "-math.huge"
    return repr(value)


def bytes_of(text, what):
    """A text in UTF-8, with the bytes of file names that are none."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(f"{what} = {text!r} has a character that is none of Unicode's") from None


def _text(value, where):
    out = []
    for byte in bytes_of(value, where):
        plain = 32 <= byte < 127 and byte not in b'"\\'
        out.append(chr(byte) if plain else f"\\{byte:03d}")
    return '"' + "".join(out) + '"'


def _key(key, where):
    if not isinstance(key, str):
        raise ArgumentError(f"{where} has the key {key!r}; keys are texts")
    # a word that Python keeps for itself is written from_
    if key.endswith("_") and keyword.iskeyword(key[:-1]):
        key = key[:-1]
    return key if _WORD.match(key) and key not in _RESERVED else f"[{_text(key, where)}]"


class Writer:
    """Writes values as Lua. `name_of(value)` names what the world knows: bodies, shapes ..."""

    def __init__(self, name_of):
        self.name_of = name_of

    def value(self, value, where):
        if isinstance(value, (bool, numpy.bool_)):
            return "true" if value else "false"
        if isinstance(value, numbers.Integral):
            return str(int(value)) if abs(int(value)) < 2**63 else _number(value, where)
        if isinstance(value, numbers.Real):
            return _number(value, where)
        if isinstance(value, str):
            return _text(value, where)
        if isinstance(value, numpy.ndarray):
            return self.value(value.tolist(), where)
        if isinstance(value, dict):
            return self.table((), value, where)
        if isinstance(value, (list, tuple)):
            return self.table(value, {}, where)
        named = self.name_of(value)
        if named is None and callable(value) and where.partition(":")[0] in _TAKE_FUNCTIONS:
            raise ArgumentError(f"{where} cannot be a function of Python: motion, load and the motor of a joint "
                                "take functions of the time. Elsewhere world.lua() gives the call with a function "
                                "of the scene language, and world.run(observers=) acts between steps")
        if named is None:
            raise ArgumentError(f"{where} cannot be {type(value).__name__}: the scene language has "
                                "numbers, texts, booleans, lists, dicts, shapes, bodies and joints")
        return named

    def table(self, arguments, keys, where):
        parts = [self.value(each, f"{where}[{i}]") for i, each in enumerate(arguments)]
        parts += [f"{_key(key, where)} = {self.value(each, f'{where}: {key}')}"
                  for key, each in keys.items() if each is not None]
        return "{" + ", ".join(parts) + "}"

    def call(self, call, arguments, keys):
        try:
            if call != "table":
                return call + self.table(arguments, keys, call)
            # the one call that has its places in parentheses
            parts = [self.value(each, call) for each in arguments]
            return f"table({', '.join(parts + ([self.value(keys, call)] if keys else []))})"
        except RecursionError:
            raise ArgumentError(f"{call}: a list or dict is in itself, or too deep") from None


def triangles_from_one(keys):
    """The triangles of a mesh count from 0 in Python and from 1 in the scene language."""
    triangles = keys.get("triangles")
    if triangles is None:
        return keys
    counted = numpy.asarray(triangles)
    if counted.ndim != 2 or counted.shape[1] != 3 or counted.dtype.kind not in "iu":
        raise ArgumentError("mesh: triangles must be whole numbers of shape (n, 3), not "
                            f"{counted.dtype} of shape {counted.shape}")
    # one more than the last number of a small type is none of that type
    return {**keys, "triangles": counted.astype(object) + 1}


def constructor(call, doc):
    """The function of this package for a call that returns a value."""
    def construct(*arguments, **keys):
        return Expression(call, arguments, triangles_from_one(keys) if call == "mesh" else keys)
    construct.__name__ = construct.__qualname__ = call
    construct.__doc__ = doc
    return construct
