# SPDX-License-Identifier: Apache-2.0
# Motions of bodies and motors of joints as functions of Python.
"""Functions of the time that the engine asks in its steps."""
import math
import re
import weakref

import numpy

from . import errors, library
from ._cairn import ffi, lib
from .errors import ArgumentError
from .handles import Body, _three

_SIZES = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
_GIVEN = {name: getattr(lib, "CAIRN_MOTION_" + name.upper()) for name in _SIZES}


def _values(function, time, size, what):
    found, numbers = function(time), f"{size} numbers" if size > 1 else "a number"
    try:
        value = library.floats(found)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} must give {numbers}, not {found!r:.60}") from None
    if value.shape != (size,) and not (size == 1 and value.shape == ()):
        raise ArgumentError(f"{what} must give {numbers}, not {found!r:.60}")
    if not numpy.isfinite(value).all():
        raise ArgumentError(f"{what} gave {value.tolist()} at t = {time:.9g} s")
    return value.reshape(size)


def _turn(axis, angle):
    """The function that gives the quaternion of a rotation by angle(t) degrees about an axis."""
    axis = _three(axis, "rotation: axis")
    if not 0.0 < numpy.linalg.norm(axis) < math.inf:
        raise ArgumentError(f"rotation: axis must be three numbers, not all zero, not {axis!r}")
    axis = axis / numpy.linalg.norm(axis)

    def orientation(time):
        half = 0.5 * math.radians(_values(angle, time, 1, "rotation: angle")[0])
        return (math.cos(half), *(math.sin(half) * axis))
    return orientation


class Call:
    """What a callback's context points to: the world whose step it is, and the function."""

    def __init__(self, world, answer):
        self.world = weakref.ref(world)
        self.answer = answer
        self.handle = ffi.new_handle(self)

    def run(self, error, *arguments):
        """Answers; an exception is kept for the step to raise."""
        try:
            self.answer(*arguments)
        except BaseException as failure:  # whatever it is, it must not pass through the engine
            world = self.world()
            if world is not None and world._failure is None:
                world._failure = failure
            if error != ffi.NULL:
                said = str(failure).encode("utf-8", "replace")[:lib.CAIRN_MESSAGE_SIZE - 1]
                error.status = lib.CAIRN_ERROR_NUMERICAL
                ffi.memmove(error.message, said + b"\0", len(said) + 1)
            return lib.CAIRN_ERROR_NUMERICAL
        return lib.CAIRN_OK


@ffi.def_extern(error=lib.CAIRN_ERROR_NUMERICAL)
def cairn_python_motion(context, time, motion, error):
    return ffi.from_handle(context).run(error, time, motion)


@ffi.def_extern(error=lib.CAIRN_ERROR_NUMERICAL)
def cairn_python_load(context, time, force, torque, error):
    return ffi.from_handle(context).run(error, time, force, torque)


@ffi.def_extern(error=lib.CAIRN_ERROR_NUMERICAL)
def cairn_python_motor(context, time, value, error):
    return ffi.from_handle(context).run(error, time, value)


class Motions:
    """The functions of one world, kept as long as it is."""

    def __init__(self, world):
        self.world = weakref.ref(world)
        self.calls = []

    def _keep(self, answer):
        call = Call(self.world(), answer)
        # the engine keeps the context as long as the memory of the world
        self.calls.append(call)
        self.world()._owner.__dict__.setdefault("calls", []).append(call)
        return call.handle

    def body(self, given):
        """The Body of a Body, of a name, or of "#12"."""
        world = self.world()
        if not isinstance(given, Body):
            if not isinstance(given, str):
                raise ArgumentError(f"a body is given by its name or as a Body, not as {given!r:.60}")
            try:
                return world.find(given)
            except errors.NotFoundError:
                if not re.fullmatch(r"#[0-9]+", given):
                    raise
                return world.bodies[int(given[1:])]
        if given.world is not world:
            raise errors.StaleError("the body belongs to another world")
        return given

    def prescribe(self, body, functions):
        world = self.world()
        body = self.body(body)
        if body.kind != "moving":
            raise ArgumentError(f'motion: body "{body.name or body.id[0]}" is {body.kind}: give it kind="moving"')
        rotation = functions.pop("rotation", None)
        if rotation is not None:
            if not (isinstance(rotation, dict) and set(rotation) == {"axis", "angle"}
                    and callable(rotation["angle"])):
                raise ArgumentError("motion: rotation is a dict of axis and angle, a function of "
                                    "the time in degrees")
            functions["orientation"] = _turn(rotation["axis"], rotation["angle"])
        for name, function in functions.items():
            if name not in _SIZES:
                raise ArgumentError(f'motion: unknown key "{name}"; there are '
                                    f'{", ".join([*_SIZES, "rotation"])}')
            if not callable(function):
                raise ArgumentError(f"motion: {name} must be a function of the time")
        if not functions:
            raise ArgumentError("motion: give position, orientation, rotation, velocity or "
                                "angular_velocity")

        def answer(time, motion):
            motion.given = sum(_GIVEN[name] for name in functions)
            for name, function in functions.items():
                values = _values(function, time, _SIZES[name], f"motion: {name}")
                ffi.memmove(getattr(motion, name), ffi.from_buffer(values), values.nbytes)

        world._guarded(lib.cairn_body_set_motion, body._id, lib.cairn_python_motion,
                       self._keep(answer))

    @staticmethod
    def parts(value):
        """What a force or torque is made of: itself, or its three components."""
        return value if isinstance(value, (list, tuple)) else [value]

    def load(self, arguments, keys):
        unknown = set(keys) - {"body", "bodies", "force", "torque"}
        if arguments or unknown or ("body" in keys) == ("bodies" in keys):
            raise ArgumentError("load: give body=, or bodies=[...], with force= or torque=, and nothing else")
        world, sources = self.world(), {}
        for name in ("force", "torque"):
            value = keys.get(name, (0.0, 0.0, 0.0))
            if callable(value):
                sources[name] = value
                continue
            given = self.parts(value)
            if not any(callable(each) for each in given):
                given = library.vector(value, 3, f"load: {name}")
            if len(given) != 3:
                raise ArgumentError(f"load: {name} must be three numbers or functions of the time, not {len(given)}")
            sources[name] = [each if callable(each) else library.real(each, f"load: {name}") for each in given]

        def answer(time, force, torque):
            for (name, source), target in zip(sources.items(), (force, torque)):
                target[0:3] = list(_values(source, time, 3, f"load: {name}") if callable(source) else [
                    _values(each, time, 1, f"load: {name}")[0] if callable(each) else each for each in source])

        bodies = [keys["body"]] if "body" in keys else keys["bodies"]
        if not isinstance(bodies, (list, tuple)) or not bodies:
            raise ArgumentError("load: bodies must be a list of names or Bodies")
        for body in [self.body(each) for each in bodies]:
            if body.kind != "dynamic":
                raise ArgumentError(f'load: body "{body.name or body.id[0]}" is {body.kind}: a load does nothing to it')
            world._guarded(lib.cairn_body_set_load, body._id, lib.cairn_python_load, self._keep(answer))

    @staticmethod
    def of_joint(keys):
        """The keys without the function of its motor, and that function or None."""
        motor = keys.get("motor")
        if not isinstance(motor, dict):
            return keys, None
        for name in ("position", "velocity"):
            if callable(motor.get(name)):
                return {**keys, "motor": {**motor, name: 0.0}}, motor[name]
        return keys, None

    def drive(self, joint, function):
        world = self.world()

        def answer(time, value):
            value[0] = _values(function, time, 1, "motor")[0]

        world._guarded(lib.cairn_joint_set_motor_function, joint, lib.cairn_python_motor,
                       self._keep(answer))
