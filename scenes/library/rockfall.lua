-- SPDX-License-Identifier: Apache-2.0
-- Rockfall: angular blocks come down a rough slope of triangles and come to rest on the flat.
--
-- What to look for: blocks bounce where the slope is steep, slide and roll below, and stop on
-- the flat or at the dam. Slabs slide and stop, lumps roll on. The path of the first block is a
-- sensor, and so is the force of all blocks on the ground.

local blocks = param("blocks", 40, "number of blocks", { integer = true, min = 1, max = 20000 })
local size = param("size", 1.2, "mean size of a block, m", { min = 0.1, max = 10.0 })
local slope = param("slope", 38.0, "angle of the slope, degrees", { min = 0.0, max = 70.0 })
local roughness = param("roughness", 0.3, "height of the slope's bumps, m", { min = 0.0, max = 3.0 })
local friction = param("friction", 0.6, "Coulomb friction", { min = 0.0, max = 2.0 })
local restitution = param("restitution", 0.2, "Newton's restitution", { min = 0.0, max = 1.0 })

title("Rockfall of " .. blocks .. " blocks")
simulation{ step = 1 / 250, end_time = 8.0 }

material{ name = "rock", density = 2600, colour = "stone" }
pair{ friction = friction, restitution = restitution }

-- the height of the ground: a gully with bumps runs out into a flat, which a dam closes
local long, wide, flat = 22.0, 18.0, 16.0
local rise = math.tan(math.rad(slope))
local function height(x, y)
  -- a rounded foot at x = long, some metres long
  local to_foot = long - x
  local down = 0.5 * rise * (to_foot + math.sqrt(to_foot * to_foot + 16))
  local bumps = math.sin(0.9 * x + 0.5 * y) * math.cos(1.3 * y) + 0.6 * math.sin(2.1 * x - 1.1 * y)
  local fade = math.min(1, math.max(0, to_foot / 10))
  local side = 0.1 * math.max(0, math.abs(y) - 0.25 * wide) ^ 2
  local dam = 3 / (1 + math.exp(2 * (long + flat - 4 - x)))
  return down + roughness * bumps * fade + side + dam
end

local columns, rows = 57, 27
local vertices, triangles = {}, {}
for row = 0, rows do
  for column = 0, columns do
    local x, y = (long + flat) * column / columns, wide * (row / rows - 0.5)
    vertices[#vertices + 1] = { x, y, height(x, y) }
  end
end
for row = 0, rows - 1 do
  for column = 0, columns - 1 do
    local a = row * (columns + 1) + column + 1
    local b = a + columns + 1
    triangles[#triangles + 1] = { a, a + 1, b + 1 }
    triangles[#triangles + 1] = { a, b + 1, b }
  end
end
body{
  name = "slope",
  kind = "fixed",
  material = "rock",
  colour = "#7f8a68",
  shape = mesh{ vertices = vertices, triangles = triangles },
}

-- the hull of points on an ellipsoid: slabs, rods and lumps
local function block()
  local scale = size * (0.6 + 0.8 * math.random())
  local axes = { 0.5 * scale, scale * (0.3 + 0.2 * math.random()), scale * (0.2 + 0.3 * math.random()) }
  local points = {}
  for i = 1, 14 do
    -- even in height, a golden angle apart, and shaken
    local z = -1 + (2 * i - 1) / 14
    local angle = 2.4 * i + 0.8 * math.random()
    local r = math.sqrt(1 - z * z) * (0.85 + 0.15 * math.random())
    points[i] = { axes[1] * r * math.cos(angle), axes[2] * r * math.sin(angle), axes[3] * z }
  end
  return polyhedron{ points = points }
end

local across = 5
for i = 0, blocks - 1 do
  local row, column, layer = i // across % 4, i % across, i // (4 * across)
  local x = 2 + 1.6 * size * row + 0.3 * size * math.random()
  local y = (column - 0.5 * (across - 1)) * 1.7 * size
  body{
    name = "block_" .. i + 1,
    shape = block(),
    material = "rock",
    position = { x, y, height(x, y) + (1.5 + 1.6 * layer) * size + roughness },
    rotation = { axis = { math.random() - 0.5, math.random() - 0.5, 1 }, angle = 360 * math.random() },
  }
end

sensor{ name = "first", body = "block_1", quantity = "position" }
sensor{ name = "slope", body = "slope", quantity = "force" }
