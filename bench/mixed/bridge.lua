-- SPDX-License-Identifier: Apache-2.0
-- A bridge of planks on hinges that sags between two posts: boxes are dropped on it.
local planks = param("planks", 6, "number of planks", { integer = true, min = 2, max = 100 })
local boxes = param("boxes", 3, "number of boxes", { integer = true, min = 1, max = 100 })
simulation{ step = 1 / 500, end_time = 1.0, tolerance = 1e-7 }
material{ name = "wood", density = 600 }
pair{ friction = 0.5 }
-- planks along an arc that hangs down by half a radian at the posts
local width, sag = 0.2, 0.5
local radius = 0.5 * width / math.sin(sag / planks)
local function along(i)
  local angle = sag * (2 * i / planks - 1)
  return radius * math.sin(angle), radius * (1 - math.cos(angle)), angle
end
local axis = { 0, 1, 0 }
for i = 1, planks do
  local x1, z1 = along(i - 1)
  local x2, z2 = along(i)
  body{
    name = "plank_" .. i, shape = box{ size = { width, 0.5, 0.04 } }, material = "wood",
    position = { 0.5 * (x1 + x2), 0, 0.5 * (z1 + z2) },
    rotation = { axis = axis, angle = -math.deg(math.atan(z2 - z1, x2 - x1)) },
  }
end
for i = 0, planks do
  local x, z = along(i)
  local before, after = i > 0 and "plank_" .. i or nil, i < planks and "plank_" .. (i + 1) or nil
  joint{
    kind = i == planks and "cylindrical" or "hinge", bodies = { before or after, before and after or nil },
    at = { x, 0, z }, axis = axis,
  }
end
for i = 1, boxes do
  local x, z = along(planks * i / (boxes + 1))
  body{
    shape = box{ size = { 0.12, 0.12, 0.12 } }, material = "wood",
    position = { x, 0.03 * (i % 3 - 1), z + 0.13 + 0.02 * i },
  }
end
