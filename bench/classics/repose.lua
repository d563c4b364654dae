-- SPDX-License-Identifier: Apache-2.0
-- A block of grains on a plate of glued grains, periodic across: it slumps, what passes the ends of the
-- plate falls away, and the rest stays with the slope of the angle of repose. `grains.csv` and
-- `plate.csv` are beside this scene in the folder of the run, written by repose.py.

local stiffness = param("stiffness", 1e4, "normal, N/m", { min = 0.0 })
local damping = param("damping", 600.0, "of the normal direction, over the effective mass, 1/s", { min = 0.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0 })
local width = param("width", 0.06, "period across, m", { min = 0.0 })
local step = param("time_step", 3e-5, "s", { min = 1e-9 })

title("Angle of repose")
simulation{ step = step, end_time = 4.0 }
cell{ size = { 10, width, 10 }, periodic = "y" }
material{ name = "grain", density = 2500 }
pair{ law = "hooke", normal_stiffness = stiffness, damping = "mass", normal_damping = damping,
      tangential_damping_ratio = 0.5, friction = friction, attraction = true }
bodies_from_csv{ file = "grains.csv" }
bodies_from_csv{ file = "plate.csv", kind = "fixed" }
