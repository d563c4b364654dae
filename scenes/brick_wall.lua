-- SPDX-License-Identifier: Apache-2.0
-- Brick wall: a dry wall in running bond, hit by a ball.
--
-- What to look for: the wall stands by itself until the ball comes; a wedge of bricks is thrown out,
-- and the bond bridges the hole for a moment. With `speed=0` the wall stands to the end, and the ground
-- bears its weight.

local courses = param("courses", 9, "courses of bricks", { min = 1, max = 200 })
local bricks = param("bricks", 6, "whole bricks in a course", { min = 1, max = 200 })
local speed = param("speed", 12.0, "speed of the ball, m/s; 0: no ball", { min = 0.0, max = 200.0 })
local friction = param("friction", 0.6, "Coulomb friction", { min = 0.0, max = 2.0 })
local ball_density = param("ball_density", 7800.0, "density of the ball, kg/m3", { min = 1.0, max = 30000.0 })

title(string.format("Dry wall of %d courses", courses))
simulation{ step = 1 / 400, end_time = 1.5 }

material{ name = "brick", density = 1900 }
material{ name = "steel", density = 7800 }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "brick" }

local length, width, height = 0.24, 0.115, 0.071
local joint = 0.001
local whole = box{ size = { length, width, height } }
local half = box{ size = { 0.5 * (length - joint), width, height } }
local pitch = length + joint
local left = -0.5 * bricks * pitch

for course = 1, courses do
  local z = (course - 0.5) * height
  local function lay(shape, x)
    body{ shape = shape, material = "brick", position = { x, 0, z } }
  end
  if course % 2 == 1 then
    for i = 1, bricks do lay(whole, left + (i - 0.5) * pitch) end
  else
    -- half a brick at each end
    lay(half, left + 0.25 * pitch)
    for i = 1, bricks - 1 do lay(whole, left + i * pitch) end
    lay(half, -left - 0.25 * pitch)
  end
end

if speed > 0 then
  local radius = 1.5 * height
  body{
    name = "ball",
    shape = sphere{ radius = radius },
    material = "steel",
    density = ball_density,
    position = { 0.1 * length, -0.5 * width - radius - 0.1 * speed, 0.6 * courses * height },
    velocity = { 0, speed, 0 },
  }
end

sensor{ name = "ground", body = "ground", quantity = "force" }
