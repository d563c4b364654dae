-- SPDX-License-Identifier: Apache-2.0
-- Brick wall in running bond, without mortar: each brick rests on halves of two bricks below, and half
-- bricks end every second course.
--
-- What to look for: eight contacts a brick where six equations hold it, so reactions are far from
-- unique; the wall stands, and a ball (ball_speed > 0) breaks out a wedge of bricks.

local courses = param("courses", 12, "number of courses", { integer = true, min = 1, max = 400 })
local bricks = param("bricks", 10, "bricks in a course", { integer = true, min = 1, max = 400 })
local friction = param("friction", 0.6, "Coulomb friction of brick on brick and ground", { min = 0.0, max = 2.0 })
local joint = param("joint", 0.003, "open joint between neighbours in a course, m", { min = 0.0, max = 0.02 })
local ball_speed = param("ball_speed", 0.0, "speed of a ball of 0.2 m thrown at the middle, m/s", { min = 0.0, max = 100.0 })

title("Brick wall of " .. courses .. " courses")
simulation{ step = 1 / 200, end_time = 2.0 }

material{ name = "brick", density = 1800, colour = "brick" }
material{ name = "iron", density = 7800, colour = "steel" }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "brick" }

local length, width, height = 0.24, 0.115, 0.07
local pitch = length + joint
local whole = box{ size = { length, width, height } }
local half = box{ size = { 0.5 * (length - joint), width, height } }

local function lay(shape, name, x, course)
  body{
    name = name,
    shape = shape,
    material = "brick",
    position = { x, 0, (course - 0.5) * height },
  }
end

for course = 1, courses do
  local shifted = course % 2 == 0
  local first = -0.5 * (bricks - 1) * pitch
  for i = 1, shifted and bricks - 1 or bricks do
    lay(whole, "brick_" .. course .. "_" .. i, first + (i - (shifted and 0.5 or 1)) * pitch, course)
  end
  if shifted then
    local edge = 0.5 * bricks * pitch - 0.25 * pitch
    lay(half, "half_" .. course .. "_left", -edge, course)
    lay(half, "half_" .. course .. "_right", edge, course)
  end
end

if ball_speed > 0 then
  local radius = 0.1
  body{
    name = "ball",
    shape = sphere{ radius = radius },
    material = "iron",
    position = { 0, -0.5 * width - 2 * radius, 0.5 * courses * height + radius },
    velocity = { 0, ball_speed, 0 },
  }
end

sensor{ name = "ground", body = "ground", quantity = "force" }
sensor{ name = "top", body = "brick_" .. courses .. "_1", quantity = "position" }
