-- SPDX-License-Identifier: Apache-2.0
-- Masonry wall, free at its top, of dry stones under the record of an earthquake, which shakes it across.
--
-- What to look for: below an acceleration of width/height times gravity the wall stands as if glued
-- (West's formula). Beyond it rocks on its edges, and comes back or falls; courses slide on one
-- another a little with each shock. With `courses=1` it is the block of Housner's theory.

local courses = param("courses", 6, "number of courses", { integer = true, min = 1, max = 100 })
local stones = param("stones", 3, "stones in a course", { integer = true, min = 1, max = 100 })
local width = param("width", 0.25, "of the wall, m", { min = 0.01, max = 10.0 })
local height = param("height", 1.5, "of the wall, m", { min = 0.01, max = 100.0 })
local friction = param("friction", 0.7, "Coulomb friction", { min = 0.0, max = 2.0 })
local scale = param("scale", 1.0, "factor of the record, whose peak is 0.35 g", { min = 0.0, max = 10.0 })
local vertical = param("vertical", true, "with the vertical component")

title(string.format("Masonry wall under %.2f g", 0.35 * scale))
simulation{ step = 1 / 400, end_time = 7.0 }
material{ name = "stone", density = 2300, colour = "stone" }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "stone" }
local across = table("data/quake.csv", "ax", { scale = scale })
local up = vertical and table("data/quake.csv", "az", { scale = scale }) or 0
gravity{ 0, 0, -9.81, frame = { across, 0, up } }

-- running bond: half stones end every second course
local course, long = height / courses, 0.45
local joint = 0.002
local function lay(name, level, y, length)
  body{
    name = name,
    shape = box{ size = { width, length - joint, course } },
    material = "stone",
    position = { 0, y, (level - 0.5) * course },
  }
end
for level = 1, courses do
  local shifted = level % 2 == 0
  local first = -0.5 * stones * long
  for i = 1, shifted and stones - 1 or stones do
    lay("stone_" .. level .. "_" .. i, level, first + (i - (shifted and 0 or 0.5)) * long, long)
  end
  if shifted then
    lay("half_" .. level .. "_1", level, first + 0.25 * long, 0.5 * long)
    lay("half_" .. level .. "_2", level, -first - 0.25 * long, 0.5 * long)
  end
end
local last = (courses % 2 == 0 and "half_" or "stone_") .. courses .. "_1"
sensor{ name = "top", body = last, quantity = "position" }
sensor{ name = "rocking", body = last, quantity = "angular_velocity" }
