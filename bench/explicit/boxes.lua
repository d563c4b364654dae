-- SPDX-License-Identifier: Apache-2.0
-- Boxes that fall into a square pit and settle under an explicit law: contacts of the general path.
local boxes = param("boxes", 1000, "number of boxes", { integer = true, min = 1, max = 1000000 })
local edge = param("edge", 0.1, "mean edge of a box, m", { min = 1e-4, max = 10.0 })
local wide = param("wide", 10, "boxes along a side of the pit", { integer = true, min = 1, max = 1000 })
local law = param("contact_law", "hooke", "explicit law of all contacts")

title(string.format("%d boxes fall into a pit", boxes))
local density = 2000
local mass = density * edge ^ 3
-- so stiff that a box at the bottom sinks in by a hundredth of its edge
local layers = math.ceil(boxes / (wide * wide))
local stiffness = 25 * layers * mass * 9.81 / edge
simulation{ step = math.pi * math.sqrt(0.5 * mass / stiffness) / 60, end_time = 2.0 }
output{ energy_every = 50 }

material{ name = "stone", density = density }
if law == "hooke" then
  pair{ law = law, normal_stiffness = stiffness, friction = 0.4, restitution = 0.3 }
elseif law == "spring_dashpot" then
  pair{ law = law, spring = stiffness, dashpot = -1, friction = 0.4 }
else
  pair{ law = law, friction = 0.4 }
end

local pitch = 2 * edge
local half = 0.5 * pitch * wide
ground{}
for _, side in ipairs{ { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
  body{
    kind = "fixed", shape = plane{}, position = { half * side[1], half * side[2], 0 },
    rotation = { axis = { side[2], -side[1], 0 }, angle = 90 },
  }
end

local shapes = {}
for i = 1, 7 do
  local scale = edge * (0.8 + 0.4 * (i - 1) / 6)
  shapes[i] = box{ size = { scale, 0.9 * scale, 0.8 * scale } }
end
for i = 0, boxes - 1 do
  local column, row, layer = i % wide, i // wide % wide, i // (wide * wide)
  body{
    shape = shapes[math.random(7)], material = "stone",
    position = {
      (column + 0.5) * pitch - half, (row + 0.5) * pitch - half, (layer + 0.6) * pitch,
    },
    rotation = { axis = { math.random() - 0.5, math.random() - 0.5, 1 }, angle = 360 * math.random() },
  }
end
