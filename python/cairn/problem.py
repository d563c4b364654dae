# SPDX-License-Identifier: Apache-2.0
# Contact problems: of a live step, from files and arrays; solved, certified, tested, written.
"""Frictional contact problems as sparse matrices, and their solution."""
import threading

import numpy

from . import errors, guard, library
from ._cairn import ffi, lib
from .errors import ArgumentError

__all__ = ["Problem", "Report", "solve", "check", "read_fclib", "write_fclib"]

_KINDS = {"local": lib.CAIRN_PROBLEM_LOCAL, "global": lib.CAIRN_PROBLEM_GLOBAL}
_LOCAL = ("W", "V", "S", "R")
_GLOBAL = ("M", "H", "G")
_VECTORS = {"local": ("q", "s"), "global": ("f", "w", "b")}


def _sparse():
    try:
        import scipy.sparse
    except ImportError:
        raise errors.UnsupportedError("matrices of a problem want scipy, which is not installed"
                                      ) from None
    return scipy.sparse


def _copy(pointer, count, kind=numpy.float64):
    if pointer == ffi.NULL:
        return None
    size = count * numpy.dtype(kind).itemsize
    return numpy.frombuffer(ffi.buffer(pointer, size), kind).copy() if count else numpy.zeros(0, kind)


def _matrix_of(shown):
    if shown.start == ffi.NULL:
        return None
    start = _copy(shown.start, shown.columns + 1, numpy.int32)
    entries = int(start[-1])
    index = _copy(shown.index, entries, numpy.int32) if entries else numpy.zeros(0, numpy.int32)
    value = _copy(shown.value, entries) if entries else numpy.zeros(0)
    return _sparse().csc_matrix((value, index, start), shape=(shown.rows, shown.columns))


class Data:
    """The matrices and vectors of a problem, as copies:

        local:   u = W r + V l + q,   S r + R l + s = 0
        global:  M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0

    W, V, S, R, M, H, G are scipy.sparse.csc_matrix, q, s, f, w, b and mu (friction, one a contact)
    arrays; what a problem does not have is None. Contacts have `dimension` rows, normal first; 5 of
    them where mu_rolling, in m, gives them rolling friction, and 6 with mu_spinning.
    guess is the point to start from, (contacts, 3) in N s. R is a matrix: impulses are `impulses`.
    """

    def __init__(self, data):
        self._data = data
        self.kind = "local" if data.kind == lib.CAIRN_PROBLEM_LOCAL else "global"
        self.dimension = data.dimension
        self.contacts = data.contacts
        self.velocities = data.velocities
        self.equalities = data.equalities
        self._made = {}
        self._units = None
        self.tolerance = 1e-8
        self.scaled_weight = 0.0
        rows = data.dimension * data.contacts
        counts = {"q": rows, "s": data.equalities, "f": data.velocities, "w": rows,
                  "b": data.equalities}
        self.mu = _copy(data.friction, data.contacts)
        self.mu_rolling = _copy(data.rolling, data.contacts)
        self.mu_spinning = _copy(data.spinning, data.contacts)
        for name, count in counts.items():
            setattr(self, name, _copy(getattr(data, name), count))
        guess = _copy(data.guess, rows)
        self.guess = numpy.zeros((data.contacts, 3))
        if guess is not None and data.dimension <= 3:
            self.guess[:, :data.dimension] = guess.reshape(-1, data.dimension)

    def __getattr__(self, name):
        if name in _LOCAL + _GLOBAL:
            if name not in self._made:
                if self._data is None:
                    raise errors.StateError("the step whose problem this was is over; copy its "
                                            f"{name} in the solver")
                self._made[name] = _matrix_of(getattr(self._data, name))
            return self._made[name]
        raise errors.MissingAttributeError(f"a problem has no {name!r}")

    def residual(self, impulses):
        """The residual of impulses as theory.md (4.18) has it, which `tolerance` is about, with its
        part in velocities (4.13) where the world demands that: for a solver to see how far it is. The
        engine works out its own. Local form without equality constraints alone."""
        if self.W is None or self.V is not None or self.dimension > 3:
            raise errors.UnsupportedError("residual() is of the local form without joints and "
                                          "rolling friction")
        d = self.dimension
        r = _three(impulses, self.contacts, self.dimension)[:, :d]
        q = self.q.reshape(-1, d)
        u = (self.W @ r.ravel()).reshape(-1, d) + q
        if self._units is None:
            w = self.W.diagonal().reshape(-1, d)
            w = w.mean(axis=1) if d == 3 else (w[:, 0] + 2.0 * w[:, 1]) / 3.0
            self._units = numpy.sqrt(w)[:, None]
        unit = self._units
        scaled, shifted = r * unit, u / unit
        shifted[:, 0] += self.mu * numpy.linalg.norm(shifted[:, 1:], axis=1)
        miss = scaled - project(scaled - shifted, self.mu)
        size = numpy.linalg.norm(q / unit) or numpy.linalg.norm(scaled) or 1.0
        velocity = numpy.linalg.norm(unit * miss) / (numpy.linalg.norm(q) or 1.0)
        return max(numpy.linalg.norm(miss) / size, self.scaled_weight * velocity)

    def _let_go(self):
        """The arrays of the engine end here: what was not asked for is gone."""
        self._data = None


@guard.function
def project(r, mu):
    """The points of the Coulomb cones |r_T| <= mu r_N nearest to r, (n, 2 or 3), normal first."""
    try:
        r, mu = library.floats(r), library.floats(mu)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise ArgumentError(f"r and mu must be numbers: {wrong}") from None
    if r.ndim != 2 or r.shape[1] not in (2, 3):
        raise ArgumentError(f"r must be of shape (n, 3) or (n, 2), not {r.shape}")
    if mu.shape not in ((), (len(r),)) or not ((mu >= 0.0) & (mu < numpy.inf)).all():
        raise ArgumentError(f"mu must be 0 or more, one number or one for each of {len(r)} rows")
    normal, size = r[:, 0], numpy.linalg.norm(r[:, 1:], axis=1)
    # without friction mu * normal is 0 below the cone, too
    inside = (normal >= 0.0) & (size <= mu * normal)
    polar = mu * size <= -normal
    on = numpy.maximum((normal + mu * size) / (1.0 + mu * mu), 0.0)
    share = numpy.where(size > 0.0, mu * on / numpy.maximum(size, 1e-300), 0.0)
    near = numpy.column_stack([on, share[:, None] * r[:, 1:]])
    near[polar] = 0.0
    return numpy.where(inside[:, None], r, near)


@guard.public
class Report:
    """What a solve came to: solver, stop ("solved", "iteration_limit", ...), iterations, error (the
    residual that the engine worked out itself), error_scaled, error_q, error_siconos, error_joints,
    growth, seconds, cpu_seconds."""

    def __init__(self, report):
        if not isinstance(report, ffi.CData):
            raise ArgumentError("a report is what Problem.solve and Problem.judge return")
        for name, _ in ffi.typeof(report).item.fields:
            value = getattr(report, name)
            setattr(self, name, errors.text_of(value) if name in ("solver", "stop") else value)

    @property
    def solved(self):
        """Whether the point is within the tolerance."""
        return self.stop == "solved"

    def __repr__(self):
        return (f"<{self.solver}: {self.stop}, {self.iterations} iterations, error "
                f"{self.error:.3g}, {self.seconds:.3g} s>")


@guard.public
class Problem(library.Live, Data):
    """A frictional contact problem, with the matrices and vectors of :class:`Data`.

        Problem(W=, q=, mu=)                        local form
        Problem(M=, H=, f=, mu=, w=)                global form
        and for equality constraints V=, R=, s=, S= or G=, b=

    world.problem() gives that of the last step, read_fclib(path) that of a file. Matrices may be
    anything that scipy.sparse takes; `guess` is (contacts, dimension or 3).
    """

    _instead = ": write() keeps it in a file, which read_fclib() reads"

    def __init__(self, *, mu, dimension=None, guess=None, title="", description="", **arrays):
        kind = "global" if "M" in arrays else "local"
        names = (_LOCAL if kind == "local" else _GLOBAL) + _VECTORS[kind]
        for name in arrays:
            if name not in names:
                raise ArgumentError(f'a problem in {kind} form has no "{name}"; it has '
                                    + ", ".join((*names, "mu", "guess")))
        mu = _vector(mu, "mu")
        rows = numpy.size(arrays["q"] if kind == "local" and "q" in arrays else
                          arrays.get("w", numpy.zeros(3 * len(mu))))
        if dimension is None:
            dimension = 2 if len(mu) and rows == 2 * len(mu) else 3
        dimension = library.whole(dimension, "dimension", 2, 6)
        data = ffi.new("cairn_problem_data *", lib.cairn_default_problem_data(_KINDS[kind]))
        kept = [mu]
        data.dimension, data.contacts = dimension, len(mu)
        data.friction = _at(mu)
        if kind == "global":
            arrays.setdefault("w", numpy.zeros(dimension * len(mu)))
        for name, values in arrays.items():
            if values is None:
                continue
            if name in _LOCAL + _GLOBAL:
                kept.append(_pass_matrix(values, name, getattr(data, name)))
            else:
                vector = _vector(values, name)
                kept.append(vector)
                setattr(data, name, _at(vector))
        self._sizes(data, arrays, kind)
        if guess is not None:
            guess = _vector(_three(guess, len(mu), dimension)[:, :dimension], "guess")
            kept.append(guess)
            data.guess = _at(guess)
        texts = [ffi.new("char[]", library.encode(text, "a text")) for text in (title, description)]
        data.title, data.description = texts
        error, made = ffi.new("cairn_error *"), ffi.new("cairn_problem **")
        errors.check(lib.cairn_problem_create(data, made, error), error)
        self._begin(made[0])

    @staticmethod
    def _sizes(data, arrays, kind):
        """Vectors whose lengths the engine cannot see are checked here."""
        rows = data.dimension * data.contacts
        if kind == "global" and arrays.get("f") is not None:
            data.velocities = numpy.size(arrays["f"])
        linked = arrays.get("s" if kind == "local" else "b")
        data.equalities = 0 if linked is None else numpy.size(linked)
        for name in ("q",) if kind == "local" else ("w",):
            values = arrays.get(name)
            if values is not None and numpy.size(values) != rows:
                raise ArgumentError(f"{name} has {numpy.size(values)} numbers, not {rows}: "
                                    f"{data.dimension} for each of {data.contacts} contacts")

    def _begin(self, pointer):
        self._pointer = ffi.gc(pointer, lib.cairn_problem_destroy)
        super().__init__(lib.cairn_problem_get_data(self._pointer))

    @classmethod
    def _of(cls, pointer):
        problem = cls.__new__(cls)
        problem._begin(pointer)
        return problem

    @property
    def info(self):
        """What `cairn info` says of a problem file: density, rank, conditioning ..."""
        error, view = ffi.new("cairn_error *"), ffi.new("cairn_problem_view *")
        errors.check(lib.cairn_problem_get_info(self._pointer, view, error), error)
        found = {}
        for name, kind in ffi.typeof("cairn_problem_view").fields:
            value = getattr(view, name)
            found[name] = errors.text_of(value) if kind.type.kind == "pointer" else value
        found["kind"] = self.kind
        return found

    def _point(self):
        error = ffi.new("cairn_error *")
        both = numpy.empty((2, self.contacts, 3))
        at = ffi.cast("double (*)[3]", both.ctypes.data)
        errors.check(lib.cairn_problem_get_impulses(self._pointer, at, at + self.contacts, error),
                     error)
        return both

    @property
    def impulses(self):
        """The impulses last found, (contacts, 3) in N s: normal, first and second tangent."""
        return self._point()[0]

    @property
    def contact_velocities(self):
        """The velocities that belong to them, (contacts, 3) in m/s."""
        return self._point()[1]

    def solve(self, solver=None, local=None, tolerance=1e-8, *, max_iterations=0, time_limit=0.0,
              guess=False, threads=1, both_measures=False, scaled_measure=False,
              local_settings=None, **settings):
        """Solves with one of the engine's solvers, or with a function f(problem) that gives impulses
        or (impulses, iterations); the engine certifies what it finds. Returns a Report.

        settings: of the solver, as `cairn list solvers` shows them
        """
        if callable(solver):
            point, iterations = _answer(solver(self))
            report = self.judge(point, tolerance, both_measures=both_measures,
                                scaled_measure=scaled_measure)
            report.iterations = library.whole(iterations, "the number of iterations", 0, 2**31 - 1)
            return report
        definition = self._definition(tolerance, both_measures, scaled_measure)
        kept = []
        for name, word in (("solver", solver), ("local", local)):
            if word is not None:
                kept.append(ffi.new("char[]", library.encode(word, name)))
                setattr(definition, name, kept[-1])
        for name, values in (("solver_setting", settings),
                             ("local_setting", {} if local_settings is None else local_settings)):
            array, count, texts = library.settings(values, name.replace("_", " "))
            kept += [array, texts]
            setattr(definition, name + "s", array)
            setattr(definition, name + "_count", count)
        definition.max_iterations = library.whole(max_iterations, "max_iterations", 0, 2**31 - 1)
        definition.time_limit = library.real(time_limit, "time_limit")
        definition.guess = library.truth(guess, "guess")
        definition.threads = library.whole(threads, "threads", 1, 256)
        error, report = ffi.new("cairn_error *"), ffi.new("cairn_solve_report *")
        main = threading.current_thread() is threading.main_thread()
        errors.check(lib.cairn_python_solve(self._pointer, definition, report, main, error), error)
        return Report(report)

    @staticmethod
    def _definition(tolerance, both_measures, scaled_measure):
        definition = ffi.new("cairn_solve_def *", lib.cairn_default_solve_def())
        definition.tolerance = library.real(tolerance, "tolerance")
        definition.both_measures = library.truth(both_measures, "both_measures")
        definition.scaled_measure = library.truth(scaled_measure, "scaled_measure")
        return definition

    def judge(self, impulses, tolerance=1e-8, *, both_measures=False, scaled_measure=False):
        """Takes impulses back, (contacts, 3) or as many numbers, and returns the engine's Report on
        them; they are the problem's solution from then on."""
        point = numpy.ascontiguousarray(_three(impulses, self.contacts, self.dimension))
        definition = self._definition(tolerance, both_measures, scaled_measure)
        error, report = ffi.new("cairn_error *"), ffi.new("cairn_solve_report *")
        errors.check(lib.cairn_problem_judge(
            self._pointer, ffi.cast("double (*)[3]", point.ctypes.data), definition, report,
            error), error)
        return Report(report)

    def check(self):
        """Whether a solution exists: {"verdict": "exists", "borderline", "not_shown" or "none",
        "margin": ..., "direction": the certificate (contacts, 3), ...}."""
        error, found = ffi.new("cairn_error *"), ffi.new("cairn_existence *")
        direction = numpy.zeros((self.contacts, 3))
        errors.check(lib.cairn_problem_check(
            self._pointer, found, ffi.cast("double (*)[3]", direction.ctypes.data), error), error)
        said = {name: getattr(found, name) for name, _ in ffi.typeof("cairn_existence").fields}
        said["verdict"] = errors.text_of(lib.cairn_existence_name(found.verdict))
        said["direction"] = direction
        return said

    def write(self, path):
        """Writes an FCLIB file, with the impulses last found as its solution."""
        error = ffi.new("cairn_error *")
        with library.files_lock():
            errors.check(lib.cairn_problem_write(self._pointer, library.encode(path, "the path"),
                                                 error), error)

    def __repr__(self):
        return f"<cairn.Problem, {self.kind}: {self.contacts} contacts>"


@guard.function
def read_fclib(path):
    """The problem of an FCLIB file, in whatever form and storage; FileError, FormatError."""
    error, made = ffi.new("cairn_error *"), ffi.new("cairn_problem **")
    with library.files_lock():
        errors.check(lib.cairn_problem_read(library.encode(path, "the path"), made, error), error)
    return Problem._of(made[0])


def _problem(value):
    if not isinstance(value, Problem):
        raise ArgumentError(f"a cairn.Problem is wanted, not {type(value).__name__}")
    return value


@guard.function
def write_fclib(problem, path):
    """Problem.write."""
    _problem(problem).write(path)


@guard.function
def solve(problem, solver=None, **settings):
    """Problem.solve."""
    return _problem(problem).solve(solver, **settings)


@guard.function
def check(problem):
    """Problem.check."""
    return _problem(problem).check()


def _answer(found):
    """The impulses and iterations of what a function that solves returns."""
    if not isinstance(found, tuple):
        return found, 0
    if len(found) != 2:
        raise ArgumentError(f"a solver returns impulses, or (impulses, iterations), not a tuple of {len(found)}")
    return found


def of_world(world, kind):
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ArgumentError(f'a problem is "local" or "global", not {kind!r}')
    made = ffi.new("cairn_problem **")
    world._check(lib.cairn_world_get_problem(world._world, _KINDS[kind], made, world._error))
    return Problem._of(made[0])


def let_solve(world, function, kind):
    """The function solves the world's steps from now on."""
    from .motion import Call
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ArgumentError(f'a solver takes problems of form "local" or "global", not {kind!r}')

    weight = lib.cairn_world_get_def(world._world).scaled_weight

    def answer(data, tolerance, impulses, iterations):
        problem = Data(data[0])
        problem.tolerance = tolerance
        problem.scaled_weight = weight
        found = function(problem)
        problem._let_go()
        point, count = _answer(found)
        point = numpy.ascontiguousarray(_three(point, problem.contacts))
        if not numpy.isfinite(point).all():
            raise ArgumentError("the solver gave impulses that are not finite")
        ffi.memmove(impulses, ffi.from_buffer(point), point.nbytes)
        iterations[0] = library.whole(count, "the number of iterations", 0, 2**31 - 1)

    call = Call(world, answer)
    world._check(lib.cairn_world_set_solver_function(
        world._world, _KINDS[kind], lib.cairn_python_solver, call.handle, world._error))
    world._owner.__dict__.setdefault("calls", []).append(call)


@ffi.def_extern(error=lib.CAIRN_ERROR_NUMERICAL)
def cairn_python_solver(context, problem, tolerance, impulses, iterations):
    return ffi.from_handle(context).run(ffi.NULL, problem, tolerance, impulses, iterations)


def _at(vector):
    return ffi.cast("double *", vector.ctypes.data)


def _vector(values, name):
    try:
        return numpy.ascontiguousarray(library.floats(values)).ravel()
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None


def _three(values, contacts, dimension=3):
    """(contacts, 3) from that or as many numbers in a row, in 2-D also from (contacts, 2)."""
    try:
        point = library.floats(values)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"impulses: {error}") from None
    if point.size == 3 * contacts and point.ndim in (1, 2):
        return point.reshape(contacts, 3)
    if dimension == 2 and point.size == 2 * contacts and point.ndim in (1, 2):
        return numpy.column_stack([point.reshape(contacts, 2), numpy.zeros(contacts)])
    raise ArgumentError(f"impulses must be of shape ({contacts}, 3), not {point.shape}")


def _pass_matrix(values, name, member):
    """Fills a cairn_sparse; returns what must live as long."""
    try:
        matrix = _sparse().csc_matrix(values, copy=True)
        matrix.data = library.floats(matrix.data)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None
    matrix.sum_duplicates()
    start = matrix.indptr.astype(numpy.int32)
    index = matrix.indices.astype(numpy.int32)
    member.rows, member.columns = matrix.shape
    member.start = ffi.cast("int *", start.ctypes.data)
    member.index = ffi.cast("int *", index.ctypes.data)
    member.value = _at(matrix.data)
    return start, index, matrix
