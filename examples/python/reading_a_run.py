# SPDX-License-Identifier: Apache-2.0
# Reads what `cairn run` has written: summary, energy, sensors, trajectory.
# %% [markdown]
# # Reading a run
# `cairn run` writes a folder: summary, energy, sensors, trajectory. `cairn.Run` reads it.
# %%
import subprocess

import cairn
import numpy

command = cairn.library.command() or "cairn"
subprocess.run([command, "run", "kapla_tower", "--set", "rings=3", "--until", "0.3", "--quiet",
                "--out", "tower"], check=True)

run = cairn.Run("tower")
print(f"{run.summary['steps']} steps, at most {run.summary['contacts_max']} contacts")
run
# %% [markdown]
# Tables are structured arrays with units; `run.frame('energy')` is the same as a frame of pandas.
# %%
energy = run.energy
dissipated = energy["impact_dissipation"] + energy["friction_dissipation"]
print(f"potential energy fell by {energy['potential'][0] - energy['potential'][-1]:.4f} "
      f"{energy.units['potential']}, {dissipated[-1]:.4f} J went into impacts and friction")

force = run.sensors["ground_force_z"]
print(f"force on the ground at the end {force[-1]:.1f} N, at most {-force.min():.1f} N")
# %% [markdown]
# The trajectory has positions and orientations of all bodies in each frame.
# %%
trajectory = run.trajectory
way = numpy.linalg.norm(trajectory.positions[-1] - trajectory.positions[0], axis=1)
print(f"{len(trajectory)} frames; the body that moved most moved {1000 * way.max():.2f} mm")
assert abs(force[-1]) > 0.0 and way.max() > 0.0
