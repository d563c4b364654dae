-- SPDX-License-Identifier: Apache-2.0
-- Bouncing boxes: boxes of many sizes fall into an open box and bounce. For the collection of
-- contact problems.

local boxes = param("boxes", 60, "number of boxes", { integer = true, min = 1, max = 5000 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local restitution = param("restitution", 0.5, "Newton's restitution", { min = 0.0, max = 1.0 })
local spread = param("spread", 0.3, "edges vary by this share", { min = 0.0, max = 0.8 })

title(boxes .. " boxes that fall and bounce")
simulation{ step = 1 / 400, end_time = 1.5 }
material{ name = "wood", density = 600.0 }
pair{ friction = friction, restitution = restitution }
local edge, side = 0.1, 3
local half = 0.75 * side * edge
ground{ material = "wood" }
for k, wall in ipairs{ { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
  body{ name = "wall" .. k, kind = "fixed", material = "wood",
        shape = box{ size = { wall[1] ~= 0 and 0.1 or 4 * half, wall[2] ~= 0 and 0.1 or 4 * half, 20 * edge } },
        position = { wall[1] * (half + 0.05), wall[2] * (half + 0.05), 10 * edge } }
end
for i = 1, boxes do
  local k = (i - 1) % (side * side)
  local function length() return 0.8 * edge * (1 + spread * (2 * math.random() - 1)) end
  body{ name = "box" .. i, shape = box{ size = { length(), length(), length() } }, material = "wood",
        position = { (k % side - 1) * 1.4 * edge, (math.floor(k / side) - 1) * 1.4 * edge,
                     edge + 1.5 * edge * math.floor((i - 1) / (side * side)) },
        rotation = { axis = { math.random() - 0.5, math.random() - 0.5, 0.1 + math.random() }, angle = 90 * math.random() } }
end
