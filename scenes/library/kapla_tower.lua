-- SPDX-License-Identifier: Apache-2.0
-- Kapla tower: rings of planks on a circle, lying along the circle and across it by turns; each plank
-- rests on two below.
--
-- What to look for: ring after ring comes down on the one below, so the number of contacts grows
-- during the first tenth of a second. With friction = 0.3 the tower stands, to the last digit.

local rings = param("rings", 12, "number of rings", { integer = true, min = 1, max = 500 })
local planks = param("planks_per_ring", 12, "planks in a ring", { integer = true, min = 4, max = 400 })
local friction = param("friction", 0.3, "Coulomb friction of wood on wood and ground", { min = 0.0, max = 2.0 })
local drop = param("drop", 0.001, "gap under each ring at the start, m", { min = 0.0, max = 0.1 })

title("Kapla tower of " .. rings * planks .. " planks")
simulation{ step = 1 / 200, end_time = 5.0 }

material{ name = "wood", density = 700, colour = "wood" }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "wood" }

local length, width, height = 0.4, 0.1, 0.03
local plank = box{ size = { length, width, height } }
-- the inner corners of neighbours in a ring stay 1.5 % of a plank apart
local radius = 0.5 * width + 0.515 * length / math.tan(math.pi / planks)

for ring = 1, rings do
  local across = ring % 2 == 0
  for i = 1, planks do
    local angle = 2 * math.pi * (i + (across and 0.5 or 0)) / planks
    body{
      name = "plank_" .. ring .. "_" .. i,
      shape = plank,
      material = "wood",
      position = {
        radius * math.cos(angle),
        radius * math.sin(angle),
        (ring - 0.5) * height + ring * drop,
      },
      rotation = { axis = { 0, 0, 1 }, angle = math.deg(angle) + (across and 0 or 90) },
    }
  end
end

sensor{ name = "ground", body = "ground", quantity = "force" }
sensor{ name = "top", body = "plank_" .. rings .. "_1", quantity = "position" }
