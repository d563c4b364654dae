-- SPDX-License-Identifier: Apache-2.0
-- Rolling pile: spheres with rolling friction fall on the ground and come to rest in a heap, under
-- the implicit law. For the collection of contact problems.

local spheres = param("spheres", 60, "number of spheres", { integer = true, min = 1, max = 5000 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local rolling = param("rolling", 0.1, "rolling friction over the radius", { min = 0.0, max = 2.0 })
local spread = param("spread", 0.2, "radii vary by this share", { min = 0.0, max = 0.5 })

title("Pile of " .. spheres .. " spheres that resist rolling")
simulation{ step = 1 / 400, end_time = 1.5 }
material{ name = "grain", density = 2500.0 }
pair{ friction = friction, rolling_friction = rolling }
ground{ material = "grain" }

local radius, side = 0.05, 3
for i = 1, spheres do
  local k = (i - 1) % (side * side)
  local size = radius * (1 + spread * (2 * math.random() - 1))
  body{ name = "sphere" .. i, shape = sphere{ radius = size }, material = "grain",
        position = { (k % side) * 2.7 * radius + 0.2 * radius * math.random(),
                     math.floor(k / side) * 2.7 * radius + 0.2 * radius * math.random(),
                     2 * radius + 2.9 * radius * math.floor((i - 1) / (side * side)) } }
end
