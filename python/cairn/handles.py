# SPDX-License-Identifier: Apache-2.0
# Handles of one body or joint.
"""One body or joint of a world."""
import functools

import numpy

from . import errors, guard, library
from ._cairn import ffi, lib
from .errors import ArgumentError

__all__ = ["Body", "Joint"]

_KINDS = ("dynamic", "fixed", "moving")


def _three(value, what, size=3):
    try:
        vector = numpy.ascontiguousarray(library.floats(value))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} must be {size} numbers, not {value!r}") from None
    if vector.shape != (size,):
        raise ArgumentError(f"{what} must be {size} numbers, not of shape {vector.shape}")
    return vector


def _pointer(vector):
    return ffi.cast("double *", vector.ctypes.data)


class _Handle:
    __slots__ = ("_owner", "_id")

    def __init__(self, world, identity):
        if not isinstance(world, library.Live):
            raise ArgumentError("bodies and joints are what calls of a World return")
        self._owner = world
        # a copy: what a view holds goes with the view
        self._id = ffi.new(self._id_type, identity)[0]

    @property
    def world(self):
        """The World that it belongs to."""
        return self._owner

    @property
    def id(self):
        """(index, generation): what tells it from all others that the world has had."""
        return self._id.index, self._id.generation

    def __eq__(self, other):
        return type(other) is type(self) and other._owner is self._owner and other.id == self.id

    def __hash__(self):
        return hash((type(self), id(self._owner), self.id))

    def _view(self):
        world = self._owner._world
        view = ffi.new(self._view_type)
        errors.check(self._get(world, self._id, view))
        return view

    def _member(self, name):
        """An array of the view, copied while the view is there."""
        view = self._view()
        return numpy.array(list(getattr(view, name)))


@guard.public
class Body(_Handle):
    """A body: what World.body returns. Every read asks the engine."""
    __slots__ = ()
    _view_type = "cairn_body_view *"
    _id_type = "cairn_body_id *"
    _get = staticmethod(lib.cairn_body_get)

    def _reference(self, world):
        """What names it in a call of the scene language."""
        if world is not self._owner:
            raise errors.StaleError("the body belongs to another world")
        name = self.name
        if name:
            return name
        pointer, index = world._world, self._id.index
        count = lib.cairn_body_count(pointer)
        # without removals a body's place is its index
        for place in (index, *range(count)):
            at = lib.cairn_body_at(pointer, place) if place < count else None
            if at is not None and (at.index, at.generation) == self.id:
                return f"#{place}"
        raise errors.StaleError("the body no longer exists")

    @property
    def name(self):
        """Its name, "" for none."""
        return errors.text_of(self._view().name)

    @property
    def kind(self):
        """"dynamic", "fixed" or "moving"."""
        return _KINDS[self._view().kind]

    @property
    def material(self):
        """The name of its material."""
        view = self._view()
        return errors.text_of(lib.cairn_material_get_name(self._owner._world, view.material))

    @property
    def position(self):
        """m, of the shape's frame; may be set between steps."""
        return self._member("position")

    @position.setter
    def position(self, value):
        self.place(value, self.orientation)

    @property
    def orientation(self):
        """Quaternion (w, x, y, z) of the shape's frame; may be set between steps."""
        return self._member("orientation")

    @orientation.setter
    def orientation(self, value):
        self.place(self.position, value)

    def place(self, position, orientation=(1.0, 0.0, 0.0, 0.0)):
        """Between steps: puts the body somewhere."""
        position = _three(position, "position")
        orientation = _three(orientation, "orientation", 4)
        world = self._owner
        world._check(lib.cairn_body_set_pose(world._world, self._id, _pointer(position),
                                             _pointer(orientation), world._error))

    @property
    def centre(self):
        """m, centre of mass."""
        return self._member("centre")

    @property
    def velocity(self):
        """m/s, of the centre of mass; may be set between steps."""
        return self._member("velocity")

    @velocity.setter
    def velocity(self, value):
        self._set_velocity(_three(value, "velocity"), self._member("angular_velocity"))

    @property
    def angular_velocity(self):
        """rad/s, world axes; may be set between steps."""
        return self._member("angular_velocity")

    @angular_velocity.setter
    def angular_velocity(self, value):
        self._set_velocity(self._member("velocity"), _three(value, "angular_velocity"))

    def _set_velocity(self, velocity, angular):
        world = self._owner
        world._check(lib.cairn_body_set_velocity(world._world, self._id, _pointer(velocity),
                                                 _pointer(angular), world._error))

    def push(self, force, torque=(0.0, 0.0, 0.0)):
        """Force (N) and torque (N m, world axes) in the next steps, until changed."""
        force, torque = _three(force, "force"), _three(torque, "torque")
        world = self._owner
        world._check(lib.cairn_body_set_force(world._world, self._id, _pointer(force),
                                              _pointer(torque), world._error))

    @property
    def mass(self):
        """kg; infinite where the body is not dynamic."""
        return self._view().mass

    @property
    def inertia(self):
        """kg m2, principal moments."""
        return self._member("inertia")

    @property
    def kinetic_energy(self):
        """J."""
        return self._view().kinetic_energy

    @property
    def contact_force(self):
        """N: the sum of the contact forces of the last step, world axes."""
        return self._contact_forces()[0]

    @property
    def contact_torque(self):
        """N m: the torque of the contact forces about the centre of mass."""
        return self._contact_forces()[1]

    def _contact_forces(self):
        both = numpy.empty((2, 3))
        errors.check(lib.cairn_body_get_contact_force(self._owner._world, self._id,
                                                      _pointer(both[0]), _pointer(both[1])))
        return both

    def remove(self):
        """Between steps: removes the body with its joints and connectors."""
        world = self._owner
        world._check(lib.cairn_body_remove(world._world, self._id, world._error))

    def __repr__(self):
        try:
            return f"<cairn.Body {self.name or self.id[0]!r} at {self.position.tolist()}>"
        except errors.Error as error:
            return f"<cairn.Body: {error}>"


@guard.public
class Joint(_Handle):
    """A joint: what World.joint returns. Every read asks the engine."""
    __slots__ = ()
    _view_type = "cairn_joint_view *"
    _id_type = "cairn_joint_id *"
    _get = staticmethod(lib.cairn_joint_get)

    @property
    def name(self):
        """Its name, "" for none."""
        return errors.text_of(self._view().name)

    @property
    def kind(self):
        """"ball", "hinge" ..."""
        return errors.text_of(lib.cairn_joint_kind_name(self._view().kind))

    @property
    def bodies(self):
        """The two Bodies; None stands for the world."""
        view = self._view()
        return tuple(Body(self._owner, each) if each.generation else None
                     for each in (view.a, view.b))

    @property
    def anchor(self):
        """m, on the second body, world axes."""
        return self._member("anchor")

    @property
    def axis(self):
        """Of the first body, world axes."""
        return self._member("axis")

    @property
    def coordinate(self):
        """rad or m; 0 for fixed joints, the length of a rod."""
        return self._view().coordinate

    @property
    def speed(self):
        """rad/s or m/s."""
        return self._view().speed

    @property
    def reaction(self):
        """N on the second body, world axes, mean of the last step."""
        return self._member("force")

    @property
    def reaction_torque(self):
        """N m on the second body about the anchor, world axes, mean of the last step."""
        return self._member("torque")

    @property
    def drive(self):
        """N m or N along the coordinate, constant until it is set anew: the torque of a hinge, the
        force of a slider. May be set between steps."""
        return self._motor().force

    @drive.setter
    def drive(self, value):
        world = self._owner
        world._check(lib.cairn_joint_set_force(world._world, self._id,
                                                library.real(value, "drive"), world._error))

    def _no_force(self, *_):
        raise errors.MissingAttributeError(
            "a joint has no force or torque: reaction and reaction_torque are what it exerts on the "
            "second body, effort is what acts along its coordinate, and drive is the torque or "
            "force along it that may be set")

    force = torque = property(_no_force, _no_force)

    @property
    def effort(self):
        """N m or N along the coordinate: of motor, friction and range."""
        return self._view().effort

    @property
    def error(self):
        """m or rad, the largest violation now."""
        return self._view().error

    def _motor(self):
        view = ffi.new("cairn_motor_view *")
        errors.check(lib.cairn_joint_get_motor(self._owner._world, self._id, view))
        return view

    @property
    def motor(self):
        """Between steps, called: joint.motor(velocity=, limit=, position=, stiffness=, damping=)
        drives at a velocity (rad/s or m/s), or towards a position (rad or m) where the joint was
        made with one, with the gains that it had or with others; joint.motor() switches it off.
        limit is the most that it gives, N m or N."""
        return functools.partial(_set_motor, self)

    @motor.setter
    def motor(self, value):
        raise ArgumentError("joint.motor is called: joint.motor(velocity=1.0, limit=5.0), or "
                            "joint.motor(position=0.5, stiffness=100.0, damping=5.0)")

    def _set_motor(self, velocity=None, limit=None, position=None, stiffness=None, damping=None, **others):
        for name in others:
            raise ArgumentError(f'a motor has no "{name}"; it has velocity, limit, position, '
                                "stiffness and damping, and joint.drive is a torque or force")
        world, now = self._owner, self._motor()
        set_to = {"position": position, "stiffness": stiffness, "damping": damping}
        follows = any(value is not None for value in set_to.values())
        set_to = {name: library.real(getattr(now, name) if value is None else value, name)
                  for name, value in set_to.items()}
        on = follows or velocity is not None
        if velocity is None:
            velocity = now.velocity if follows else 0.0
        if limit is None:
            limit = now.limit if follows else float("inf")
        velocity, limit = library.real(velocity, "velocity"), library.real(limit, "limit")
        if follows:
            world._check(lib.cairn_joint_set_motor_gains(
                world._world, self._id, set_to["stiffness"], set_to["damping"], world._error))
            world._check(lib.cairn_joint_set_motor_position(
                world._world, self._id, set_to["position"], world._error))
        world._check(lib.cairn_joint_set_motor(world._world, self._id, on, velocity, limit,
                                               world._error))

    def remove(self):
        """Between steps: removes the joint."""
        world = self._owner
        world._check(lib.cairn_joint_remove(world._world, self._id, world._error))

    def __repr__(self):
        try:
            return f"<cairn.Joint {self.name or self.id[0]!r}, {self.kind}>"
        except errors.Error as error:
            return f"<cairn.Joint: {error}>"


_set_motor = guard.checked(Joint._set_motor, "joint.motor")
