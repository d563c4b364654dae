# SPDX-License-Identifier: Apache-2.0
# A contact law of one's own over batches of arrays.
# %% [markdown]
# # A law of one's own
# A contact law over batches of arrays: a spring, a dashpot and sliding friction. The function is given
# up to 512 contacts at once and sets the impulse of each; the rest is numpy.
# %%
import cairn
import numpy


def gentle(batch):
    """Normal: k gap^1.5 with a dashpot. Tangential: a dashpot that friction caps at mu F_N."""
    p = batch.parameters
    overlap = numpy.maximum(-batch.gap, 0.0)
    dashpot = -p["damping"] * batch.velocity[:, 0]
    normal = numpy.maximum(p["stiffness"] * overlap ** 1.5 + dashpot, 0.0)
    slip = batch.velocity[:, 1:]
    speed = numpy.linalg.norm(slip, axis=1)
    tangential = numpy.minimum(p["drag"] * speed, p["friction"] * normal)
    batch.impulse[:, 0] = batch.step * normal
    batch.impulse[:, 1:] = -batch.step * (tangential / numpy.maximum(speed, 1e-30))[:, None] * slip
    # what dashpots and sliding take away, and what the spring holds, for the energy's audit
    batch.impulse_damping[:, 0] = batch.step * (normal - p["stiffness"] * overlap ** 1.5)
    batch.impulse_friction[:, 1:] = batch.impulse[:, 1:]
    batch.elastic = 0.4 * p["stiffness"] * overlap ** 2.5
# %% [markdown]
# Parameters of the law are keys of `world.pair`, with default, range and unit.
# %%
world = cairn.World(step=1e-4)
world.add_law(gentle, parameters={"stiffness": {"default": 1e6, "minimum": 0.0, "unit": "N/m^1.5"},
                                  "damping": 15.0, "drag": 20.0, "friction": 0.5})
world.material(name="marble", density=2600)
world.pair(law="gentle", friction=0.4)
world.ground(material="marble")
marble = cairn.sphere(radius=0.02)
for i in range(60):
    world.body(shape=marble, material="marble",
               position=(0.043 * (i % 4), 0.043 * (i // 4 % 4), 0.021 + 0.043 * (i // 16)))
force = []
world.run(until=0.5, observers=lambda w: force.append(-w.bodies[0].contact_force[2]) or None)
world
# %% [markdown]
# The law said what its dashpot and its friction take away, so that the audit adds up.
# %%
energy = world.energy
print(f"kinetic {energy['kinetic']:.2e} J, lost {energy['damping'] + energy['friction']:.3f} J, "
      f"{energy['residual']:.1e} J do not add up")
weight = 9.81 * world.bodies.mass[1:].sum()
bears = numpy.mean(force[-1000:])
print(f"ground bears {bears:.3f} N of {weight:.3f} N")
assert abs(bears - weight) < 0.02 * weight
