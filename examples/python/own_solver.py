# SPDX-License-Identifier: Apache-2.0
# A solver of one's own in a live pile: ADMM, certified by the engine in every step.
# %% [markdown]
# # A solver of one's own in a live pile
# ADMM in twenty lines, certified by the engine in every step. `problem` has `W`, `q`, `mu`, a first
# `guess` and the `tolerance`; the engine works out the residual of what comes back.
# %%
import cairn
import numpy
from scipy.sparse import diags, identity
from scipy.sparse.linalg import splu


def admm(problem, rho=0.1, most=20000):
    """Alternating directions: a linear solve, then the nearest point of the Coulomb cones."""
    unit = numpy.sqrt(problem.W.diagonal().reshape(-1, 3).mean(axis=1, keepdims=True))
    scale = diags(1.0 / numpy.repeat(unit, 3))  # each contact in the units of its own block of W
    W, q = (scale @ problem.W @ scale).tocsc(), problem.q.reshape(-1, 3) / unit
    z, y, shift, factor = problem.guess * unit, 0.0 * q, 0.0 * q, None
    for iteration in range(1, most + 1):
        factor = factor or splu((W + rho * identity(q.size)).tocsc())
        r = factor.solve((rho * (z - y) - q - shift).ravel()).reshape(-1, 3)
        before, over = z, 1.6 * r - 0.6 * z
        z = cairn.project(over + y, problem.mu)
        y += over - z
        # De Saxce: friction adds mu |U_T| to the normal velocity, and rho y is -U here
        shift[:, 0] = problem.mu * rho * numpy.linalg.norm(y[:, 1:], axis=1)
        if iteration % 10 == 0 and problem.residual(z / unit) < 0.9 * problem.tolerance:
            break
        ratio = numpy.linalg.norm(r - z) / max(rho * numpy.linalg.norm(z - before), 1e-300)
        if iteration % 50 == 0 and not 0.2 < ratio < 5.0:
            change = min(max(ratio ** 0.5, 0.2), 5.0)
            rho, y, factor = rho * change, y / change, None
    return z / unit, iteration
# %% [markdown]
# Three hundred steps of the capsules that fall into a box, each solved by the function above.
# %%
steps = 300
world = cairn.load("capsules", capsules=30)
world.solver(admm)
reports = [world.step() or world.report for _ in range(steps)]
unsolved = sum(report["stop"] not in ("solved", "none") for report in reports)
print(f"{steps} steps, {len(world.contacts)} contacts at the end, "
      f"{sum(report['iterations'] for report in reports) / steps:.0f} iterations a step, "
      f"{unsolved} steps not solved to {world.tolerance:g}")
assert unsolved == 0
world
