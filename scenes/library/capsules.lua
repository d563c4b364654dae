-- SPDX-License-Identifier: Apache-2.0
-- Capsules dropped into an open box: a packing that grows contact by contact.
--
-- What to look for: layer after layer arrives and comes to rest; the number of contacts grows to
-- about three a capsule. The force on floor and walls ends as the weight of all capsules.

local capsules = param("capsules", 100, "number of capsules", { integer = true, min = 1, max = 100000 })
local friction = param("friction", 0.7, "Coulomb friction", { min = 0.0, max = 2.0 })
local across = param("across", 3, "capsules side by side in a layer", { integer = true, min = 1, max = 300 })

title(capsules .. " capsules in an open box")
simulation{ step = 1 / 400, end_time = 5.0 }

material{ name = "plastic", density = 1000 }
pair{ friction = friction, restitution = 0.0 }

local radius, length = 0.1, 0.3
local shape = capsule{ radius = radius, length = length }

-- one cell of the start grid holds a capsule in any direction
local cell = length + 2 * radius + 0.03
local half = 0.5 * across * cell
local layers = math.ceil(capsules / (across * across))
local layer_height = 2 * radius + 0.06
local thickness, height = 0.1, 2 * radius + 0.6 * layers * layer_height

body{
  name = "floor",
  kind = "fixed",
  material = "plastic",
  shape = box{ size = { 2 * half + 2 * thickness, 2 * half + 2 * thickness, thickness } },
  position = { 0, 0, -0.5 * thickness },
}
local walls = { "floor" }
for side = 0, 3 do
  local angle = 0.5 * math.pi * side
  local distance = half + 0.5 * thickness
  local name = "wall_" .. side
  body{
    name = name,
    kind = "fixed",
    material = "plastic",
    shape = box{ size = { thickness, 2 * half + 2 * thickness, height } },
    position = { distance * math.cos(angle), distance * math.sin(angle), 0.5 * height },
    rotation = { axis = { 0, 0, 1 }, angle = 90 * side },
  }
  walls[#walls + 1] = name
end

local made = 0
for layer = 1, layers do
  for row = 1, across do
    for column = 1, across do
      if made < capsules then
        made = made + 1
        -- lying, in a random direction, tilted a little
        local yaw, tilt = 2 * math.pi * math.random(), 0.2 * math.random() - 0.1
        local pitch = 0.5 * (0.5 * math.pi + tilt)
        local cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
        local cp, sp = math.cos(pitch), math.sin(pitch)
        body{
          shape = shape,
          material = "plastic",
          position = {
            -half + (column - 0.5) * cell,
            -half + (row - 0.5) * cell,
            0.15 + (layer - 1) * layer_height,
          },
          orientation = { cy * cp, -sy * sp, cy * sp, sy * cp },
        }
      end
    end
  end
end

sensor{ name = "box", bodies = walls, quantity = "force" }
