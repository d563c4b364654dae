# SPDX-License-Identifier: Apache-2.0
# Columns of bodies, contacts, joints and connectors as arrays of numpy.
"""Tables of a world: every column that the engine has is an attribute."""
import difflib

import numpy

from . import errors, guard
from ._cairn import ffi, lib
from .errors import ArgumentError
from .library import Live

__all__ = ["Table"]

_TYPES = {lib.CAIRN_FLOAT64: numpy.float64, lib.CAIRN_INT32: numpy.int32,
          lib.CAIRN_UINT32: numpy.uint32, lib.CAIRN_UINT64: numpy.uint64,
          lib.CAIRN_UINT8: numpy.uint8}


class Column:
    """What there is to know of a column: name, type, width, unit, help, settable, in_place."""

    def __init__(self, info):
        self.full_name = ffi.string(info.name)
        self.table, _, self.name = self.full_name.decode().partition(".")
        self.dtype = numpy.dtype(_TYPES[info.scalar])
        self.width = info.width
        self.unit = errors.text_of(info.unit)
        self.help = errors.text_of(info.help)
        self.settable = bool(info.settable)
        self.in_place = bool(info.in_place)

    def shape(self, count):
        return (count,) if self.width == 1 else (count, self.width)

    def __repr__(self):
        unit = f", {self.unit}" if self.unit else ""
        return f"<column {self.table}.{self.name}: {self.dtype} x {self.width}{unit}; {self.help}>"


def _of_type(given, dtype):
    """Numbers of another type, where none of them becomes another number."""
    if dtype.kind not in "iu" or given.dtype.kind not in "iu":
        return given.astype(dtype, casting="same_kind", copy=False)
    least, most = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    for value in (given.min(), given.max()) if given.size else ():
        if not least <= int(value) <= most:
            raise ValueError(f"{value} is out of range: {least} to {most}")
    return given.astype(dtype, copy=False)


def _all_columns():
    found = {}
    info = ffi.new("cairn_column_info *")
    for i in range(lib.cairn_column_count()):
        errors.check(lib.cairn_column_get_info(i, info))
        column = Column(info)
        found.setdefault(column.table, {})[column.name] = column
    return found


COLUMNS = _all_columns()


@guard.public
class Table:
    """The bodies, contacts, joints or connectors of a world, column by column.

        world.bodies.velocity                  (n, 3) float64
        world.bodies.velocity = array          sets it, where the column may be set
        world.bodies.view("velocity")          the engine's own memory, or UnsupportedError
        world.bodies.columns                   what there is, with units

    An attribute is the engine's own memory, read-only, where that has the numbers item after item;
    it follows the world then. Otherwise it is a copy (`array.flags.owndata` tells). Items are in
    the engine's order: that of creation, but the last one takes the place of one that is removed.
    """
    __slots__ = ("_world", "_name", "_index", "_item")

    def __init__(self, world, name, item=None):
        if name not in COLUMNS or not isinstance(world, Live):
            raise ArgumentError("tables are what world.bodies, contacts, joints and connectors are")
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_index", getattr(lib, "CAIRN_" + name.upper()))
        object.__setattr__(self, "_item", item)

    @property
    def columns(self):
        """{name: Column}."""
        return dict(COLUMNS[self._name])

    def __len__(self):
        return lib.cairn_table_size(self._world._world, self._index)

    def __iter__(self):
        if self._item is None:
            raise errors.KindError(f"{self._name} are read column by column")
        return (self._item(self._world, i) for i in range(len(self)))

    def __getitem__(self, index):
        """The item at a place: a Body or Joint."""
        if self._item is None:
            raise errors.KindError(f"{self._name} are read column by column")
        count = len(self)
        try:
            place = index.__index__()
        except (AttributeError, TypeError):
            raise ArgumentError(f"{self._name} are numbered, not named {index!r:.60}") from None
        if not -count <= place < count:
            raise errors.MissingItemError(f"there are {count} {self._name}, and no number {place}")
        return self._item(self._world, place % count)

    def __setitem__(self, index, value):
        raise errors.KindError(f"{self._name} are set by columns, world.{self._name}.COLUMN = array"
                               + (f", or one of them by world.{self._name}[{index!r:.20}].ATTRIBUTE = value"
                                  if self._item else ""))

    def __delitem__(self, index):
        raise errors.KindError(f"{self._name} are removed by remove() of one of them, not by del")

    def _column(self, name):
        if not isinstance(name, str):
            raise ArgumentError(f"a column is named by a text, not {name!r:.60}")
        column = COLUMNS[self._name].get(name)
        if column is None:
            near = difflib.get_close_matches(name, COLUMNS[self._name], 1)
            hint = f' (did you mean "{near[0]}"?)' if near else ""
            raise errors.MissingAttributeError(f'{self._name} have no column "{name}"{hint}')
        return column

    def read(self, name):
        """A copy of a column, item after item."""
        column = self._column(name)
        world = self._world
        count = len(self)
        values = numpy.empty(column.shape(count), column.dtype)
        world._check(lib.cairn_world_read(world._world, column.full_name,
                                          ffi.cast("void *", values.ctypes.data), count,
                                          world._error))
        return values

    def write(self, name, values):
        """Sets a column of all items; nothing is set where a value is refused."""
        column = self._column(name)
        world = self._world
        count = len(self)
        try:
            if numpy.ma.is_masked(values):
                raise ValueError("some of the values are masked")
            given = numpy.asarray(values)
            given = numpy.ascontiguousarray(
                numpy.broadcast_to(given, column.shape(count)) if given.ndim <= 1 and count
                else given)
            given = _of_type(given, column.dtype)
        except (TypeError, ValueError) as error:
            reason = str(error) if "out of range" in str(error) or "masked" in str(error) else (
                f"{column.dtype} of shape {column.shape(count)}, or what fills that, is wanted, not {values!r:.60}")
            raise ArgumentError(f"{self._name}.{name}: {reason}") from None
        if given.shape != column.shape(count):
            raise ArgumentError(f"{self._name}.{name} is of shape {column.shape(count)}, not "
                                f"{given.shape}")
        world._check(lib.cairn_world_write(world._world, column.full_name,
                                           ffi.cast("void *", given.ctypes.data), count,
                                           world._error))

    def segments(self, name):
        """The engine's memory in up to two parts: [(array, rows)], rows None for 0, 1, 2 ...

        Rows of bodies are the first words of column "id". A row has its value in the last part that
        has it. UnsupportedError where the world does not hold the column as it is.
        """
        column = self._column(name)
        world = self._world
        shown = ffi.new("cairn_array *")
        world._check(lib.cairn_world_array(world._world, column.full_name, shown, world._error))
        found = []
        for i in range(shown.segment_count):
            part = shown.segments[i]
            rows = None
            if part.rows != ffi.NULL:
                rows = _look(world._owner, part.rows, numpy.dtype(numpy.int32), 4, (part.count,))
            found.append((_look(world._owner, part.data, column.dtype, part.stride,
                                column.shape(part.count)), rows))
        return found

    def view(self, name):
        """The engine's own memory of a column, read-only, item after item.

        It follows the world until bodies are made or removed, or contacts change; an old view shows
        old numbers. UnsupportedError where the world does not hold the column so.
        """
        found = self._look_whole(name)
        if found is None:
            raise errors.UnsupportedError(
                f"{self._name}.{name} does not lie item after item in this world now; read it, or "
                "look at its segments")
        return found

    def _look_whole(self, name):
        try:
            parts = self.segments(name)
        except errors.UnsupportedError:
            return None
        whole = len(parts) == 1 and parts[0][1] is None and len(parts[0][0]) == len(self)
        if whole and self._name == "bodies" and name != "id":
            # after removals the order of the rows is another one
            ids = self.read("id")[:, 0]
            whole = bool((ids == numpy.arange(len(ids))).all())
        return parts[0][0] if whole else None

    def __getattr__(self, name):
        column = self._column(name)
        found = self._look_whole(name) if column.in_place and self._name != "contacts" else None
        if found is None:
            found = self.read(name)
            found.flags.writeable = False
        return found

    def __setattr__(self, name, values):
        self.write(name, values)

    def __reduce__(self):
        return Table, (self._world, self._name, self._item)

    def __dir__(self):
        return [*super().__dir__(), *COLUMNS[self._name]]

    def table(self, *names):
        """A structured array of some columns, or all: for pandas.DataFrame and numpy.savetxt."""
        names = names or tuple(COLUMNS[self._name])
        kinds = [(name, self._column(name).dtype, () if self._column(name).width == 1
                  else (self._column(name).width,)) for name in names]
        found = numpy.empty(len(self), kinds)
        for name in names:
            found[name] = self.read(name)
        return found

    def __repr__(self):
        return f"<{len(self)} {self._name}: {', '.join(COLUMNS[self._name])}>"


def _look(owner, data, dtype, stride, shape):
    """A read-only array on the engine's memory, which stays as long as the array."""
    if shape[0] == 0:
        found = numpy.empty(shape, dtype)
        found.flags.writeable = False
        return found
    memory = owner.memory
    lib.cairn_python_memory_hold(memory)

    # the owner is not kept: numpy hides it from the search for rings
    def let_go(_):
        lib.cairn_python_memory_let_go(memory)

    strides = (stride,) if len(shape) == 1 else (stride, dtype.itemsize)
    return numpy.asarray(_Memory(ffi.gc(ffi.cast("char *", data), let_go), dtype, strides, shape))


class _Memory:
    """What the base of an array is that nobody makes writable: numpy knows its address alone, and finds
    no buffer to write into."""
    __slots__ = ("_pointer", "__array_interface__")

    def __init__(self, pointer, dtype, strides, shape):
        self._pointer = pointer
        self.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "shape": shape, "strides": strides,
            "data": (int(ffi.cast("uintptr_t", pointer)), True)}
