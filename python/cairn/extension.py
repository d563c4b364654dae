# SPDX-License-Identifier: Apache-2.0
# Contact laws and force fields as functions of Python over batches of arrays.
"""Laws and force fields of one's own: numpy in, numpy out, or a C function."""
import math

import numpy

from . import errors, guard, library
from ._cairn import ffi, lib
from .errors import ArgumentError, StateError
from .motion import Call

__all__ = ["LawBatch", "FieldBatch"]

_SCALARS = {"double": numpy.float64, "_Bool": numpy.bool_, "uint64_t": numpy.uint64,
            "uint32_t": numpy.uint32}


def _members(struct):
    """{name: (offset, dtype, shape)} of a struct's numbers and arrays of numbers."""
    found = {}
    for name, field in ffi.typeof(struct).fields:
        kind, shape = field.type, ()
        while kind.kind == "array":
            shape, kind = (*shape, kind.length), kind.item
        if kind.cname in _SCALARS:
            found[name] = field.offset, numpy.dtype(_SCALARS[kind.cname]), shape
    return found


_CONTACT, _ANSWER = _members("cairn_law_contact"), _members("cairn_law_answer")
_BODY, _FORCE = _members("cairn_field_body"), _members("cairn_field_force")


def _column(pointer, stride, count, member):
    """The engine's memory of one member of all items, for the time of a call."""
    offset, dtype, shape = member
    size = dtype.itemsize * math.prod(shape)
    block = ffi.buffer(ffi.cast("char *", pointer) + offset, stride * (count - 1) + size)
    inner, strides = dtype.itemsize, []
    for length in reversed(shape):
        strides.insert(0, inner)
        inner *= length
    return numpy.ndarray((count, *shape), dtype, block, strides=(stride, *strides))


class _Batch:
    """Columns in are copies, made when they are asked for; columns out are zeros until they are set."""
    _given, _wanted = {}, {}

    def __init__(self, pointer, stride_in, stride_out, count):
        if not isinstance(pointer, ffi.CData):
            raise ArgumentError("batches are what the functions of laws and force fields are given")
        self.count = count
        self._in = pointer, stride_in
        self._stride_out = stride_out
        self._out = {}

    def __len__(self):
        return self.count

    def __getattr__(self, name):
        if name in self._given:
            if self._in is None:
                raise StateError(f"the step that this batch was of is over; copy its {name} in time")
            values = _column(*self._in, self.count, self._given[name]).copy()
            self.__dict__[name] = values
            return values
        if name in self._wanted:
            _, dtype, shape = self._wanted[name]
            return self._out.setdefault(name, numpy.zeros((self.count, *shape), dtype))
        raise errors.MissingAttributeError(f"a batch has no {name!r}; it has "
                             + ", ".join([*self._given, *self._wanted]))

    def __setattr__(self, name, values):
        if name in self._wanted:
            try:
                getattr(self, name)[...] = library.floats(values)
            except (TypeError, ValueError, OverflowError) as error:
                raise ArgumentError(f"{name}: {error}") from None
        elif name in self._given:
            raise ArgumentError(f"{name} is what the function is given, and cannot be set")
        else:
            object.__setattr__(self, name, values)

    def __dir__(self):
        return [*super().__dir__(), *self._given, *self._wanted]

    def _finish(self, answers):
        for name, values in self._out.items():
            _column(answers, self._stride_out, self.count, self._wanted[name])[...] = values
        self._in = None


@guard.public
class LawBatch(_Batch):
    """Contacts of one pair of materials, n of them, in the middle of a step.

    given:  gap (n) m, negative for overlap; frame (n, 3, 3) rows N, T1, T2; point (n, 3) m; velocity
            (n, 3) m/s of the second body against the first, in the frame; centre, motion, turning
            (n, 2, 3); radius, mass (n, 2); previous (n, 3) N s; mobility (n, 3, 3), free (n, 3); fresh,
            initial (n); parameters {name: number}; step in s
    kept:   history (n, k), updated in place
    wanted: impulse (n, 3) N s on the second body, in the frame; moment (n, 2, 3), impulse_damping,
            impulse_friction (n, 3); elastic, releasable, friction, plastic (n) J for the audit
    """
    _given, _wanted = _CONTACT, _ANSWER


@guard.public
class FieldBatch(_Batch):
    """All dynamic bodies, n of them.

    given:  centre (n, 3) m, orientation (n, 4), velocity, angular_velocity (n, 3), mass (n), user (n);
            time and step in s
    wanted: force (n, 3) N, torque (n, 3) N m
    """
    _given, _wanted = _BODY, _FORCE


def _address(function, kind):
    """A pointer to a C function, or None for a function of Python."""
    if isinstance(function, ffi.CData):
        return ffi.cast(kind, function)
    address = getattr(function, "address", function)
    if isinstance(address, int) and not isinstance(address, bool):
        return ffi.cast(kind, address)
    if type(function).__module__ in ("ctypes", "_ctypes") or hasattr(function, "restype"):
        import ctypes
        return ffi.cast(kind, ctypes.cast(function, ctypes.c_void_p).value)
    if not callable(function):
        raise ArgumentError(f"a function is wanted, not {function!r}")
    return None


def _keep(world, *kept):
    world._owner.__dict__.setdefault("calls", []).extend(kept)


def _name(function, name):
    name = getattr(function, "__name__", None) if name is None else name
    if not isinstance(name, str) or not name:
        raise ArgumentError("give name=, for the function has none")
    return name


def _parameter(array, index, name, given, kept):
    said = {"default": given} if not isinstance(given, dict) else dict(given)
    unknown = set(said) - {"default", "minimum", "maximum", "unit", "help"}
    if "default" not in said or unknown:
        raise ArgumentError(f"parameter {name}: a number, or a dict of default, minimum, maximum, "
                            "unit and help")
    for key in ("unit", "help"):
        kept.append(ffi.new("char[]", library.encode(said.get(key, ""), key)))
        setattr(array[index], key, kept[-1])
    kept.append(ffi.new("char[]", library.encode(name, "a parameter")))
    array[index].name = kept[-1]
    array[index].initial = library.real(said["default"], f"parameter {name}")
    array[index].minimum = library.real(said.get("minimum", -1.7e308), f"minimum of {name}")
    array[index].maximum = library.real(said.get("maximum", 1.7e308), f"maximum of {name}")


def add_law(world, function, name, parameters, history, version, help, mobility):
    pointer = world._world
    name = _name(function, name)
    if not isinstance(parameters, dict):
        raise ArgumentError(f"parameters: wants a dict of names and defaults, not {parameters!r:.60}")
    if not isinstance(history, (list, tuple)) or not all(isinstance(each, str) for each in history):
        raise ArgumentError(f"history: wants a list of names, not {history!r:.60}")
    if len(set(history)) < len(history):
        raise ArgumentError(f"history names a number twice: {', '.join(history)}")
    kept = [ffi.new("char[]", library.encode(name, "a name")),
            ffi.new("char[]", library.encode(help, "help")),
            ffi.new("cairn_parameter_def[]", max(1, len(parameters))),
            [ffi.new("char[]", library.encode(each, "a history")) for each in history]]
    definition = ffi.new("cairn_law_def *", lib.cairn_default_law_def())
    definition.name, definition.help, definition.parameters = kept[:3]
    for i, (each, given) in enumerate(parameters.items()):
        _parameter(kept[2], i, each, given, kept)
    names = ffi.new("char *[]", kept[3] or [ffi.NULL])
    definition.history, definition.history_count = names, len(kept[3])
    definition.parameter_count = len(parameters)
    definition.version = library.whole(version, "version", 0, 2**31 - 1)
    definition.mobility = library.truth(mobility, "mobility")
    compiled = _address(function, "cairn_law_function *")
    if compiled is not None:
        definition.function = compiled
        _keep(world, function)
    else:
        call = Call(world, _law_answer(function, tuple(parameters)))
        definition.function, definition.context = lib.cairn_python_law, call.handle
        _keep(world, call)
    world._check(lib.cairn_world_add_law(pointer, definition, world._error))


def _law_answer(function, names):
    def answer(batch):
        given = LawBatch(batch.contacts, batch.contact_size, batch.answer_size, batch.count)
        given.step = batch.step
        given.parameters = {name: batch.parameters[i] for i, name in enumerate(names)}
        width = batch.history_count
        store = None
        if width:
            store = numpy.frombuffer(ffi.buffer(batch.history, 8 * width * batch.count),
                                     numpy.float64).reshape(batch.count, width)
            given.history = store.copy()
        returned = function(given)
        if returned is not None:
            raise ArgumentError(f"a law returns nothing, not {type(returned).__name__}: it sets "
                                "batch.impulse, and what else it wants of LawBatch")
        given._finish(batch.answers)
        if width:
            try:
                store[...] = library.floats(given.history)
            except (TypeError, ValueError, OverflowError) as error:
                raise ArgumentError(f"history: {error}") from None
    return answer


def add_force_field(world, function, name, version):
    pointer = world._world
    text = ffi.new("char[]", library.encode(_name(function, name), "a name"))
    definition = ffi.new("cairn_field_def *", lib.cairn_default_field_def())
    definition.name, definition.version = text, library.whole(version, "version", 0, 2**31 - 1)
    compiled = _address(function, "cairn_field_function *")
    if compiled is not None:
        definition.function = compiled
        _keep(world, function)
    else:
        def answer(batch):
            given = FieldBatch(batch.bodies, batch.body_size, batch.force_size, batch.count)
            given.time, given.step = batch.time, batch.step
            forces = function(given)
            if forces is not None:
                given.force = forces
            given._finish(batch.forces)
        call = Call(world, answer)
        definition.function, definition.context = lib.cairn_python_field, call.handle
        _keep(world, call)
    world._check(lib.cairn_world_add_force_field(pointer, definition, world._error))


@ffi.def_extern()
def cairn_python_law(context, batch):
    call = ffi.from_handle(context)
    if call.run(ffi.NULL, batch) != lib.CAIRN_OK:
        # a law has no way to fail: the step after this one does not begin
        world = call.world()
        if world is not None:
            lib.cairn_world_interrupt(world._pointer)


@ffi.def_extern(error=lib.CAIRN_ERROR_NUMERICAL)
def cairn_python_field(context, batch, error):
    if batch.count == 0:
        return lib.CAIRN_OK
    return ffi.from_handle(context).run(error, batch)
