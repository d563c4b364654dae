-- SPDX-License-Identifier: Apache-2.0
-- Newton's cradle: balls on stiff threads in a row; some are let go, and as many leave at the other end.
--
-- What to look for: with a hair's breadth between the balls the impacts happen one after the other, and
-- the same number of balls swings out with the speed of those that came. With restitution below 1 the
-- row comes to swing as one. The balls hang on hinges, so that each is a pendulum with its own spin.

local balls = param("balls", 5, "number of balls", { integer = true, min = 2, max = 50 })
local lifted = param("lifted", 1, "balls that are let go", { integer = true, min = 1, max = 49 })
local angle = param("angle", 30.0, "at which they are let go, degrees", { min = 0.0, max = 80.0 })
local restitution = param("restitution", 1.0, "of the impacts", { min = 0.0, max = 1.0 })
local gap = param("gap", 0.0005, "between the balls, m", { min = 0.0 })

title("Newton's cradle of " .. balls .. " balls")
simulation{ step = 1 / 10000, end_time = 2.0 }
camera{ azimuth = -75, elevation = 8 }
material{ name = "steel", density = 7800, colour = "silver" }
pair{ friction = 0.0, restitution = restitution }

local radius, length = 0.025, 0.3
local ball = sphere{ radius = radius }
local swing = math.rad(angle)
for i = 1, balls do
  local x = i * (2 * radius + gap)
  local turned = i <= lifted and swing or 0
  body{
    name = "ball_" .. i, shape = ball, material = "steel",
    position = { x - length * math.sin(turned), 0, -length * math.cos(turned) },
  }
  joint{ kind = "hinge", name = "thread_" .. i, bodies = { "ball_" .. i }, at = { x, 0, 0 }, axis = { 0, 1, 0 } }
end

sensor{ name = "first", joint = "thread_1", quantity = "coordinate" }
sensor{ name = "last", joint = "thread_" .. balls, quantity = "coordinate" }
sensor{ name = "pull", joint = "thread_" .. balls, quantity = "force" }
