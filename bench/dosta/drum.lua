-- SPDX-License-Identifier: Apache-2.0
-- Case "drum" of Dosta et al. (2024): two sizes of grains segregate in a turning drum.
--
-- Needs drum.csv beside it, which prepare.py makes from the published coordinates.

title "Dosta et al. 2024: rotating drum"
simulation{ step = param("step", 8e-7, "time step, s", { min = 1e-8, max = 1e-5 }), end_time = 5 }
output{ energy_every = 1000, paraview_every = 0 }
require "materials"

local radius, half, turning, staves = 0.1, 0.03, -2, 256
local vertices, triangles = {}, {}
for i = 1, staves do
  local angle = 2 * math.pi * i / staves
  -- the circle lies between the corners and the middles of the staves
  local r = radius / math.sqrt(math.cos(math.pi / staves))
  for side = -1, 1, 2 do
    vertices[#vertices + 1] = { r * math.cos(angle), 1.1 * half * side, r * math.sin(angle) }
  end
  local front, back = 2 * i - 1, 2 * i
  local next_front, next_back = 2 * (i % staves) + 1, 2 * (i % staves) + 2
  triangles[#triangles + 1] = { front, next_front, next_back }
  triangles[#triangles + 1] = { front, next_back, back }
end
local function wall(def)
  def.kind, def.material, def.angular_velocity = "moving", "steel", { 0, turning, 0 }
  body(def)
end
wall{ name = "drum", shape = mesh{ vertices = vertices, triangles = triangles } }
wall{ name = "front", shape = plane{}, position = { 0, -half, 0 }, rotation = { axis = { 1, 0, 0 }, angle = -90 } }
wall{ name = "back", shape = plane{}, position = { 0, half, 0 }, rotation = { axis = { 1, 0, 0 }, angle = 90 } }
bodies_from_csv{ file = "drum.csv" }

-- the two quarters that the paper counts; number and mass tell the two sizes
measure{ name = "upper right", region = { min = { 0, -half, 0 }, max = { radius, half, radius } } }
measure{ name = "lower left", region = { min = { -radius, -half, -radius }, max = { 0, half, 0 } } }
sensor{ name = "drum", body = "drum", quantity = "torque" }
