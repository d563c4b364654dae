-- SPDX-License-Identifier: Apache-2.0
-- Chain with ball: rods in a row on ball joints carry a heavy ball, which swings into a stack of boxes.
--
-- What to look for: the chain stays taut and its joints shut to round-off through the impact although
-- the ball is a hundred times as heavy as a link; the hook bears the weight and the centripetal force,
-- with a jump when the ball hits. Joints and contacts are one problem: --fclib writes it in mixed form.

local links = param("links", 8, "number of links", { integer = true, min = 1, max = 200 })
local radius = param("radius", 0.12, "of the ball, m", { min = 0.02 })
local rows = param("rows", 4, "of boxes in the stack", { integer = true, min = 0, max = 20 })
local columns = param("columns", 2, "of boxes in a row", { integer = true, min = 1, max = 20 })

title("Chain of " .. links .. " links with a ball")
simulation{ step = 1 / 500, end_time = 2.5 }
material{ name = "steel", density = 7800, colour = "steel" }
material{ name = "wood", density = 600, colour = "wood" }
pair{ friction = 0.5 }
ground{}

local length, wire = 0.15, 0.01
local total = links * length + radius
local height = total + radius + 0.15

-- the chain starts level with the hook and swings down towards +x
local link = capsule{ radius = wire, length = length - 2 * wire }
local before
for i = 1, links do
  local name = "link_" .. i
  body{
    name = name, shape = link, material = "steel", position = { -(i - 0.5) * length, 0, height },
    rotation = { axis = { 0, 1, 0 }, angle = 90 },
  }
  joint{
    kind = "ball", name = "joint_" .. i, bodies = before and { before, name } or { name },
    at = { -(i - 1) * length, 0, height },
  }
  before = name
end
body{ name = "ball", shape = sphere{ radius = radius }, material = "steel", position = { -total, 0, height } }
joint{ kind = "fixed", name = "eye", bodies = { before, "ball" }, at = { -links * length, 0, height } }

-- the stack stands where the ball passes lowest
local size = 0.2
for row = 1, rows do
  for column = 1, columns do
    body{
      shape = box{ size = { size, size, 0.5 * size } }, material = "wood",
      position = { radius + 0.5 * size + 0.02, (column - 0.5 * (columns + 1)) * 1.02 * size, (row - 0.5) * 0.5 * size },
    }
  end
end

sensor{ name = "hook", joint = "joint_1", quantity = "force" }
sensor{ name = "eye", joint = "eye", quantity = "force" }
sensor{ name = "ball", body = "ball", quantity = "position" }
