# SPDX-License-Identifier: Apache-2.0
# Where all bodies of a world are: rays and boxes.
"""Pictures of where bodies are, for rays and boxes."""
import math

import numpy

from . import guard, library
from ._cairn import ffi, lib
from .errors import ArgumentError
from .handles import Body

__all__ = ["Query"]


def _collision(definition, groups, mask):
    definition.collision.groups = library.whole(groups, "groups", 0, 2**32 - 1)
    definition.collision.mask = library.whole(mask, "mask", 0, 2**32 - 1)


@guard.public
class Query(library.Live):
    """Where all bodies of a world were when World.query made it, or when it was last updated.

    Bodies that were removed since are left out, those that were made since are not in it.
    groups, mask: bits; a body is seen where it has a group in `mask` and its mask has one of
    `groups`
    """

    def __init__(self, world):
        if not isinstance(world, library.Live):
            raise ArgumentError("a query is what world.query() returns")
        made = ffi.new("cairn_query **")
        world._check(lib.cairn_query_create(world._world, made, world._error))
        self._world = world
        self._pointer = world._owner.keep(made[0], lib.cairn_query_destroy)

    def update(self):
        """Looks at the world as it is now."""
        world = self._world
        world._check(lib.cairn_query_update(self._asked(), world._error))

    def _asked(self):
        self._world._world  # a world that is closed says so
        return self._pointer

    def _ray(self, origin, direction, length, groups, mask):
        definition = ffi.new("cairn_ray_def *", lib.cairn_default_ray_def())
        definition.origin = library.vector(origin, 3, "origin")
        definition.direction = library.vector(direction, 3, "direction")
        definition.length = library.real(length, "length")
        _collision(definition, groups, mask)
        return definition

    def _hit(self, hit):
        return {"body": Body(self._world, hit.body), "member": hit.member,
                "distance": hit.distance, "point": numpy.array(list(hit.point)),
                "normal": numpy.array(list(hit.normal))}

    def nearest(self, origin, direction, length=math.inf, groups=1, mask=0xffffffff):
        """The first body that a ray meets: a dictionary with body, member, distance (m), point and
        normal; None where it meets none."""
        world, hit = self._world, ffi.new("cairn_ray_hit *")
        ray = self._ray(origin, direction, length, groups, mask)
        status = lib.cairn_query_ray_nearest(self._asked(), ray, hit, world._error)
        if status == lib.CAIRN_ERROR_NOT_FOUND:
            return None
        world._check(status)
        return self._hit(hit)

    def ray(self, origin, direction, length=math.inf, groups=1, mask=0xffffffff):
        """All bodies that a ray meets, nearest first, as `nearest` gives one."""
        world, found = self._world, ffi.new("int *")
        room = max(1, lib.cairn_query_body_count(self._asked()))
        hits = ffi.new("cairn_ray_hit[]", room)
        ray = self._ray(origin, direction, length, groups, mask)
        world._check(lib.cairn_query_ray_all(self._pointer, ray, hits, room, found, world._error))
        return [self._hit(hits[i]) for i in range(found[0])]

    def box(self, centre, size, orientation=(1.0, 0.0, 0.0, 0.0), groups=1, mask=0xffffffff):
        """The bodies that touch a box or lie in it; size: its three edge lengths in m."""
        world, found = self._world, ffi.new("int *")
        room = max(1, lib.cairn_query_body_count(self._asked()))
        bodies = ffi.new("cairn_body_id[]", room)
        definition = ffi.new("cairn_box_def *", lib.cairn_default_box_def())
        definition.centre = library.vector(centre, 3, "centre")
        definition.half_size = [0.5 * each for each in library.vector(size, 3, "size")]
        definition.orientation = library.vector(orientation, 4, "orientation")
        _collision(definition, groups, mask)
        world._check(lib.cairn_query_box(self._pointer, definition, bodies, room, found,
                                         world._error))
        return [Body(world, bodies[i]) for i in range(found[0])]
