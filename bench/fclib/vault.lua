-- SPDX-License-Identifier: Apache-2.0
-- Barrel vault of dry blocks, for bench/fclib/frictions.py: courses of blocks from one springing to the
-- other, every other course shifted by half a block, so that each block rests on two of the course below.
local courses = param("courses", 15, "courses along the half circle", { integer = true, min = 3, max = 400 })
local blocks = param("blocks", 10, "blocks of a course", { integer = true, min = 2, max = 400 })
local friction = param("friction", 0.8, "Coulomb friction", { min = 0, max = 5 })
local thickness = param("thickness", 0.15, "thickness over mean radius", { min = 0.11, max = 1 })

title(string.format("Vault of %d courses of %d blocks", courses, blocks))
simulation{ step = 0.005, end_time = 1 }
material{ name = "stone", density = 2400 }
pair{ friction = friction, restitution = 0 }

local radius = 5
local half = 0.5 * math.pi / courses
local inner, outer = radius * (1 - 0.5 * thickness), radius * (1 + 0.5 * thickness)
local width = 2 * radius * half
-- the joint between the blocks of a course is open by a five hundredth, so that they do not touch
local function block(along)
  local points, y = {}, 0.499 * along
  for _, r in ipairs{ inner, outer } do
    for _, side in ipairs{ -1, 1 } do
      local x, z = side * r * math.sin(half), r * math.cos(half) - radius
      points[#points + 1] = { x, -y, z }
      points[#points + 1] = { x, y, z }
    end
  end
  return polyhedron{ points = points }
end
local whole, end_block = block(width), block(0.5 * width)

for side = -1, 1, 2 do
  body{
    kind = "fixed",
    material = "stone",
    shape = box{ size = { 1.5 * (outer - inner), (blocks + 1) * width, 1 } },
    position = { side * radius, 0.5 * blocks * width, -0.5 },
  }
end
for course = 1, courses do
  local angle = (2 * course - 1) * half - 0.5 * math.pi
  local function put(shape, y)
    body{
      shape = shape,
      material = "stone",
      position = { radius * math.sin(angle), y, radius * math.cos(angle) },
      rotation = { axis = { 0, 1, 0 }, angle = math.deg(angle) },
    }
  end
  if course % 2 == 1 then
    for i = 1, blocks do put(whole, (i - 0.5) * width) end
  else
    put(end_block, 0.25 * width)
    for i = 1, blocks - 1 do put(whole, i * width) end
    put(end_block, (blocks - 0.25) * width)
  end
end
