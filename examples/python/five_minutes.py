# SPDX-License-Identifier: Apache-2.0
# Five-minute start: builds a pile, steps it, reads it as arrays, looks at the balance of energy.
# %% [markdown]
# # Five-minute start
# A pile of bricks is built, hit by a ball, read as arrays of numpy, and its energy balanced.
# %%
import cairn
import numpy

world = cairn.World(step=1 / 200, tolerance=1e-9)
world.material(name="wood", density=700)
world.pair(friction=0.5, restitution=0.1)
world.ground(material="wood")
brick = cairn.box(size=(0.20, 0.10, 0.06))
for layer in range(6):
    for place in range(4 - layer // 2):
        world.body(shape=brick, material="wood",
                   position=(0.21 * (place - 1.5) + 0.105 * (layer % 2), 0, 0.03 + 0.061 * layer))
ball = world.body(name="ball", shape=cairn.sphere(radius=0.08), material="wood",
                  position=(-2, 0, 0.3), velocity=(6, 0, 1.5))
world
# %% [markdown]
# A world that is the last value of a cell draws itself. Now it runs; an observer is called every
# tenth step. Columns are arrays, read-only, on the engine's own memory where that has them in a row.
# %%
speed = []
world.run(until=1.5, every=10,
          observers=lambda w: speed.append(numpy.linalg.norm(w.bodies.velocity, axis=1).max()))
print(f"fastest body: {max(speed):.2f} m/s, at the end {speed[-1]:.2g} m/s")
world
# %% [markdown]
# Contacts are a table too: one row each, with gap, normal, force and state.
# %%
contacts = world.contacts
print(f"{len(contacts)} contacts, the largest force {abs(contacts.force).max():.1f} N, "
      f"the deepest overlap {max(0.0, -contacts.gap.min()):.2g} m")
weight = 9.81 * numpy.sum(world.bodies.mass[1:])
print(f"ground bears {-world.bodies[0].contact_force[2]:.2f} N of {weight:.2f} N")
# %% [markdown]
# The audit books where energy went. What does not add up is the residual.
# %%
energy = world.energy
print(f"lost to friction {energy['friction']:.2f} J, to impacts {energy['impact']:.2f} J; "
      f"{energy['residual']:.1e} J do not add up")
assert abs(energy["residual"]) < 1e-6 * energy["friction"]
