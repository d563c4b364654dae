# SPDX-License-Identifier: Apache-2.0
# Many small worlds on two threads, stepped as learning by reinforcement does.
# %% [markdown]
# # Many small worlds on two threads
# Stepped as learning by reinforcement does: act, step, observe. Steps leave Python to other threads, and
# worlds share nothing, so the rewards are the same on any number of threads.
# %%
import concurrent.futures
import time

import cairn
import numpy

WORLDS, ROUNDS, STEPS = 64, 5, 20


def make(_):
    """A puck on a table that is pushed towards the middle."""
    world = cairn.World(step=1 / 500)
    world.pair(friction=0.2)
    world.ground()
    world.body(shape=cairn.box(size=(0.2, 0.2, 0.05)), position=(1, 0, 0.025))
    return world


def act(world):
    """Observes, pushes in proportion to the distance, and steps; returns the reward."""
    puck = world.bodies[1]
    puck.push((-12.0 * puck.position[0] - 6.0 * puck.velocity[0], 0, 0))
    world.step(STEPS)
    return -abs(puck.position[0])


def play(threads):
    worlds = [make(i) for i in range(WORLDS)]
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for _ in range(ROUNDS):
            rewards = list(pool.map(act, worlds, chunksize=8))
    return time.perf_counter() - begin, numpy.array(rewards), {world.hash for world in worlds}
# %% [markdown]
# Once on one thread, once on two: the same rewards and the same bits.
# %%
alone, rewards, states = play(1)
together, same, more = play(2)
assert (rewards == same).all() and states == more and len(states) == 1
print(f"{WORLDS} worlds, {ROUNDS * STEPS} steps each: {alone:.3f} s on one thread, "
      f"{together:.3f} s on two; reward {rewards.mean():.3f}")
