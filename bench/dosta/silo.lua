-- SPDX-License-Identifier: Apache-2.0
-- Case "silo" of Dosta et al. (2024): a silo with a cone of 45 degrees empties through its orifice.
--
-- Needs silo_large.obj and silo_small.obj beside it, which prepare.py makes from the published walls.
-- The published packing is not public: here grains grow in the cone and in the cylinder to a porosity of
-- 0.43, and settle on a lid for 0.15 s before it goes. Times count from the beginning of the run.

local orifice = param("orifice", "large", "which walls", { choices = { "large", "small" } })
local grain = param("material", "M1", "of the grains", { choices = { "M1", "M2" } })
local count = param("grains", 60000, "number of grains", { integer = true, min = 30000, max = 150000 })
local opening = param("opening", 0.15, "time at which the lid goes, s", { min = 0.0, max = 10.0 })
local step = param("step", grain == "M1" and 1.5e-6 or 2e-6, "time step, s", { min = 1e-8, max = 1e-4 })

title("Dosta et al. 2024: silo, " .. orifice .. " orifice, " .. grain)
simulation{ step = step, end_time = opening + 5 }
output{ energy_every = 1000, paraview_every = 0 }
require "materials"

local radius, hole, bottom = 0.1, 0.03, -0.0554222
if orifice == "small" then hole, bottom = 0.02, -0.0593008 end
local shoulder = bottom + radius - hole
body{ name = "silo", kind = "fixed", material = "steel", shape = mesh{ file = "silo_" .. orifice .. ".obj" } }
body{
  name = "lid",
  kind = "fixed",
  material = "steel",
  shape = cylinder{ radius = hole + 0.004, length = 0.002 },
  position = { 0, 0, bottom - 0.001 },
}
remove{ body = "lid", at = opening }

local d, porosity = 0.004, 0.43
local volume = count * math.pi / 6 * d ^ 3 / (1 - porosity)
local cone = math.pi / 3 * (radius ^ 3 - hole ^ 3)
local points = {}
for i = 1, 48 do
  local c, s = 0.99 * math.cos(2 * math.pi * i / 48), 0.99 * math.sin(2 * math.pi * i / 48)
  points[#points + 1] = { hole * c, hole * s, bottom }
  points[#points + 1] = { radius * c, radius * s, shoulder }
end
local height = (volume - cone) / (math.pi * radius ^ 2)
local made = packing{
  region = { hull = polyhedron{ points = points } },
  size = d,
  material = grain,
  method = "growth",
  porosity = porosity,
}
made = made + packing{
  region = { from = { 0, 0, shoulder }, to = { 0, 0, shoulder + height }, radius = 0.998 * radius },
  size = d,
  material = grain,
  method = "growth",
  porosity = porosity,
}
print("grains:", made, "top", shoulder + height)

outlet{ name = "out", region = { min = { -1, -1, -1 }, max = { 1, 1, bottom - 0.02 } }, every = 1e-3 }
sensor{ name = "left", outlet = "out", quantity = "count" }
sensor{ name = "out", outlet = "out", quantity = "mass" }
sensor{ name = "silo", body = "silo", quantity = "force" }
