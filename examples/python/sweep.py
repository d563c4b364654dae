# SPDX-License-Identifier: Apache-2.0
# The friction angle against how a stack on a tilted table stands, as a plot.
# %% [markdown]
# # A sweep with a plot
# The friction angle against how a stack of three bricks on a tilted table stands. Fifty runs and more are
# the work of `cairn sweep`; small ones fit into a loop.
# %%
import math

import cairn

try:
    import matplotlib.pyplot as plot
except ImportError:
    plot = None


def slipped(friction, angle):
    """How far a stack of three bricks moves in half a second on a table tilted by `angle` degrees."""
    tilt = math.radians(angle)
    world = cairn.World(step=1 / 200, gravity=(9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt)))
    world.pair(friction=friction)
    world.ground()
    brick = cairn.box(size=(0.4, 0.4, 0.1))
    for i in range(3):
        world.body(shape=brick, position=(0, 0, 0.05 + 0.1 * i))
    world.run(until=0.5)
    return world.bodies.position[-1, 0]
# %% [markdown]
# A stack stands below the angle of friction, and slides as a block above it: in the time t it goes
# (g/2) (sin a - mu cos a) t².
# %%
angles = range(4, 37, 4)
frictions = (0.2, 0.4, 0.6)
table = {friction: [slipped(friction, angle) for angle in angles] for friction in frictions}
for friction, ways in table.items():
    limit = math.degrees(math.atan(friction))
    stands = [angle for angle, way in zip(angles, ways) if way < 1e-3]
    print(f"friction {friction}: stands up to {max(stands)} degrees; atan says {limit:.1f}")
    assert max(stands) <= limit < max(stands) + 4
    # what slides goes as a block does: a = g (sin - mu cos)
    tilt = math.radians(angles[-1])
    way = 0.125 * 9.81 * (math.sin(tilt) - friction * math.cos(tilt))
    assert abs(ways[-1] - way) < 0.01 * way
# %% [markdown]
# The same as a plot.
# %%
if plot is not None:
    for friction, ways in table.items():
        plot.semilogy(list(angles), [max(way, 1e-9) for way in ways], "o-", label=f"{friction}")
    plot.xlabel("tilt, degrees")
    plot.ylabel("way of the top brick, m")
    plot.legend(title="friction")
    plot.savefig("sweep.png")
