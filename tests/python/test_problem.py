# SPDX-License-Identifier: Apache-2.0
# Contact problems: matrices agree with one another, solutions are certified, solvers run live.
import gc

import cairn
import numpy
import pytest
import scipy.sparse


def pile(steps=150):
    world = cairn.load("capsules", capsules=12)
    world.step(steps)
    return world


def test_forms_agree():
    world = pile()
    local, whole = world.problem("local"), world.problem("global")
    assert local.contacts == whole.contacts == world.report["contacts"] > 5
    inverse = scipy.sparse.diags(1.0 / whole.M.diagonal())
    numpy.testing.assert_allclose((whole.H.T @ inverse @ whole.H).toarray(), local.W.toarray(),
                                  atol=1e-12 * abs(local.W).max())
    numpy.testing.assert_allclose(whole.H.T @ (inverse @ whole.f) + whole.w, local.q, atol=1e-12)
    assert whole.W is None and local.M is None
    with pytest.raises(AttributeError):
        local.Q


def test_the_point_of_the_step_is_there_and_its_velocities_fit():
    world = pile()
    problem = world.problem()
    r = problem.impulses
    numpy.testing.assert_allclose(problem.W @ r.ravel() + problem.q,
                                  problem.contact_velocities.ravel(), atol=1e-10)
    assert problem.residual(r) == pytest.approx(world.report["error"], rel=1e-6)
    assert problem.judge(r, tolerance=1e-5).solved
    assert not problem.judge(0 * r, tolerance=1e-5).solved
    numpy.testing.assert_array_equal(problem.impulses, 0)


@pytest.mark.parametrize("solver", [None, "gauss_seidel", "nipm"])
def test_solvers_of_the_engine(solver):
    problem = pile().problem()
    report = cairn.solve(problem, solver, tolerance=1e-9)
    assert report.solved and report.error <= 1e-9
    assert problem.residual(problem.impulses) == pytest.approx(report.error, rel=1e-3, abs=1e-14)
    numpy.testing.assert_allclose(cairn.project(problem.impulses, problem.mu), problem.impulses,
                                  atol=1e-9)


def test_projections_on_wrong_cones_are_refused():
    for r, mu, word in (([1, 2, 0], 0.5, "shape"), ([[1, 2]] * 2, [0.5], "rows"), ([[1, 2, 0]], -1, "0 or more"),
                        ([[1, 2, 0]], float("nan"), "0 or more"), ("x", 1, "numbers")):
        with pytest.raises(cairn.ArgumentError, match=word):
            cairn.project(r, mu)
    numpy.testing.assert_allclose(cairn.project([[1, 2, 0]], 0.5), [[1.6, 0.8, 0]])


def test_projections_without_friction():
    points = [[-1, 0, 0], [-1, 2, 0], [1, 0, 0], [1, 2, 0], [0, 0, 0]]
    numpy.testing.assert_array_equal(cairn.project(points, 0), [[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    # a contact that opens and one that holds
    problem = cairn.Problem(W=numpy.eye(6), q=[2.0, 0, 0, -1, 0, 0], mu=[0, 0])
    assert problem.residual([0, 0, 0, 1, 0, 0]) == 0


def test_problems_from_arrays_and_files(tmp_path):
    world = pile()
    local, whole = world.problem(), world.problem("global")
    again = cairn.Problem(W=local.W.toarray(), q=local.q, mu=local.mu, title="a pile")
    assert again.info["title"] == "a pile"
    assert again.solve(tolerance=1e-8).solved
    cairn.write_fclib(again, tmp_path / "a.hdf5")
    read = cairn.read_fclib(tmp_path / "a.hdf5")
    assert read.info["has_solution"] and read.info["solution_error"] <= 1e-8
    numpy.testing.assert_array_equal(read.W.toarray(), local.W.toarray())
    numpy.testing.assert_array_equal(read.q, local.q)
    other = cairn.Problem(M=whole.M, H=whole.H, f=whole.f, w=whole.w, mu=whole.mu,
                          guess=local.impulses)
    assert other.solve("nipm", guess=True, tolerance=1e-8).solved
    other.write(tmp_path / "b.hdf5")
    assert cairn.read_fclib(tmp_path / "b.hdf5").kind == "global"


def test_existence():
    W = scipy.sparse.identity(3)
    assert cairn.check(cairn.Problem(W=W, q=[-1, 0, 0], mu=[0.5]))["verdict"] == "exists"
    none = cairn.check(cairn.Problem(W=0 * W, q=[-1, 0, 0], mu=[0.0]))
    assert none["verdict"] == "none" and none["direction"].shape == (1, 3)


@pytest.mark.parametrize("arrays, words", [
    ({"W": numpy.eye(4), "q": numpy.zeros(3)}, "W is 4 x 4, not 3 x 3"),
    ({"W": numpy.eye(3), "q": numpy.zeros(4)}, "q has 4 numbers"),
    ({"W": numpy.nan * numpy.eye(3), "q": numpy.zeros(3)}, "not finite"),
    ({"W": numpy.eye(3), "q": [0, 0, numpy.inf]}, "q[2]"),
    ({"W": numpy.eye(3)}, "q is missing"),
    ({"q": numpy.zeros(3)}, "W is 0 x 0"),
    ({"W": "wood", "q": numpy.zeros(3)}, "W"),
    ({"W": numpy.eye(3), "q": numpy.zeros(3), "mu": [-1]}, "friction[0] = -1"),
    ({"W": numpy.eye(3), "q": numpy.zeros(3), "mu": []}, "0 contacts"),
    ({"W": numpy.eye(3), "Q": numpy.zeros(3)}, 'no "Q"'),
    ({"W": numpy.eye(3), "q": numpy.zeros(3), "guess": numpy.zeros(4)}, "impulses"),
    ({"M": numpy.eye(6), "H": numpy.zeros((5, 3)), "f": numpy.zeros(6)}, "H is 5 x 3, not 6 x 3"),
])
def test_wrong_arrays(arrays, words):
    with pytest.raises((cairn.ArgumentError, cairn.Error)) as caught:
        cairn.Problem(**{"mu": [0.5], **arrays})
    assert words in str(caught.value)


def test_wrong_uses(tmp_path):
    problem = cairn.Problem(W=numpy.eye(3), q=[-1, 0, 0], mu=[0.5])
    for call in (lambda: problem.solve("no_such"), lambda: problem.solve("nipm", wrong=1),
                 lambda: problem.solve(tolerance=-1), lambda: problem.judge([1, 2]),
                 lambda: problem.judge([1, 2, numpy.nan]), lambda: problem.impulses,
                 lambda: cairn.solve(3), lambda: cairn.read_fclib(tmp_path / "missing"),
                 lambda: cairn.World().problem(), lambda: pile(1).problem("mixed")):
        with pytest.raises(cairn.Error):
            call()


def own(problem, sweeps=4000):
    """Projected Gauss-Seidel."""
    z, W, q = problem.guess.copy(), problem.W.tocsr(), problem.q
    n = problem.contacts
    blocks = [W[3 * i:3 * i + 3] for i in range(n)]
    weight = [numpy.linalg.eigvalsh(b[:, 3 * i:3 * i + 3].toarray())[-1]
              for i, b in enumerate(blocks)]
    for sweep in range(sweeps):
        for i in range(n):
            u = blocks[i] @ z.ravel() + q[3 * i:3 * i + 3]
            u[0] += problem.mu[i] * numpy.hypot(u[1], u[2])
            z[i] = cairn.project((z[i] - u / weight[i])[None], problem.mu[i:i + 1])[0]
        if problem.residual(z) < problem.tolerance:
            break
    return z, sweep + 1


def test_a_solver_of_python_runs_live_and_is_certified():
    world = cairn.World(step=1 / 200)
    world.pair(friction=0.4)
    world.ground()
    for i in range(2):
        world.body(shape=cairn.sphere(radius=0.1), position=(0.05 * i, 0, 0.1 + 0.19 * i))
    world.solver(own)
    reference = cairn.World(step=1 / 200)
    reference.lua(world.scene_text)
    for _ in range(40):
        world.step()
        reference.step()
        assert world.report["stop"] in ("solved", "none")
        assert world.report["error"] <= world.tolerance
    numpy.testing.assert_allclose(world.bodies.position, reference.bodies.position, atol=1e-6)
    assert world.report["iterations"] > 0
    world.solver("nipm")
    world.step()
    assert world.report["stop"] == "solved"


def test_joints_are_eliminated_for_a_solver_of_python():
    world = cairn.load("rag_dolls")
    world.step(60)
    seen = []

    def solver(problem):
        solved = cairn.Problem(W=problem.W, q=problem.q, mu=problem.mu, guess=problem.guess)
        seen.append(solved.solve("nipm", tolerance=0.1 * problem.tolerance).error)
        return solved.impulses

    world.solver(solver, form="global")
    for _ in range(60):
        world.step()
        assert world.report["stop"] in ("solved", "none"), world.report
    assert seen


def test_a_solver_that_does_nothing_is_not_believed():
    world = pile(100)
    world.solver(lambda problem: numpy.zeros((problem.contacts, 3)))
    world.step()
    assert world.report["stop"] == "stagnated" and world.report["error"] > world.tolerance


@pytest.mark.parametrize("answer", [None, [1, 2], "text", float("nan")])
def test_wrong_answers_of_a_solver(answer):
    world = pile(100)
    world.solver(lambda problem: answer)
    with pytest.raises(cairn.ArgumentError):
        world.step()
    world.solver("nipm")
    world.validate()


def test_data_of_a_step_that_is_over():
    world = pile(100)
    kept = []

    def solver(problem):
        kept.append(problem)
        return problem.guess

    world.solver(solver)
    world.step()
    world.close()
    gc.collect()
    with pytest.raises(cairn.StateError, match="is over"):
        kept[0].W
    assert numpy.isfinite(kept[0].q).all()
