# SPDX-License-Identifier: Apache-2.0
# The package: worlds, shapes, problems, runs.
"""Rigid bodies in contact.

    import cairn
    world = cairn.load("kapla_tower", rings=6)
    world.step(100)
    print(world.time, world.bodies.position.max(axis=0))

Units are SI; vectors are in world axes; quaternions are (w, x, y, z). docs/python.md is the guide.
"""
from . import errors, guard
from ._cairn import ffi, lib
from .columns import COLUMNS, Table
from .errors import *
from .language import SHAPES, VALUES, Expression, constructor as _constructor
from .extension import FieldBatch, LawBatch
from .handles import Body, Joint
from .packing import Packing, read_packing
from .page import to_html
from .picture import Film, film, render
from .problem import Problem, Report, check, project, read_fclib, solve, write_fclib
from .run import Run, Trajectory
from .world import World, load

_DOCS = {
    "sphere": "A ball: sphere(radius=m).",
    "box": "A box: box(size=(x, y, z)), edge lengths in m.",
    "capsule": "A cylinder along z with round ends: capsule(radius=m, length=m), without the ends.",
    "cylinder": "A cylinder along z: cylinder(radius=m, length=m).",
    "polyhedron": "The convex hull of points (n, 3) in m, or of the vertices of an OBJ or STL file.",
    "mesh": "A surface of two sides, open or closed: mesh(vertices=(n, 3), triangles=(m, 3)),\n"
            "counted from 0; or mesh(file=, scale=). With solid=True a body with an inside, which\n"
            "must be closed.",
    "compound": "A rigid union: compound({'shape': ..., 'position': ...}, ...).",
    "plane": "Everything below z = 0 of its frame. For fixed and moving bodies.",
    "sizes": "A distribution of sizes for emitters: sizes('normal', mean=, deviation=) and others.",
    "table": "A column of a file as a function of time, for loads, gravity, motions and motors:\n"
             "table('quake.csv', 'ax', scale=0.5).",
    "table_from_csv": "A function of time from a table, for motors and motions:\n"
                      "table_from_csv(file=, time=, value=).",
}
for _name in VALUES:
    globals()[_name] = _constructor(_name, _DOCS.get(_name, f"The shape {_name}{{}} of scenes."))
__version__ = ffi.string(lib.cairn_version()).decode()


@guard.function
def version():
    """The version of the library that runs."""
    return __version__


@guard.function
def plugins(kind):
    """The laws, solvers or one-contact solvers that there are.

    kind: "laws", "solvers" or "locals"
    Returns {name: {"help": ..., "settings": {name: {"type", "unit", "help", "minimum", "maximum",
    "default", "choices"}}}}.
    """
    from .library import value_of
    kinds = {"laws": lib.CAIRN_LAW, "solvers": lib.CAIRN_SOLVER, "locals": lib.CAIRN_LOCAL}
    if not isinstance(kind, str) or kind not in kinds:
        raise errors.ArgumentError(f'plugins are "laws", "solvers" or "locals", not {kind!r}')
    found = {}
    for i in range(lib.cairn_plugin_count(kinds[kind])):
        plugin = lib.cairn_plugin_get(kinds[kind], i)
        settings = {}
        for k in range(plugin.setting_count):
            is_ = lib.cairn_plugin_get_setting(kinds[kind], i, k)
            choices = []
            while is_.choices and is_.choices[len(choices)]:
                choices.append(errors.text_of(is_.choices[len(choices)]))
            settings[errors.text_of(is_.name)] = {
                "type": errors.text_of(is_.type), "unit": errors.text_of(is_.unit),
                "help": errors.text_of(is_.help), "minimum": is_.minimum, "maximum": is_.maximum,
                "default": value_of(is_.initial), "choices": choices}
        found[errors.text_of(plugin.name)] = {
            "kind": errors.text_of(plugin.kind), "help": errors.text_of(plugin.help),
            "settings": settings}
    return found
