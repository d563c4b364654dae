# SPDX-License-Identifier: Apache-2.0
# Worlds: loaded from scene files or built call by call, stepped, run and read.
"""Worlds, bodies and joints."""
import collections.abc
import contextlib
import keyword
import math
import os
import threading

import numpy

from . import errors, extension, guard, library, problem
from ._cairn import ffi, lib
from .columns import Table
from .errors import ArgumentError, StateError
from .handles import Body, Joint
from .language import VALUES, Expression, Writer
from .motion import Motions
from .query import Query
from .watch import Watched

__all__ = ["World", "load"]

_PHASES = [errors.text_of(lib.cairn_phase_name(i)) for i in range(lib.CAIRN_PHASE_COUNT)]


@guard.function
def load(path, *, law=None, solver=None, local=None, tolerance=None, step=None, until=None,
         threads=None, seed=None, simulation=None, solver_settings=None, local_settings=None,
         parameters=None, **more):
    """Loads a scene file, or a built-in scene by its name, and returns its World.

    parameters:       {name: value} of the scene's param() calls, as `--set` gives them; other
                      keyword arguments are parameters, too
    law, solver, local, tolerance, step (s, or "auto"), until (s), threads, seed: in place of the
                      scene's, as the options of `cairn run`
    simulation:       {key: value} of simulation{}; solver_settings, local_settings likewise
    Raises SceneError with "file:line: what is wrong", FileError, ArgumentError.
    """
    given = {name: value for name, value in (
        ("law", law), ("solver", solver), ("local", local), ("tolerance", tolerance),
        ("step", step), ("until", until), ("threads", threads), ("seed", seed),
        ("simulation", simulation), ("solver_settings", solver_settings),
        ("local_settings", local_settings)) if value is not None}
    named = {} if parameters is None else parameters
    if not isinstance(named, collections.abc.Mapping):
        raise ArgumentError(f"parameters: wants a dict of names and values, not {named!r}")
    twice = [name for name in more if name in named]
    if twice:
        raise ArgumentError(f"the parameter {twice[0]} is given twice")
    auto = isinstance(step, str) and step == "auto"
    step = None if auto else step
    try:
        world = _load(path, law, solver, local, tolerance, step, until, threads, seed, simulation,
                      solver_settings, local_settings, {**named, **more})
    except errors.Error as error:
        clash = [name for name, value in given.items() if name not in named
                 and isinstance(value, (str, int, float)) and str(value) in str(error)]
        if clash:
            error.args = (f"{error.args[0]} ({clash[0]} is an argument of cairn.load here: a "
                          f"parameter of that name is given by parameters={{{clash[0]!r}: ...}})",)
        raise
    for name in (*given, *(["parameters"] if parameters is not None else [])):
        if name in world.parameters and name not in named:
            raise ArgumentError(
                f"the scene has a parameter {name}, and cairn.load an argument of that name: write "
                f"parameters={{{name!r}: ...}} for the parameter, with {name}= beside it where both "
                "are meant")
    limit = world.step_limit
    if auto and math.isfinite(limit["accurate"]):
        world.time_step = limit["accurate"]
    elif auto:
        errors.warn('step="auto": no contact of an explicit law limits the step; it stays '
                    f"{world.time_step:.3g} s")
    world._overlaps_known = True
    return world


def _load(path, law, solver, local, tolerance, step, until, threads, seed, simulation,
          solver_settings, local_settings, parameters):
    owner = library.Owner()
    kept = []

    def text(word, what):
        if word is None:
            return ffi.NULL
        kept.append(ffi.new("char[]", library.encode(word, what)))
        return kept[-1]

    members = {"law": text(law, "law"), "solver": text(solver, "solver"),
               "local": text(local, "local")}
    for name, values in (("parameter", parameters), ("simulation", simulation or {}),
                         ("solver_setting", solver_settings or {}),
                         ("local_setting", local_settings or {})):
        array, count, texts = library.settings(values, name.replace("_", " "))
        kept += [array, texts]
        members[name if name == "simulation" else name + "s"] = array
        members[name + "_count"] = count
    for name, key, value in (("tolerance", "tolerance", tolerance), ("step", "time_step", step),
                             ("until", "end_time", until)):
        if value is not None:
            members[key] = library.real(value, name)
    for name, value, least, most in (("threads", threads, 1, 256), ("seed", seed, 0, 2**31 - 1)):
        if value is not None:
            members[name] = library.whole(value, name, least, most)
    owner.open(lib.cairn_scene_load, library.encode(library.scene_path(path), "the path"),
               owner.definition(**members))
    return World._of(owner)


@guard.public
class Snapshot(library.Live):
    """A state of a world, made by World.snapshot; time is its time in s."""

    def __init__(self, time, pointer, owner):
        self.time = time
        self._pointer = pointer
        # the world is there as long as its states are
        self._owner = owner


@guard.public
class World(Watched, library.Live):
    """Bodies, joints and contacts that move together.

        world = cairn.World(step=1/200, gravity=(0, 0, -9.81))
        world.material(name="wood", density=700)
        world.pair(friction=0.4)
        world.ground()
        brick = world.body(shape=cairn.box(size=(0.2, 0.1, 0.05)), position=(0, 0, 1))
        world.run(until=2.0)

    Every call of the scene language is a method with the language's keys as keyword arguments
    (docs/scene_language.md); positional arguments are the places of its table. The loader checks
    them as those of a scene file, and SceneError says what is wrong.

    simulation: the keys of simulation{}, and gravity=(x, y, z)
    """

    # a misspelt name is refused
    __slots__ = ("_owner", "_text", "_names", "_writer", "_busy", "_failure", "_asked", "_error",
                 "_done", "_pointer", "_motions", "_warnings", "_watch", "_watched", "_changed",
                 "_step_known", "_overlaps_known", "_stopped", "__weakref__")
    _instead = ": scene_text builds it again, and save() keeps its state"

    def __init__(self, *, gravity=None, **simulation):
        owner = library.Owner()
        owner.open(lib.cairn_scene_open, b"world", owner.definition())
        self._begin(owner)
        if simulation:
            self._run_call("simulation", (), simulation)
        if gravity is not None:
            self._run_call("gravity", tuple(library.vector(gravity, 3, "gravity")), {})

    @classmethod
    def _of(cls, owner):
        world = cls.__new__(cls)
        world._begin(owner)
        world._text.append(world._info().text and errors.text_of(world._info().text))
        return world

    def _begin(self, owner):
        self._owner = owner
        self._text = []
        self._names = {}
        self._writer = Writer(self._name_of)
        self._busy = None
        self._failure = None
        self._asked = False
        self._error = ffi.new("cairn_error *")
        self._done = ffi.new("int64_t *")
        self._pointer = ffi.NULL
        self._motions = Motions(self)
        self._warnings = owner.warnings
        self._watch = ffi.new("cairn_python_watch *")
        self._watched = self._watch
        self._changed = True  # since steps were looked at
        self._step_known = self._overlaps_known = False
        self._stopped = None

    # ------------------------------------------------------------ life

    def close(self):
        """Lets the world go. Arrays that look into it keep its memory until they are gone."""
        self._free()
        self._owner = None
        self._pointer = ffi.NULL

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._owner is not None:
            self.close()

    def _free(self):
        """The owner, where no step runs now."""
        if self._owner is None:
            raise StateError("the world is closed")
        if self._busy is not None:
            here = self._busy == threading.get_ident()
            raise StateError("the world is in a step: a function that the step calls cannot use it"
                             if here else "the world is in a step of another thread")
        return self._owner

    @property
    def _world(self):
        """The engine's world, made at its first use."""
        if self._pointer != ffi.NULL and self._busy is None:
            return self._pointer
        owner = self._free()
        world = ffi.new("cairn_world **")
        self._check(lib.cairn_scene_get_world(owner.scene, world, self._error))
        self._pointer = world[0]
        return self._pointer

    def _check(self, status):
        if self._warnings and self._owner is not None:
            self._owner.tell()
        if status != lib.CAIRN_OK:
            raise errors.error_of(status, self._error)

    def _info(self):
        return lib.cairn_scene_get_info(self._free().scene)

    # ------------------------------------------------------------ building

    def _name_of(self, value):
        if isinstance(value, Expression):
            return self._expression(value)
        if isinstance(value, Body):
            return self._writer.value(value._reference(self), "a body")
        if isinstance(value, Joint):
            return self._writer.value(value.name, "a joint")
        return None

    def _expression(self, value):
        """The global that holds a shape, made at its first use."""
        known = self._names.get(id(value))
        if known is None:
            written = self._writer.call(value.call, value.arguments, value.keys)
            known = (f"value_{len(self._names) + 1}", value)
            self._add(f"{known[0]} = {written}")
            # the value is kept, for its id would serve another one
            self._names[id(value)] = known
        return known[0]

    def _add(self, text):
        owner = self._free()
        status = lib.cairn_scene_add(owner.scene, library.encode(text, "a call"), self._error)
        if status != lib.CAIRN_OK:
            made = errors.error_of(status, self._error)
            message = made.args[0].removeprefix("world:1: ")
            raise type(made)(message)
        self._text.append(text)
        self._changed = True
        if self._warnings:
            owner.tell()

    def _run_call(self, call, arguments, keys):
        self._add(self._writer.call(call, arguments, keys))

    def body(self, *arguments, **keys):
        """Adds a body, with the keys of body{}, and returns it as a Body."""
        self._run_call("body", arguments, keys)
        return self._last_body()

    def ground(self, *arguments, **keys):
        """Adds a fixed plane at z = height, with the keys of ground{}, and returns it as a Body."""
        self._run_call("ground", arguments, keys)
        return self._last_body()

    def _last_body(self):
        world = self._world
        return Body(self, lib.cairn_body_at(world, lib.cairn_body_count(world) - 1))

    def joint(self, *arguments, **keys):
        """Adds a joint, with the keys of joint{}, and returns it as a Joint.

        bodies may be names or Bodies; the velocity or position of a motor may be a function of the
        time in s.
        """
        keys, function = self._motions.of_joint(keys)
        self._run_call("joint", arguments, keys)
        world = self._world
        joint = Joint(self, lib.cairn_joint_at(world, lib.cairn_joint_count(world) - 1))
        if function is not None:
            self._motions.drive(joint._id, function)
        return joint

    def motion(self, *, body, **functions):
        """Prescribes the motion of a moving body: position, orientation, rotation={axis, angle},
        velocity or angular_velocity as functions of the time in s.

        The same time must give the same values. An exception ends the step and is raised from it.
        """
        if any(isinstance(each, Expression) for each in functions.values()):
            self._run_call("motion", (), {"body": body, **functions})
        else:
            self._motions.prescribe(body, functions)

    def load(self, *arguments, **keys):
        """A force (N) or torque (N m) on a body, or on each of some bodies, with the keys of load{}:
        numbers, or functions of the time in s, of which one may give all three numbers."""
        if any(callable(each) for name in ("force", "torque") for each in self._motions.parts(keys.get(name))):
            self._motions.load(arguments, keys)
        else:
            self._run_call("load", arguments, keys)

    def title(self, text):
        """A line for reports and files."""
        self._add(f"title({self._writer.value(text, 'title')})")

    def lua(self, text):
        """Runs a piece of the scene language in this world, as if a scene file went on with it."""
        self._add(text)

    @property
    def scene_text(self):
        """The program of the world so far: a scene file that builds it again.

        Functions of Python, changes made to bodies and what was removed are not in it.
        """
        return "\n".join(part for part in self._text if part) + "\n"

    # ------------------------------------------------------------ what there is

    def find(self, name):
        """The body of a name; NotFoundError where there is none."""
        found = lib.cairn_body_find(self._world, library.encode(name, "a name"))
        if found.generation == 0:
            raise errors.NotFoundError(f'there is no body named "{name}"')
        return Body(self, found)

    def find_joint(self, name):
        """The joint of a name; NotFoundError where there is none."""
        found = lib.cairn_joint_find(self._world, library.encode(name, "a name"))
        if found.generation == 0:
            raise errors.NotFoundError(f'there is no joint named "{name}"')
        return Joint(self, found)

    @property
    def bodies(self):
        """The bodies as a Table: world.bodies.velocity, world.bodies[0], len(world.bodies)."""
        return Table(self, "bodies",
                     lambda world, i: Body(world, lib.cairn_body_at(world._world, i)))

    @property
    def joints(self):
        """The joints as a Table."""
        return Table(self, "joints",
                     lambda world, i: Joint(world, lib.cairn_joint_at(world._world, i)))

    @property
    def contacts(self):
        """The contacts of the last step as a Table: gap, normal, point, force, status ...

        Columns are copies, for contacts move from step to step; view() shows them in place.
        """
        return Table(self, "contacts")

    @property
    def connectors(self):
        """The connectors as a Table."""
        return Table(self, "connectors")

    @property
    def parameters(self):
        """What the scene declared with param(): {name: value}."""
        parameter = ffi.new("cairn_scene_parameter *")
        found = {}
        for i in range(self._info().parameters):
            errors.check(lib.cairn_scene_get_parameter(self._owner.scene, i, parameter))
            found[errors.text_of(parameter.name)] = library.value_of(parameter.value)
        return found

    @property
    def sensors(self):
        """What the scene's sensors read now: {name: number, or array of its columns}."""
        sensor = ffi.new("cairn_scene_sensor *")
        value = numpy.empty(lib.CAIRN_SENSOR_COLUMNS_MAX)
        found = {}
        self._world
        for i in range(self._info().sensors):
            errors.check(lib.cairn_scene_get_sensor(self._owner.scene, i, sensor))
            errors.check(lib.cairn_scene_read_sensor(
                self._owner.scene, i, ffi.cast("double *", value.ctypes.data)))
            columns = sensor.columns
            found[errors.text_of(sensor.name)] = (float(value[0]) if columns == 1
                                                  else value[:columns].copy())
        return found

    @property
    def name(self):
        """The scene's name, "world" for one that is built in Python."""
        return errors.text_of(self._info().name)

    @property
    def end_time(self):
        """The time at which the scene ends, s."""
        return self._info().end_time

    # ------------------------------------------------------------ time

    @property
    def time(self):
        """Simulated time, s."""
        return lib.cairn_world_get_time(self._world)

    @property
    def step_count(self):
        """Steps made."""
        return lib.cairn_world_get_step_count(self._world)

    @property
    def time_step(self):
        """The time step, s; may be set between steps."""
        return lib.cairn_world_get_def(self._world).time_step

    @time_step.setter
    def time_step(self, value):
        self._check(lib.cairn_world_set_time_step(self._world, library.real(value, "step"),
                                                  self._error))
        self._changed, self._step_known = True, False

    def step(self, count=1):
        """Makes `count` time steps. Other threads of Python run meanwhile.

        Ctrl-C ends the step that is going on; the world stays at the last whole step, and can go on
        from there with the same bits.
        """
        self._make_steps(count, False)

    def _make_steps(self, count, stops):
        world = self._pointer
        if world == _NULL or self._busy is not None:
            world = self._world
        here = _ident()
        count = 1 if type(count) is int and count == 1 else _count(count)
        if self._changed and self._watched != _NULL:
            self._look_at_start(count)
        _set_busy(self, here)
        try:
            status = _steps(world, count, here == _MAIN, stops, self._watched, self._done, self._error)
        finally:
            _set_busy(self, None)
        if status or self._failure is not None or self._warnings:
            self._fail(status)

    def _guarded(self, function, *arguments):
        """A call of the engine that may call functions of Python, which must not use the world."""
        world = self._world
        self._busy = _ident()
        try:
            status = function(world, *arguments, self._error)
        finally:
            self._busy = None
        if status:
            self._fail(status)

    def _fail(self, status):
        """Raises what a function of Python raised in the step, or else what the engine says."""
        failure, self._failure = self._failure, None
        if failure is not None:
            # a law that fails asks for the end of the steps, which may have come without it
            if lib.cairn_world_take_interrupt(self._pointer) and self._asked:
                lib.cairn_world_interrupt(self._pointer)
            raise failure
        asked, self._asked = self._asked, False
        if status == lib.CAIRN_INTERRUPTED and not asked:
            # Python's own handler has been told, and raises as soon as it may
            raise KeyboardInterrupt
        self._check(status)

    def interrupt(self):
        """From any thread: ends the step that another thread makes in this world, or the next one,
        which raises Interrupted there. The world stays at the last whole step."""
        if self._owner is None:
            raise StateError("the world is closed")
        if self._pointer == ffi.NULL and self._busy is None:
            self._world
        self._asked = True
        lib.cairn_world_interrupt(self._pointer)

    def snapshot(self):
        """What the world is now, in memory: `revert` goes back to it as often as one likes."""
        made = ffi.new("cairn_snapshot **")
        self._check(lib.cairn_world_snapshot(self._world, made, self._error))
        owner = self._owner
        return Snapshot(self.time, owner.keep(made[0], lib.cairn_snapshot_destroy), owner)

    def revert(self, snapshot):
        """Goes back to a snapshot of this world: later steps have the same bits as they had."""
        if not isinstance(snapshot, Snapshot):
            raise ArgumentError(f"a snapshot is wanted, not {type(snapshot).__name__}")
        self._watch.begun = False
        self._guarded(lib.cairn_world_revert, snapshot._pointer)
        # shapes that were made since are made anew where they are used again
        self._names.clear()

    def query(self):
        """A Query: where all bodies are now, for rays and boxes."""
        return Query(self)

    def run(self, until=None, observers=(), every=1, progress=False, stop=None):
        """Steps to a time, and returns the world.

        stop{} of the scene ends the run as it ends `cairn run`, and `stopped` says which one did.
        A world that one has stopped goes on to the time when it is run again.

        until:      s of simulated time; None: the scene's end_time
        observers:  functions that are given the world after every `every` steps; one that returns
                    True ends the run. The world is at rest then and may be read and changed.
        progress:   True shows how far the run is, in a notebook or a terminal
        stop:       {name: function}, or a function: conditions beside those of the scene, each a
                    function of the world that returns True or False. They are asked after every
                    `every` steps, and the first that holds ends the run.
        """
        until = self.end_time if until is None else library.real(until, "until")
        if not math.isfinite(until):
            raise ArgumentError(f"until must be a time in s, not {until}")
        try:
            chunk = 0 if isinstance(every, bool) or int(every) != every else int(every)
        except (TypeError, ValueError, OverflowError):
            chunk = 0
        if chunk < 1:
            raise ArgumentError(f"every must be a whole number of steps, at least 1, not {every!r}")
        observers = (observers,) if callable(observers) else () if observers is None else observers
        if not isinstance(observers, (list, tuple)):
            raise ArgumentError(f"observers must be functions of the world, not {observers!r}")
        for each in observers:
            if not callable(each):
                raise ArgumentError(f"an observer must be a function of the world, not {each!r}")
        conditions = {"stop": stop} if callable(stop) else {} if stop is None else stop
        if not isinstance(conditions, dict):
            raise ArgumentError(f"stop must be a function of the world, or a dict of them, not {stop!r}")
        for name, each in conditions.items():
            if not callable(each):
                raise ArgumentError(f"stop {name!r} must be a function of the world, not {each!r}")
        # a step that would only make up for round-off is left out, as `cairn run` does
        target = self.step_count + math.ceil((until - self.time) / self.time_step - 1e-6)
        if self.step_count == 0:
            target = math.ceil(until / self.time_step - 1e-6)
        begin = self.step_count
        if not observers and not progress and not conditions:
            chunk = max(1, target - begin)
        with _progress(progress, self.name) as show:
            self._stopped, stops = None, self._event_that_stops() is None
            while self.step_count < target and self._stopped is None:
                self._make_steps(min(chunk, target - self.step_count), stops)
                show((self.step_count - begin) / (target - begin))
                ended = any([observer(self) is True for observer in observers])
                self._stopped = ((self._event_that_stops() if stops else None)
                                 or self._condition_that_holds(conditions))
                if ended:
                    break
        self._tell_of_run()
        return self

    def _event_that_stops(self):
        name = lib.cairn_world_get_stop(self._world)
        return None if name == ffi.NULL else errors.text_of(name)

    def _condition_that_holds(self, conditions):
        for name, condition in conditions.items():
            holds = condition(self)
            if not isinstance(holds, (bool, numpy.bool_)):
                raise ArgumentError(f"stop {name!r} must return True or False, not {holds!r}")
            if holds:
                return name
        return None

    @property
    def stopped(self):
        """The name of the stop{}, or of the condition, that ended the last run; None where it went
        on to its time."""
        return self._stopped

    # ------------------------------------------------------------ measures

    @property
    def hash(self):
        """The state hash: equal bits of positions, velocities, contacts and history, equal hash."""
        return lib.cairn_world_get_hash(self._world)

    @property
    def state_hash(self):
        """The state hash as `cairn run --json` prints it."""
        return f"{self.hash:016x}"

    @property
    def energy(self):
        """The energy balance in J, {"kinetic": ..., "potential": ..., ...}."""
        energy = lib.cairn_world_get_energy(self._world)
        return {name: getattr(energy, name) for name, _ in ffi.typeof(energy).fields}

    @property
    def momentum(self):
        """Linear (kg m/s) and angular (kg m2/s, about the origin) momentum of the dynamic bodies."""
        values = numpy.empty((2, 3))
        at = ffi.cast("double *", values.ctypes.data)
        lib.cairn_world_get_momentum(self._world, at, at + 3)
        return values[0], values[1]

    @property
    def unbalanced_force(self):
        """Mean of the sums of contact forces and weight on the dynamic bodies over the mean force of
        the contacts, in the last step: small where forces balance."""
        ratio = ffi.new("double *")
        self._check(lib.cairn_world_get_unbalanced(self._world, ratio, self._error))
        return ratio[0]

    @property
    def broken_bonds(self):
        """The bonds that have broken, in the order in which they did, as a structured array: time
        (s), a and b (names, or "body 12" of bodies without one), point (m), and cause: "tension",
        "shear", "bending" or "twisting"."""
        world, view = self._world, ffi.new("cairn_break *")
        rows = []
        for i in range(lib.cairn_world_get_break_count(world)):
            errors.check(lib.cairn_world_get_break(world, i, view))
            rows.append((view.time, self._label(view.a), self._label(view.b), tuple(view.point),
                         errors.text_of(lib.cairn_break_cause_name(view.cause))))
        longest = max([1] + [len(name) for row in rows for name in row[1:3]])
        return numpy.array(rows, [("time", float), ("a", f"U{longest}"), ("b", f"U{longest}"),
                                  ("point", float, 3), ("cause", "U8")])

    def _label(self, body):
        view = ffi.new("cairn_body_view *")
        there = lib.cairn_body_get(self._world, body, view) == lib.CAIRN_OK
        return (errors.text_of(view.name) if there else "") or f"body {body.index}"

    @property
    def report(self):
        """What the last step did: contacts, iterations, error, seconds of each phase ..."""
        report = lib.cairn_world_get_report(self._world)
        found = {name: getattr(report, name) for name, _ in ffi.typeof(report).item.fields}
        found["stop"] = errors.text_of(found["stop"])
        found["seconds"] = dict(zip(_PHASES, report.seconds))
        return found

    def validate(self):
        """Raises where what the world holds does not fit together. Returns a list of what is
        doubtful, in sentences: a time step above the stable one, and before the first step bodies
        that overlap; an empty list where there is nothing. Costs about a step."""
        self._check(lib.cairn_world_validate(self._world, self._error))
        return self._doubts(self.step_count == 0, True)

    # ------------------------------------------------------------ contact problem

    def problem(self, form="local"):
        """The contact problem of the last step as a Problem, in "local" or "global" form, with its
        guess and the impulses that the step found."""
        return problem.of_world(self, form)

    def solver(self, name, *, form="local", **settings):
        """Chooses the solver of the next steps: one of the engine's by its name, with its settings,
        or a function of Python.

        The function f(problem) is given the problem of each solve as a problem.Data, with W, q, mu,
        guess and tolerance, or M, H, f, w with form="global", and returns the impulses, of shape
        (contacts, 3), or (impulses, iterations). Joints have been eliminated. The engine works out
        the residual itself, and says in the report whether the step is solved.
        """
        if callable(name):
            if settings:
                raise ArgumentError("a solver that is a function takes no settings")
            self._world
            problem.let_solve(self, name, form)
        else:
            self._run_call("solver", (name,), settings)

    # ------------------------------------------------------------ laws and fields

    def add_law(self, function, name=None, *, parameters=None, history=(), version=1, help="",
                mobility=False):
        """Adds an explicit contact law, which pair(law=name, ...) names afterwards.

        function:    f(batch) that is given many contacts at once and sets batch.impulse (n, 3) in N s,
                     in the contact axes (N, T1, T2), acting on the second body; LawBatch tells what
                     there is. Or the address of a C function of type cairn_law_function (an int, a
                     numba cfunc, a pointer of cffi or ctypes), which runs without Python.
        name:        None: the function's name
        parameters:  {name: default} or {name: {"default", "minimum", "maximum", "unit", "help"}}
        history:     names of the numbers that each contact keeps, at most 8
        version:     raise it whenever results change, for checkpoints
        mobility:    True where the law needs batch.mobility and batch.free
        """
        extension.add_law(self, function, name, {} if parameters is None else parameters, history, version, help, mobility)

    def add_force_field(self, function, name=None, *, version=1):
        """Adds a force field: f(batch) is given all dynamic bodies at every step and sets batch.force
        (n, 3) in N, and batch.torque in N m; or returns the forces. Or the address of a C function
        of type cairn_field_function."""
        extension.add_force_field(self, function, name, version)

    def remove_force_field(self, name):
        """Between steps: takes a force field away."""
        self._check(lib.cairn_world_remove_force_field(
            self._world, library.encode(name, "a name"), self._error))

    # ------------------------------------------------------------ settings

    @property
    def gravity(self):
        """m/s2; may be set between steps, and called as gravity{} of the scene language."""
        found = numpy.array(list(lib.cairn_world_get_def(self._world).gravity)).view(Gravity)
        found.world = self
        return found

    @gravity.setter
    def gravity(self, value):
        vector = library.vector(value, 3, "gravity")
        if self._pointer == ffi.NULL:
            self._run_call("gravity", tuple(vector), {})
        else:
            self._check(lib.cairn_world_set_gravity(self._world, vector, self._error))

    @property
    def tolerance(self):
        """Residual that a step must reach; may be set between steps."""
        return lib.cairn_world_get_def(self._world).tolerance

    @tolerance.setter
    def tolerance(self, value):
        self._check(lib.cairn_world_set_tolerance(
            self._world, library.real(value, "tolerance"), self._error))

    @property
    def settings(self):
        """The settings of simulation{} in force."""
        definition = lib.cairn_world_get_def(self._world)
        value = ffi.new("cairn_value *")
        found = {}
        for i in range(lib.cairn_world_def_setting_count()):
            name = lib.cairn_world_def_get_setting(i).name
            errors.check(lib.cairn_world_def_get_value(definition, name, value))
            found[errors.text_of(name)] = library.value_of(value[0])
        return found

    # ------------------------------------------------------------ files

    def save(self, path, note=""):
        """Writes a checkpoint, which `restore` and `cairn run --restart` go on from."""
        with library.files_lock():
            self._check(lib.cairn_world_save(self._world, library.encode(path, "the path"),
                                             library.encode(note, "the note"), self._error))

    def restore(self, path):
        """Brings the world to a saved state of the same world, bit by bit."""
        self._watch.begun = False
        with library.files_lock():
            self._guarded(lib.cairn_world_restore, library.encode(path, "the path"))

    def write_fclib(self, path, form="local", title="", description=""):
        """Writes the contact problem of the last step as an FCLIB file; form "local" or "global"."""
        forms = {"local": lib.CAIRN_FCLIB_LOCAL, "global": lib.CAIRN_FCLIB_GLOBAL}
        if not isinstance(form, str) or form not in forms:
            raise ArgumentError(f'form must be "local" or "global", not {form!r}')
        with library.files_lock():
            self._check(lib.cairn_world_write_fclib(
                self._world, library.encode(path, "the path"), forms[form],
                library.encode(title, "the title"), library.encode(description, "the description"),
                self._error))

    # ------------------------------------------------------------ pictures

    def render(self, size=(960, 540), **settings):
        """A picture of the world as it is, (height, width, 3) uint8; cairn.render has the settings."""
        from .picture import render
        return render(self, size, **settings)

    def film(self, until=None, **settings):
        """Steps to a time (s) and returns a Film of it; cairn.film has the settings."""
        from .picture import film
        return film(self, until, **settings)

    def record(self, path, until=None, interval=None):
        """Steps to a time (s) and writes a trajectory with a frame every `interval` s."""
        from .picture import record
        record(self, path, until, interval)

    def to_html(self, path=None):
        """The world as it is as a page for browsers, a text or a file; as cairn.to_html."""
        from .page import to_html
        return to_html(self, path)

    def _repr_html_(self):
        """Worlds show themselves in notebooks, to be turned and asked."""
        from .page import shown
        return shown(self) if self._is_shown() else None

    def _is_shown(self):
        return self._owner is not None and self._busy is None and len(self.bodies) > 0

    def _repr_png_(self):
        """Pictures for notebooks that show no pages, where there is a viewer."""
        from .picture import png
        if not self._is_shown():
            return None
        try:
            return png(self, (640, 400))
        except errors.Error:
            return None

    def __repr__(self):
        if self._owner is None:
            return "<cairn.World, closed>"
        if self._busy is not None:
            return "<cairn.World, in a step>"
        world = self._world
        return (f"<cairn.World {self.name!r}: {lib.cairn_body_count(world)} bodies, "
                f"{lib.cairn_joint_count(world)} joints, {lib.cairn_contact_count(world)} contacts, "
                f"t = {self.time:.6g} s>")


class Gravity(numpy.ndarray):
    """Three numbers (m/s2), which world.gravity(0, 0, -1.62) sets as the call of a scene does."""
    world = None

    def __call__(self, *arguments, **keys):
        if self.world is None:
            raise errors.KindError("gravity of no world is three numbers, and no call")
        self.world._run_call("gravity", arguments, keys)


_MAIN = threading.main_thread().ident
# looked up once: a step from Python is to cost little more than one from C
_NULL = ffi.NULL
_ident = threading.get_ident
_set_busy = World._busy.__set__
_steps = lib.cairn_python_steps


def _count(value):
    try:
        count = value.__index__()
    except (AttributeError, TypeError):
        raise ArgumentError(f"the number of steps must be whole, not {value!r}") from None
    if not 0 <= count < 2**62:
        raise ArgumentError(f"the number of steps {str(count):.40} is out of range: 0 to 2^62 - 1")
    return count


@contextlib.contextmanager
def _progress(wanted, name):
    """A function that shows a share of the run, or does nothing."""
    if not wanted:
        yield lambda share: None
        return
    from .progress import Progress
    shown = Progress(name)
    try:
        yield shown
    finally:
        shown.close()


def _method(call):
    def method(self, *arguments, **keys):
        self._run_call(call, arguments, keys)
    method.__name__ = call
    method.__qualname__ = f"World.{call}"
    method.__doc__ = f"{call}{{}} of the scene language: its keys are keyword arguments here."
    return method


# what a program of Lua has these for, Python has itself
_NOT_METHODS = (*VALUES, "param", "print", "require")

# calls that the language has and nothing above does otherwise
for _call in (errors.text_of(lib.cairn_scene_call_name(i))
              for i in range(lib.cairn_scene_call_count())):
    # a word of Python gets an underscore
    _name = _call + "_" * keyword.iskeyword(_call)
    if _call not in _NOT_METHODS and not hasattr(World, _name):
        setattr(World, _name, _method(_call))
del _call, _name
