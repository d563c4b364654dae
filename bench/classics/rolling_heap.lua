-- SPDX-License-Identifier: Apache-2.0
-- A heap whose grains resist rolling, under rigid or under elastic contacts: grains fall onto the middle of a
-- plate of glued grains, periodic across, and what passes its ends falls away. `grains.csv` and `plate.csv`
-- are beside this scene in the folder of the run, written by rolling_heap.py.

local law = param("law", "hooke", "of all contacts", { choices = { "hooke", "signorini_coulomb" } })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0 })
local rolling = param("rolling_friction", 0.1, "coefficient of rolling friction", { min = 0.0 })
local width = param("width", 0.05, "period across, m", { min = 0.0 })
local step = param("time_step", 1e-5, "s", { min = 1e-9 })

title("Heap that resists rolling")
simulation{ step = step, end_time = 3.0, tolerance = 1e-6 }
cell{ size = { 10, width, 10 }, periodic = "y" }
material{ name = "grain", density = 2500 }
-- both kinds of contacts swallow collisions: springs with no restitution at all would need much shorter steps
if law == "hooke" then
  pair{ law = law, normal_stiffness = 1e4, friction = friction, rolling_friction = rolling, restitution = 0.05 }
else
  pair{ law = law, friction = friction, rolling_friction = rolling, restitution = 0 }
end
bodies_from_csv{ file = "grains.csv" }
bodies_from_csv{ file = "plate.csv", kind = "fixed" }
